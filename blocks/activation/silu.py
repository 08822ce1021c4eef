from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block


class SiLU(Block, category="Activation"):
    """Let positive values through and damp negative ones smoothly; also called swish.

    y = x · sigmoid(x), value by value; any shape. Usual in diffusion U-Nets and, gated, in Llama.
    Elfwing et al. 2017, arXiv 1702.03118.
    """

    title = "SiLU"
    synonyms = ("swish", "sigmoid linear unit")
    equation = r"y = x\,\sigma(x) = \frac{x}{1 + e^{-x}}"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return functional.silu(x)
