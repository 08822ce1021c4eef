"""The parameters of a block before it exists: names and shapes, counted on torch's meta device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from blocks.spec import Block

ADDRESSABLE = 2**58
"""Numbers that torch can address in any type, with room to spare."""


def parameter_shapes(block: type[Block], params: Mapping[str, Any]) -> Mapping[str, tuple[int, ...]]:
    """Parameter name → shape, for a block under given (complete) parameters; allocates nothing.

    A shape of more than `ADDRESSABLE` numbers, which nobody can have, is shrunk to about that.
    """
    return _shapes(block, tuple(sorted(params.items())))[0]


def buffer_shapes(block: type[Block], params: Mapping[str, Any]) -> Mapping[str, tuple[int, ...]]:
    """Buffer name → shape; buffers are no parameters but are saved and take memory."""
    return _shapes(block, tuple(sorted(params.items())))[1]


def count(block: type[Block], params: Mapping[str, Any]) -> int:
    """How many numbers the block's parameters have."""
    return sum(prod(shape) for shape in parameter_shapes(block, params).values())


def count_fixed(block: type[Block], params: Mapping[str, Any]) -> int:
    """How many of them are saved but not learned, such as a table of sines."""
    fixed = _shapes(block, tuple(sorted(params.items())))[3]
    return sum(prod(shape) for name, shape in parameter_shapes(block, params).items() if name in fixed)


def attending_parts(block: type[Block], params: Mapping[str, Any]) -> Mapping[str, type[Block]]:
    """The blocks inside that attend, by name, each the innermost; "" is the block itself."""
    return _shapes(block, tuple(sorted(params.items())))[2]


def on_meta(block: type[Block], params: Mapping[str, Any]) -> nn.Module:
    """A block that has shapes and no numbers."""
    with torch.device("meta"), _NoStart():
        return block(**params)


@lru_cache(8192)
def _shapes(
    block: type[Block], params: tuple[tuple[str, Any], ...]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]], dict[str, type[Block]], tuple[str, ...]]:
    if block.role != "module":
        return {}, {}, {}, ()
    module = on_meta(block, dict(params))
    return (
        {name: tuple(parameter.shape) for name, parameter in module.named_parameters()},
        {name: tuple(buffer.shape) for name, buffer in module.named_buffers()},
        {
            name: type(inner)
            for name, inner in module.named_modules()
            if isinstance(inner, Block) and hasattr(inner, "scores") and not _has_scores(inner)
        },
        tuple(name for name, parameter in module.named_parameters() if not parameter.requires_grad),
    )


def _has_scores(module: nn.Module) -> bool:
    """Whether something inside attends."""
    return any(hasattr(inner, "scores") for inner in module.modules() if inner is not module)


class _NoStart(TorchFunctionMode):
    """Leaves out starting values, which mean nothing on the meta device.

    To draw them there, torch imports its compiler, which would hold the window for seconds. A tensor that is larger
    than torch can address, since somebody typed a number with many digits, is taken for the largest that it can.
    """

    _STARTS = frozenset({"normal_", "uniform_", "trunc_normal_", "kaiming_uniform_", "kaiming_normal_"})
    _MAKERS = frozenset({"empty", "zeros", "ones", "full", "rand", "randn"})

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in self._STARTS:
            return args[0] if args else kwargs["tensor"]
        try:
            return func(*args, **kwargs)
        except RuntimeError:
            sizes = _sizes(args, kwargs) if name in self._MAKERS else ()
            if prod(sizes) < ADDRESSABLE:
                raise
            return torch.empty(_shrunk(sizes))


def _sizes(args: Any, kwargs: Any) -> tuple[int, ...]:
    """The shape that a call asks for: torch.empty(2, 3), torch.empty((2, 3)), torch.empty(size=(2, 3))."""
    given = kwargs.get("size", args)
    return tuple(given[0]) if len(given) and not isinstance(given[0], int) else tuple(given)


def _shrunk(sizes: tuple[int, ...]) -> list[int]:
    shrunk = list(sizes)
    while prod(shrunk) >= ADDRESSABLE:
        shrunk[shrunk.index(max(shrunk))] //= 2
    return shrunk
