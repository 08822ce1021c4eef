from __future__ import annotations

from torch import Tensor

from blocks.spec import Block


class Abs(Block, category="Arithmetic"):
    """Drop the sign of each value.

    y = |x|, value by value; any shape. With Subtract before and Mean behind it is the mean absolute error.
    """

    title = "Absolute value"
    synonyms = ("absolute value", "magnitude", "modulus")
    equation = r"y = |x|"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return x.abs()
