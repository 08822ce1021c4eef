"""Sizes under an einops pattern: what the parts of split axes are, and whether they make up what comes in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from blocks.dimensions import Dimension
from blocks.functional import AxisOrder, read_sizes, write_out
from blocks.shapes import Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Conflict

Axes: TypeAlias = tuple[tuple[str, ...], ...]


def size_conflicts(params: Params, sides: Iterable[Axes]) -> Iterator[Conflict]:
    """Sizes that cannot be read, or belong to no axis of these sides of the pattern."""
    try:
        sizes = read_sizes(params["sizes"])
    except ValueError as error:
        yield Conflict("sizes", f"the sizes cannot be read: {error}", 'write them like "heads=12, p=16"')
        return
    names = {name for axes in sides for axis in axes for name in axis}
    for name in sizes:
        if name not in names:
            yield Conflict("sizes", f"a size of `{name}`, which the pattern does not have", "leave it out")


def fitted(order: AxisOrder, shape: Shape, pattern: str) -> AxisOrder:
    """The pattern written out for the axes that come in."""
    free = ("...",) in order.before
    if len(shape) < len(order.before) - free or (not free and len(shape) > len(order.before)):
        raise ShapeClash("x", counted(shape), f"the pattern takes `{pattern.partition('->')[0].strip()}`")
    return write_out(order, len(shape))


def learn(axes: Axes, shape: Shape, known: dict[str, Dimension], port: str, need: Needs) -> None:
    """Work out the one part of an axis that is not known yet."""
    for axis, size in zip(axes, shape, strict=True):
        unknown = [name for name in axis if name not in known]
        if len(unknown) != 1:
            continue
        others = product(axis, known)
        if not isinstance(others, int):
            continue
        known[unknown[0]] = (
            size
            if others == 1
            else need.multiple(
                size,
                others,
                port=port,
                found=f"a size of {size}",
                needed=f"`({' '.join(axis)})` makes it a multiple of {others}",
            )
        )


def check(axis: tuple[str, ...], size: Dimension, known: Mapping[str, Dimension], need: Needs, like: bool) -> None:
    """The parts must make up the axis; `like` says whether the block has a port that could tell them."""
    unknown = [name for name in axis if name not in known]
    if unknown:
        told = " or ".join(f"`{name}`" for name in unknown)
        needed = f"`({' '.join(axis)})` leaves open how it is split: give {told} in `sizes`"
        raise ShapeClash("x", f"a size of {size}", f"{needed}, or wire `like`" if like else needed)
    whole = product(axis, known)
    if size is not whole:
        text = f"`{axis[0]}`" if len(axis) == 1 else f"`({' '.join(axis)})`" if axis else "`1`"
        need.equal(size, whole, port="x", found=f"a size of {size}", needed=f"{text} is {whole} in the pattern")


def product(axis: tuple[str, ...], known: Mapping[str, Dimension]) -> Dimension:
    """The size of an axis laid together from parts."""
    whole: Dimension = 1
    for name in axis:
        whole = whole * known.get(name, 1)
    return whole


def counted(shape: Shape) -> str:
    """A shape with the number of its axes."""
    return f"{spell(shape)} ({len(shape)} axes)"
