"""Watch a model run: a call before and after each block and each round of a group, by their addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from graph.places import GroupPlace, Place

Before = Callable[[Place | GroupPlace, tuple[Any, ...], Mapping[str, Any]], None]
After = Callable[[Place | GroupPlace, Any], None]


class Enough(BaseException):
    """Ends a run early: what was to be seen has been seen.

    No Exception, so that nothing in between takes it for a failure.
    """


@contextmanager
def watch(
    model: nn.Module, watched: Iterable[Place | GroupPlace], before: Before | None = None, after: After | None = None
) -> Iterator[None]:
    """Call `before` and `after` around every watched call while the block runs.

    A module that several rounds share is called once a round; its calls are told apart by their order.
    """
    calls: dict[str, list[Place | GroupPlace]] = {}
    for place in watched:
        calls.setdefault(place.module, []).append(place)
    handles = []
    try:
        for path, queue in calls.items():
            module = model.get_submodule(path)
            if before is not None:
                handles.append(module.register_forward_pre_hook(_before(queue, before), with_kwargs=True))
            if after is not None:
                handles.append(module.register_forward_hook(_after(queue, after)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def results(place: Place | GroupPlace, output: Any) -> Iterator[tuple[str, Tensor]]:
    """The tensors of a call by their addresses: "attn", or "lstm:y" and "lstm:state" where there are several."""
    values = output if isinstance(output, tuple) else (output,)
    ports = [name for name, _ in (place.step.outputs if isinstance(place, Place) else place.outputs)]
    for port, value in zip(ports, values, strict=False):
        if isinstance(value, Tensor):
            yield (place.address if len(values) == 1 else f"{place.address}:{port}"), value


def _before(queue: list[Place | GroupPlace], call: Before) -> Callable[..., None]:
    turn = iter(queue)

    def hook(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        call(next(turn), args, kwargs)

    return hook


def _after(queue: list[Place | GroupPlace], call: After) -> Callable[..., None]:
    turn = iter(queue)

    def hook(_module: nn.Module, _args: tuple[Any, ...], output: Any) -> None:
        call(next(turn), output)

    return hook
