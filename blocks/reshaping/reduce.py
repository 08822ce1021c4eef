from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated

from torch import Tensor

from blocks.dimensions import Dimension
from blocks.functional import AxisOrder, read_sizes
from blocks.patterns import read_reduction, reduce
from blocks.regrouping import check, fitted, learn, product, size_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Choice, Conflict, Port, Text


class Reduce(Block, category="Reshaping"):
    """Take values together along the axes that a pattern leaves out, such as "b c (h p) (w q) -> b c h w".

    The left side names the axes that come in, the right side those that stay; what stands only on the left goes, by its
    mean, sum, max or min. The example with `sizes` "p=2, q=2" is pooling; "b s d -> b d" is the mean over positions.
    This is the language of einops (Rogozhnikov 2022, openreview.net/forum?id=oapKSVM2bcj).
    """

    synonyms = ("einops", "pool", "mean", "sum", "max", "aggregate")
    equation = r"\text{b s d → b d, mean:}\quad y_{b,d} = \frac{1}{n} \sum_{s=1}^{n} x_{b,s,d}"
    shown = ("pattern", "operation", "sizes")
    inputs = {"x": "..."}
    outputs = {"y": Port("...")}

    def __init__(
        self,
        *,
        pattern: Annotated[str, Text("axes before and after", r"[^\n]*", "one line")] = "b s d -> b d",
        operation: Annotated[str, Choice("what becomes of the values", ("mean", "sum", "max", "min"))] = "mean",
        sizes: Annotated[str, Text("sizes of parts, as p=2, q=2", r"[^\n]*", "one line")] = "",
    ) -> None:
        super().__init__()
        self.order = read_reduction(pattern)
        self.sizes = read_sizes(sizes)
        self.operation = operation

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The pattern must be one, and the sizes must belong to it."""
        try:
            order = _order(params["pattern"])
        except ValueError as error:
            yield Conflict("pattern", f"the pattern cannot be read: {error}", 'write it like "b s d -> b d"')
            return
        yield from size_conflicts(params, order[:1])

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes that stay."""
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
        return {"y": tuple(product(axis, known) for axis in after)}

    def forward(self, x: Tensor) -> Tensor:
        return reduce(x, self.order, self.sizes, self.operation)


@lru_cache(1024)
def _order(pattern: str) -> AxisOrder:
    return read_reduction(pattern)
