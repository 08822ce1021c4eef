from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Number


class LeakyReLU(Block, category="Activation"):
    """Keep what is positive and let a small share of the rest through.

    y = x where x > 0, else `slope` · x, value by value; any shape. No value is ever wholly cut off from learning: the
    usual choice in the discriminators of GANs, there with a slope of 0.2. Maas et al. 2013, ICML workshop.
    """

    title = "Leaky ReLU"
    synonyms = ("prelu", "lrelu", "leaky rectifier", "discriminator")
    equation = r"y = \max(0, x) + \mathrm{slope} \cdot \min(0, x)"
    shown = ("slope",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(
        self, *, slope: Annotated[float, Number("share of negative values let through", low=0.0)] = 0.01
    ) -> None:
        super().__init__()
        self.slope = slope

    def forward(self, x: Tensor) -> Tensor:
        return functional.leaky_relu(x, self.slope)
