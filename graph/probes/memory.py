"""Bytes alive, counted by storage as operators make and drop tensors; real or fake ones alike."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter


class LiveBytes(TorchDispatchMode):
    """Counts what is alive while it is entered. `on_growth` is called after each operator that allocated."""

    def __init__(self, on_growth: Callable[[str], None] | None = None) -> None:
        super().__init__()
        self.live = 0
        self.peak = 0
        self.operation = ""
        self._sizes: dict[int, int] = {}
        self._on_growth = on_growth

    def hold(self, tensors: Iterable[Tensor]) -> None:
        """Count tensors that were there before."""
        for tensor in tensors:
            self._note(tensor)

    def ignore(self, tensors: Iterable[Tensor]) -> None:
        """Never count these, such as parameters that are counted elsewhere."""
        for tensor in tensors:
            self._sizes.setdefault(tensor.untyped_storage()._cdata, 0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Step aside while a probe works; call it where this is the innermost mode."""
        self.__exit__(None, None, None)
        try:
            yield
        finally:
            self.__enter__()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        before = self.live
        for value in tree_iter(result):
            if isinstance(value, Tensor):
                self._note(value)
        if self.live > before:
            name = str(func)
            if self.live > self.peak:
                self.peak, self.operation = self.live, name
            if self._on_growth:
                self._on_growth(name)
        return result

    def _note(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._sizes:
            return
        size = storage.nbytes()
        self._sizes[key] = size
        self.live += size
        self.peak = max(self.peak, self.live)
        weakref.finalize(storage, self._drop, key).atexit = False

    def _drop(self, key: int) -> None:
        self.live -= self._sizes.pop(key, 0)


class Peak:
    """The most memory that a run takes on a device, measured."""

    def __init__(self, device: torch.device, parameters: int) -> None:
        self._device = device
        self._parameters = parameters
        self.mode = LiveBytes() if device.type != "cuda" else None
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out what a probe makes, where that can be told apart."""
        if self.mode is None:
            yield
            return
        with self.mode.paused():
            yield

    def read(self) -> dict[str, int]:
        """Bytes: in all, of parameters, and of what else was alive at the peak."""
        if self.mode is None:
            peak = int(torch.cuda.max_memory_allocated(self._device))
            return {"peak": peak, "parameters": self._parameters, "activations": max(0, peak - self._parameters)}
        return {
            "peak": self._parameters + self.mode.peak,
            "parameters": self._parameters,
            "activations": self.mode.peak,
        }
