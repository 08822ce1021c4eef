"""The parameters of a block before it exists: names and shapes, counted on torch's meta device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from blocks.spec import Block


def parameter_shapes(block: type[Block], params: Mapping[str, Any]) -> Mapping[str, tuple[int, ...]]:
    """Parameter name → shape, for a block under given (complete) parameters; allocates nothing."""
    return _shapes(block, tuple(sorted(params.items())))[0]


def buffer_shapes(block: type[Block], params: Mapping[str, Any]) -> Mapping[str, tuple[int, ...]]:
    """Buffer name → shape; buffers are no parameters but are saved and take memory."""
    return _shapes(block, tuple(sorted(params.items())))[1]


def count(block: type[Block], params: Mapping[str, Any]) -> int:
    """How many numbers the block learns."""
    return sum(prod(shape) for shape in parameter_shapes(block, params).values())


@lru_cache(8192)
def _shapes(
    block: type[Block], params: tuple[tuple[str, Any], ...]
) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    if block.role != "module":
        return {}, {}
    with torch.device("meta"), _NoStart():
        module = block(**dict(params))
    return (
        {name: tuple(parameter.shape) for name, parameter in module.named_parameters()},
        {name: tuple(buffer.shape) for name, buffer in module.named_buffers()},
    )


class _NoStart(TorchFunctionMode):
    """Leaves out starting values, which mean nothing on the meta device.

    To draw them there, torch imports its compiler, which would hold the window for seconds.
    """

    _STARTS = frozenset({"normal_", "uniform_", "trunc_normal_", "kaiming_uniform_", "kaiming_normal_"})

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in self._STARTS:
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)
