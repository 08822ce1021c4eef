"""Sizes under a sliding window: what convolutions and pooling make of a height or a width."""

from __future__ import annotations

from blocks.dimensions import Dimension
from blocks.shapes import Needs


def slid(size: Dimension, kernel: int, stride: int, padding: int, dilation: int, need: Needs) -> Dimension:
    """How many places a window finds along an axis; at least one is demanded."""
    span = dilation * (kernel - 1) + 1
    low = span - 2 * padding
    if low > 1:
        added = f" and padding adds {2 * padding}" if padding else ""
        need.between(size, low=low, port="x", because=f"the window spans {span} pixels{added}")
    return (size + (2 * padding - span)) // stride + 1


def spread(
    size: Dimension, kernel: int, stride: int, padding: int, dilation: int, extra: int, need: Needs
) -> Dimension:
    """How many places a transposed window fills along an axis; at least one is demanded."""
    grown = dilation * (kernel - 1) + 1 + extra - 2 * padding
    if grown < 1:
        low = 1 - (grown - 1) // stride
        need.between(size, low=low, port="x", because=f"padding takes {2 * padding} pixels off the result")
    return (size - 1) * stride + grown
