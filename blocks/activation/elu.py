from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Number


class ELU(Block, category="Activation"):
    """Keep what is positive and let the rest approach a floor along an exponential.

    y = x where x > 0, else `alpha` · (eˣ - 1), value by value; any shape. Its mean is nearer to zero than ReLU's, and
    the floor -`alpha` keeps large negative values quiet. Clevert et al. 2015, arXiv 1511.07289.
    """

    synonyms = ("exponential linear unit",)
    equation = r"y = \max(0, x) + \mathrm{alpha}\,(e^{\min(0, x)} - 1)"
    shown = ("alpha",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(self, *, alpha: Annotated[float, Number("depth of the floor", low=0.0)] = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, x: Tensor) -> Tensor:
        return functional.elu(x, self.alpha)
