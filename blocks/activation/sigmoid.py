from __future__ import annotations

from torch import Tensor

from blocks.spec import Block


class Sigmoid(Block, category="Activation"):
    """Squeeze each value between 0 and 1.

    y = 1 / (1 + e⁻ˣ), value by value; any shape. Turns a score into a yes-or-no probability, or gates a signal.
    """

    synonyms = ("logistic", "expit", "gate", "probability")
    equation = r"y = \sigma(x) = \frac{1}{1 + e^{-x}}"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return x.sigmoid()
