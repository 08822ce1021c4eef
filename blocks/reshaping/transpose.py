from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Port, Size


class Transpose(Block, category="Reshaping"):
    """Swap two axes.

    (batch, seq, dim) → (batch, dim, seq) with -2 and -1: tokens become the channels-first series that Conv 1D takes.
    Rearrange reorders more than two.
    """

    synonyms = ("swap axes", "permute", "channels first", "channels last")
    equation = r"y_{\ldots,\,j,\,i} = x_{\ldots,\,i,\,j}"
    shown = ("first", "second")
    inputs = {"x": Port("...", dtype="any")}
    outputs = {"y": Port("...", keeps="x")}

    def __init__(
        self,
        *,
        first: Annotated[int, Size("one of the axes; -1 is the last", low=-8, high=7)] = -2,
        second: Annotated[int, Size("the other", low=-8, high=7)] = -1,
    ) -> None:
        super().__init__()
        self.first = first
        self.second = second

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """Both are one axis."""
        return params["first"] == params["second"]

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, with both sizes swapped."""
        sizes = list(shapes["x"])
        first, second = (axis_at(shapes["x"], params[name], port="x") for name in ("first", "second"))
        sizes[first], sizes[second] = sizes[second], sizes[first]
        return {"y": tuple(sizes)}

    def forward(self, x: Tensor) -> Tensor:
        return x.transpose(self.first, self.second)
