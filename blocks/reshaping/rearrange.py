from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated

from torch import Tensor

from blocks.dimensions import Dimension
from blocks.functional import AxisOrder, read_axis_order, read_sizes, rearrange, write_out
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Conflict, Port, Text

Axes = tuple[tuple[str, ...], ...]


class Rearrange(Block, category="Reshaping"):
    """Split, reorder and merge axes by a pattern such as "b c h w -> b (h w) c".

    The left side names the axes that come in, the right side those that go out; parentheses hold axes laid into one,
    the last running fastest. 1 is an axis of size 1, ... any axes. An axis that is split needs the sizes of all parts
    but one: "b (h p) -> b h p" with `sizes` "p=16". This is the language of einops (Rogozhnikov 2022,
    openreview.net/forum?id=oapKSVM2bcj).

    `like` is for the way back: sizes that x cannot tell are read off a tensor that has the axes of the right side, as
    "b (h w) c -> b c h w" with the picture that the sequence was made of.
    """

    synonyms = ("einops", "reshape", "permute", "transpose", "view", "split heads", "patchify", "unflatten")
    shown = ("pattern", "sizes")
    inputs = {
        "x": Port("...", dtype="any"),
        "like": Port("...", dtype="any", optional=True, doc="a tensor with the axes of the right side"),
    }
    outputs = {"y": Port("...")}

    def __init__(
        self,
        *,
        pattern: Annotated[str, Text("axes before and after", r"[^\n]*", "one line")] = "b c h w -> b (h w) c",
        sizes: Annotated[str, Text("sizes of parts, as heads=12, p=16", r"[^\n]*", "one line")] = "",
    ) -> None:
        super().__init__()
        self.order = read_axis_order(pattern)
        self.sizes = read_sizes(sizes)

    @classmethod
    def ports(cls, params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
        """A picture laid into a row is a sequence of features, and a row split in two is a picture."""
        inputs, outputs = super().ports(params)
        try:
            before, after = _order(params["pattern"])
        except ValueError:
            return inputs, outputs
        if (len(before), len(after)) == (4, 3):
            outputs["y"] = Port("...", kind="features")
        elif (len(before), len(after)) == (3, 4) and len(before[1]) > 1:
            outputs["y"] = Port("...", kind="image")
        return inputs, outputs

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It has the same axes on both sides."""
        before, after = _order(params["pattern"])
        return before == after

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The pattern must be one, and the sizes must belong to it."""
        try:
            before, _ = _order(params["pattern"])
        except ValueError as error:
            yield Conflict("pattern", f"the pattern cannot be read: {error}", 'write it like "b c h w -> b (h w) c"')
            return
        try:
            sizes = read_sizes(params["sizes"])
        except ValueError as error:
            yield Conflict("sizes", f"the sizes cannot be read: {error}", 'write them like "heads=12, p=16"')
            return
        names = {name for axis in before for name in axis}
        for name in sizes:
            if name not in names:
                yield Conflict("sizes", f"a size of `{name}`, which the pattern does not have", "leave it out")

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes of the parts, multiplied as the right side lays them."""
        shape = shapes["x"]
        try:
            order, sizes = _order(params["pattern"]), read_sizes(params["sizes"])
        except ValueError as error:
            raise ShapeClash("x", spell(shape), f"the pattern cannot be read: {error}") from None
        left, _, right = (part.strip() for part in params["pattern"].partition("->"))
        free = ("...",) in order.before
        if len(shape) < len(order.before) - free or (not free and len(shape) > len(order.before)):
            raise ShapeClash("x", _counted(shape), f"the pattern takes `{left}`")
        before, after = write_out(order, len(shape))
        known: dict[str, Dimension] = {**sizes}
        _learn(before, shape, known, "x", need)
        if "like" in shapes:
            like = shapes["like"]
            if len(like) != len(after):
                raise ShapeClash("like", _counted(like), f"the pattern gives `{right}`")
            _learn(after, like, known, "like", need)
            _learn(before, shape, known, "x", need)
        for axis, size in zip(before, shape, strict=True):
            _check(axis, size, known, need)
        return {"y": tuple(_product(axis, known) for axis in after)}

    def forward(self, x: Tensor, like: Tensor | None = None) -> Tensor:
        return rearrange(x, self.order, self.sizes, like)


@lru_cache(1024)
def _order(pattern: str) -> AxisOrder:
    return read_axis_order(pattern)


def _learn(axes: Axes, shape: Shape, known: dict[str, Dimension], port: str, need: Needs) -> None:
    """Work out the one part of an axis that is not known yet."""
    for axis, size in zip(axes, shape, strict=True):
        unknown = [name for name in axis if name not in known]
        if len(unknown) != 1:
            continue
        others = _product(axis, known)
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


def _check(axis: tuple[str, ...], size: Dimension, known: Mapping[str, Dimension], need: Needs) -> None:
    """The parts must make up the axis."""
    unknown = [name for name in axis if name not in known]
    if unknown:
        told = " or ".join(f"`{name}`" for name in unknown)
        needed = f"`({' '.join(axis)})` leaves open how it is split: give {told} in `sizes`, or wire `like`"
        raise ShapeClash("x", f"a size of {size}", needed)
    whole = _product(axis, known)
    if size is not whole:
        text = f"`{axis[0]}`" if len(axis) == 1 else f"`({' '.join(axis)})`" if axis else "`1`"
        need.equal(size, whole, port="x", found=f"a size of {size}", needed=f"{text} is {whole} in the pattern")


def _product(axis: tuple[str, ...], known: Mapping[str, Dimension]) -> Dimension:
    product: Dimension = 1
    for name in axis:
        product = product * known.get(name, 1)
    return product


def _counted(shape: Shape) -> str:
    return f"{spell(shape)} ({len(shape)} axes)"
