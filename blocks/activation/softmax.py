from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Size


class Softmax(Block, category="Activation"):
    """Turn scores into shares that add up to 1 along an axis.

    y = eˣ / Σ eˣ along `axis`; any shape. -1 is the last axis, 0 the first. Losses such as cross-entropy take the
    scores themselves: use it on what people read, not on what is trained.
    """

    synonyms = ("probabilities", "normalised exponential", "distribution")
    equation = r"y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}"
    shown = ("axis",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(
        self, *, axis: Annotated[int, Size("axis that adds up to 1; -1 is the last", low=-8, high=7)] = -1
    ) -> None:
        super().__init__()
        self.axis = axis

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, which must have the axis."""
        axis_at(shapes["x"], params["axis"], port="x")
        return {"y": shapes["x"]}

    def forward(self, x: Tensor) -> Tensor:
        return x.softmax(self.axis)
