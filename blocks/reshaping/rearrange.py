from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

from torch import Tensor

from blocks.dimensions import Dimension
from blocks.functional import AxisOrder, read_axis_order, read_sizes, rearrange
from blocks.regrouping import check, counted, fitted, learn, product, size_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Conflict, Port, Text


class Rearrange(Block, category="Reshaping"):
    """Split, reorder and merge axes by a pattern such as "b c h w -> b (h w) c".

    The left side names the axes that come in, the right side those that go out; parentheses hold axes laid into one,
    the last running fastest. 1 is an axis of size 1, ... any axes. An axis that is split needs the sizes of all parts
    but one: "b (h p) -> b h p" with `sizes` "p=16". This is the language of einops (Rogozhnikov 2022,
    openreview.net/forum?id=oapKSVM2bcj).

    `like` is for the way back: sizes that x cannot tell are read off a tensor that has the axes of the right side, as
    "b (h w) c -> b c h w" with the picture that the sequence was made of.
    """

    synonyms = ("einops", "permute", "reshape", "transpose", "view", "split heads", "patchify", "unflatten")
    equation = r"\text{b c h w → b (h w) c:}\quad y_{b,\; W h + w,\; c} = x_{b,c,h,w}"
    shown = ("pattern", "sizes")
    inputs = {
        "x": Port("...", dtype="any"),
        "like": Port("...", dtype="any", optional=True, doc="a tensor with the axes of the right side"),
    }
    outputs = {"y": Port("...", keeps="x")}

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
            outputs["y"] = Port("...", kind="features", keeps="x")
        elif (len(before), len(after)) == (3, 4) and len(before[1]) > 1:
            outputs["y"] = Port("...", kind="image", keeps="x")
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
            order = _order(params["pattern"])
        except ValueError as error:
            yield Conflict("pattern", f"the pattern cannot be read: {error}", 'write it like "b c h w -> b (h w) c"')
            return
        yield from size_conflicts(params, order[:1])

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes of the parts, multiplied as the right side lays them."""
        shape = shapes["x"]
        try:
            order, sizes = _order(params["pattern"]), read_sizes(params["sizes"])
        except ValueError as error:
            raise ShapeClash("x", spell(shape), f"the pattern cannot be read: {error}") from None
        before, after = fitted(order, shape, params["pattern"])
        known: dict[str, Dimension] = {**sizes}
        learn(before, shape, known, "x", need)
        if "like" in shapes:
            like = shapes["like"]
            if len(like) != len(after):
                raise ShapeClash(
                    "like", counted(like), f"the pattern gives `{params['pattern'].partition('->')[2].strip()}`"
                )
            learn(after, like, known, "like", need)
            learn(before, shape, known, "x", need)
        for axis, size in zip(before, shape, strict=True):
            check(axis, size, known, need, like=True)
        return {"y": tuple(product(axis, known) for axis in after)}

    def forward(self, x: Tensor, like: Tensor | None = None) -> Tensor:
        return rearrange(x, self.order, self.sizes, like)


@lru_cache(1024)
def _order(pattern: str) -> AxisOrder:
    return read_axis_order(pattern)
