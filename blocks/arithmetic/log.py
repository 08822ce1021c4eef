from __future__ import annotations

from torch import Tensor

from blocks.spec import Block


class Log(Block, category="Arithmetic"):
    """Take the natural logarithm of each value.

    y = ln x, value by value; any shape. x must be above zero: 0 gives -infinity, less gives no number. Keep it away
    from there with Clamp.
    """

    title = "Logarithm"
    synonyms = ("logarithm", "ln")
    equation = r"y = \ln x"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return x.log()
