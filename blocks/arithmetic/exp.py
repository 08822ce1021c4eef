from __future__ import annotations

from torch import Tensor

from blocks.spec import Block


class Exp(Block, category="Arithmetic"):
    """Raise e to the power of each value.

    y = eˣ, value by value; any shape. Turns the logarithm of a spread or a rate back into it.
    """

    title = "Exponential"
    synonyms = ("exponential", "e^x", "log variance")
    equation = r"y = e^x"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return x.exp()
