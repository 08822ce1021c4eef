from __future__ import annotations

from torch import Tensor

from blocks.spec import Block


class Sqrt(Block, category="Arithmetic"):
    """Take the square root of each value.

    y = √x, value by value; any shape. x must not be below zero, and its slope at 0 is infinite: keep it away from there
    with Clamp.
    """

    title = "Square root"
    synonyms = ("square root", "root", "standard deviation")
    equation = r"y = \sqrt{x}"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return x.sqrt()
