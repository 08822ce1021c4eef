from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

from torch import Tensor

from blocks.dimensions import Dimension
from blocks.functional import AxisOrder, read_sizes
from blocks.patterns import read_repetition, repeat
from blocks.regrouping import check, counted, fitted, learn, product, size_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Conflict, Port, Text


class Repeat(Block, category="Reshaping"):
    """Repeat values along axes that a pattern adds, such as "b s d -> b (s r) d" with `sizes` "r=2".

    The left side names the axes that come in; what stands only on the right is new, and the same values stand all along
    it. Sizes of new axes are given, or read off `like`, a tensor that has the axes of the right side: "1 1 d -> b 1 d"
    with tokens on `like` lays a learned token before every sample. This is the language of einops (Rogozhnikov 2022,
    openreview.net/forum?id=oapKSVM2bcj).
    """

    synonyms = ("einops", "tile", "expand", "broadcast", "copy", "upsample")
    equation = r"\text{b s d → b (s r) d:}\quad y_{b,\; r s + a,\; d} = x_{b,s,d}, \quad 0 \le a < r"
    shown = ("pattern", "sizes")
    inputs = {
        "x": Port("...", dtype="any"),
        "like": Port("...", dtype="any", optional=True, doc="a tensor with the axes of the right side"),
    }
    outputs = {"y": Port("...", keeps="x")}

    def __init__(
        self,
        *,
        pattern: Annotated[str, Text("axes before and after", r"[^\n]*", "one line")] = "b s d -> b (s r) d",
        sizes: Annotated[str, Text("sizes of new axes and parts, as r=2", r"[^\n]*", "one line")] = "r=2",
    ) -> None:
        super().__init__()
        self.order = read_repetition(pattern)
        self.sizes = read_sizes(sizes)

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The pattern must be one, and the sizes must belong to it."""
        try:
            order = _order(params["pattern"])
        except ValueError as error:
            yield Conflict("pattern", f"the pattern cannot be read: {error}", 'write it like "b s d -> b (s r) d"')
            return
        yield from size_conflicts(params, order)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes on the right side."""
        shape = shapes["x"]
        try:
            order, sizes = _order(params["pattern"]), read_sizes(params["sizes"])
        except ValueError as error:
            raise ShapeClash("x", spell(shape), f"the pattern cannot be read: {error}") from None
        before, after = fitted(order, shape, params["pattern"])
        known: dict[str, Dimension] = {**sizes}
        learn(before, shape, known, "x", need)
        for axis, size in zip(before, shape, strict=True):
            check(axis, size, known, need, like=False)
        if "like" in shapes:
            like = shapes["like"]
            if len(like) != len(after):
                right = params["pattern"].partition("->")[2].strip()
                raise ShapeClash("like", counted(like), f"the pattern gives `{right}`")
            known |= {
                axis[0]: size for axis, size in zip(after, like, strict=True) if len(axis) == 1 and axis[0] not in known
            }
        for name in (name for axis in after for name in axis):
            if name not in known:
                needed = f"the pattern adds `{name}`: give its size in `sizes`, or wire `like`"
                raise ShapeClash("x", spell(shape), needed)
        return {"y": tuple(product(axis, known) for axis in after)}

    def forward(self, x: Tensor, like: Tensor | None = None) -> Tensor:
        return repeat(x, self.order, self.sizes, like)


@lru_cache(1024)
def _order(pattern: str) -> AxisOrder:
    return read_repetition(pattern)
