from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Choice


class GELU(Block, category="Activation"):
    """Let positive values through and damp negative ones smoothly, by the normal distribution.

    y = x · Φ(x), value by value; any shape. `tanh` is the approximation that GPT-2 was trained with:
    y = x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))). Hendrycks and Gimpel 2016, arXiv 1606.08415.
    """

    synonyms = ("gaussian error linear unit", "gelu_new", "gelu tanh")
    equation = (
        r"y = x\,\Phi(x) = \frac{x}{2}\left(1 + \mathrm{erf}\,\frac{x}{\sqrt{2}}\right) \\"
        r"\text{tanh:}\quad "
        r"y = \frac{x}{2}\left(1 + \tanh\!\left(\sqrt{\tfrac{2}{\pi}}\,(x + 0.044715\,x^3)\right)\right)"
    )
    shown = ("approximate",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(self, *, approximate: Annotated[str, Choice("how it is computed", ("none", "tanh"))] = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        return functional.gelu(x, approximate=self.approximate)
