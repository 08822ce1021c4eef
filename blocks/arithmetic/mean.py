from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, reduced
from blocks.spec import Block, Flag, Port, Size


class Mean(Block, category="Arithmetic"):
    """Take the mean of the values along an axis, or of all of them.

    y = Σ x / n along `axis`; -1 is the last axis, 0 the first, and with `axis` left empty one number remains. `keep`
    leaves an axis of size 1 in its place, so that the result still stretches to x.
    A mean over positions makes one vector of a sequence.
    """

    title = "Mean"
    synonyms = ("average", "mean pooling", "reduce mean", "pool")
    equation = r"y = \frac{1}{n} \sum_{i=1}^{n} x_i"
    shown = ("axis",)
    inputs = {"x": "..."}
    outputs = {"y": Port("...")}

    def __init__(
        self,
        *,
        axis: Annotated[int | None, Size("axis that goes; -1 is the last, empty: all", low=-8, high=7)] = -1,
        keep: Annotated[bool, Flag("leave an axis of size 1 in its place")] = False,
    ) -> None:
        super().__init__()
        self.axis = axis
        self.keep = keep

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape without the axis."""
        return {"y": reduced(shapes["x"], params["axis"], params["keep"], port="x")}

    def forward(self, x: Tensor) -> Tensor:
        if self.axis is None and not self.keep:
            return x.mean()
        return x.mean(tuple(range(x.dim())) if self.axis is None else self.axis, keepdim=self.keep)
