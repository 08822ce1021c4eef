"""Sizes under a sliding window: what convolutions and pooling make of a height or a width."""

from __future__ import annotations

from collections.abc import Iterable

from blocks.dimensions import Dimension
from blocks.filters import margins
from blocks.shapes import Needs, Params


def slid(
    size: Dimension, kernel: int, stride: int, padding: int, dilation: int, need: Needs, unit: str = "pixels"
) -> Dimension:
    """How many places a window finds along an axis; at least one is demanded."""
    span = dilation * (kernel - 1) + 1
    low = span - 2 * padding
    if low > 1:
        added = f" and padding adds {2 * padding}" if padding else ""
        need.between(size, low=low, port="x", because=f"the window spans {span} {unit}{added}")
    return (size + (2 * padding - span)) // stride + 1


def convolved(sizes: Iterable[Dimension], params: Params, need: Needs, unit: str = "pixels") -> tuple[Dimension, ...]:
    """How many places the filter of a convolution finds along each axis."""
    kernel, stride, dilation = params["kernel_size"], params["stride"], params["dilation"]
    before, after = margins(kernel, dilation, params["padding"])
    mode = params["padding_mode"]
    slack = {"reflect": 1, "circular": 0}.get(mode)
    found: list[Dimension] = []
    for size in sizes:
        if after and slack is not None:
            why = f"{mode} padding takes its {after} {unit} from what comes in"
            need.between(size, low=after + slack, port="x", because=why)
        same = params["padding"] is None and stride == 1
        found.append(size if same else slid(size, kernel, stride, before, dilation, need, unit))
    return tuple(found)


def spread(
    size: Dimension,
    kernel: int,
    stride: int,
    padding: int,
    dilation: int,
    extra: int,
    need: Needs,
    unit: str = "pixels",
) -> Dimension:
    """How many places a transposed window fills along an axis; at least one is demanded."""
    grown = dilation * (kernel - 1) + 1 + extra - 2 * padding
    if grown < 1:
        low = 1 - (grown - 1) // stride
        need.between(size, low=low, port="x", because=f"padding takes {2 * padding} {unit} off the result")
    return (size - 1) * stride + grown
