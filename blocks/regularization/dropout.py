from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Params
from blocks.spec import Block, Port, Ratio


class Dropout(Block, category="Regularization"):
    """In training, set a random share of the values to zero and scale up the rest; otherwise do nothing.

    y = x · m / (1 - p) with m one with probability 1 - p and else zero, value by value; any shape. In evaluation and in
    exported models y = x. Srivastava et al. 2014, JMLR 15.
    """

    synonyms = ("regularize", "noise", "drop")
    equation = (
        r"y = \frac{m \odot x}{1 - p}, \quad m_i \sim \mathrm{Bernoulli}(1 - p) \\"
        r"\text{evaluation:}\quad y = x"
    )
    shown = ("p",)
    inputs = {"x": Port("...", dtype="float")}
    outputs = {"y": Port("...")}

    def __init__(self, *, p: Annotated[float, Ratio("share of values set to zero in training")] = 0.1) -> None:
        super().__init__()
        self.p = p

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It drops nothing at 0."""
        return params["p"] == 0

    def forward(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.p, self.training)
