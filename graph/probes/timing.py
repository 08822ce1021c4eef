"""How long each call takes, without what the probes add; and how long each node of the drawing, all rounds together."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import torch


class Stopwatch:
    """Nested timings by address; what happens inside `paused` is nobody's."""

    def __init__(self, device: torch.device) -> None:
        self._device = device if device.type == "cuda" else None
        self._running: dict[str, tuple[float, float]] = {}
        self._paused = 0.0
        self._events: dict[str, tuple[torch.cuda.Event, torch.cuda.Event]] = {}
        self._seconds: dict[str, float] = {}

    def start(self, address: str) -> None:
        """A call begins."""
        if self._device is not None:
            pair = (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True))
            pair[0].record()
            self._events[address] = pair
            return
        self._running[address] = (time.perf_counter(), self._paused)

    def stop(self, address: str) -> None:
        """It ends."""
        if self._device is not None:
            self._events[address][1].record()
            return
        begun, paused = self._running.pop(address)
        self._seconds[address] = time.perf_counter() - begun - (self._paused - paused)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out what a probe does."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._paused += time.perf_counter() - begun

    @property
    def probes(self) -> float:
        """Seconds that the probes took."""
        return self._paused

    def milliseconds(self) -> dict[str, float]:
        """Address → milliseconds."""
        if self._device is not None:
            torch.cuda.synchronize(self._device)
            return {address: start.elapsed_time(end) for address, (start, end) in self._events.items()}
        return {address: seconds * 1e3 for address, seconds in self._seconds.items()}


def by_node(milliseconds: Mapping[str, float], calls: Iterable[str]) -> dict[str, float]:
    """How long each node of a drawing took: a block all its rounds together, a group all blocks in it.

    So the nodes of a level add up to the group around them, and those of the top level to all blocks.

    Args:
        milliseconds: address of a call → how long it took.
        calls: the addresses of the calls of blocks; those of groups, which contain others, are left out.

    Returns:
        Path of a node, "decoder/attn", → milliseconds.
    """
    found: dict[str, float] = {}
    for address in calls:
        taken = milliseconds.get(address)
        if taken is None:
            continue
        path = ""
        for part in address.split("/"):
            path = f"{path}/{part.partition('.')[0]}" if path else part.partition(".")[0]
            found[path] = found.get(path, 0.0) + taken
    return found
