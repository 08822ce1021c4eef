from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Number


class Softplus(Block, category="Activation"):
    """Make every value positive: a ReLU whose corner is rounded.

    y = log(1 + e^(`beta` · x)) / `beta`, value by value; any shape. A larger `beta` makes the corner sharper. Use it
    where a result must be above zero, such as a spread or a rate. Dugas et al. 2000, NIPS.
    """

    synonyms = ("smooth relu", "positive", "log exp")
    equation = r"y = \tfrac{1}{\mathrm{beta}} \ln(1 + e^{\mathrm{beta} \cdot x})"
    shown = ("beta",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(self, *, beta: Annotated[float, Number("sharpness of the corner", low=1e-3)] = 1.0) -> None:
        super().__init__()
        self.beta = beta

    def forward(self, x: Tensor) -> Tensor:
        return functional.softplus(x, self.beta)
