from __future__ import annotations

from torch import Tensor

from blocks.spec import Block


class Tanh(Block, category="Activation"):
    """Squeeze each value between -1 and 1.

    y = (eˣ - e⁻ˣ) / (eˣ + e⁻ˣ), value by value; any shape. The last layer of many picture generators.
    """

    synonyms = ("hyperbolic tangent", "squash")
    equation = r"y = \tanh(x) = \frac{e^x - e^{-x}}{e^x + e^{-x}}"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return x.tanh()
