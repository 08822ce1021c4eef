from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Port, Size


class Select(Block, category="Reshaping"):
    """Take one position of an axis; the axis goes.

    y = x[:, `index`] with `axis` 1: (batch, seq, dim) → (batch, dim). Index 0 takes the class token of BERT and ViT, -1
    the last token of a sequence.
    """

    synonyms = ("index", "pick", "first token", "last token", "class token", "pooler", "gather")
    equation = r"y = x_{:,\,\mathrm{index}}"
    shown = ("index", "axis")
    inputs = {"x": Port("...", dtype="any")}
    outputs = {"y": Port("...", keeps="x")}

    def __init__(
        self,
        *,
        index: Annotated[int, Size("position that is taken; -1 is the last", low=-(2**31))] = 0,
        axis: Annotated[int, Size("axis that goes; -1 is the last", low=-8, high=7)] = 1,
    ) -> None:
        super().__init__()
        self.index = index
        self.axis = axis

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, without the axis."""
        shape, index = shapes["x"], params["index"]
        at = axis_at(shape, params["axis"], port="x")
        low = index + 1 if index >= 0 else -index
        need.between(shape[at], low=low, port="x", because=f"`index` {index} is taken from it")
        return {"y": (*shape[:at], *shape[at + 1 :])}

    def forward(self, x: Tensor) -> Tensor:
        return x.select(self.axis, self.index)
