from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.spec import Block, Flag, Number, Size


class LayerNorm(Block, category="Normalization"):
    """Bring the features of each position to mean 0 and variance 1, then scale and shift them.

    y = (x - mean) / √(variance + eps) · weight + bias over the last axis, (..., dim) → (..., dim). It does not look at
    other positions or samples. Ba et al. 2016, arXiv 1607.06450.
    """

    synonyms = ("ln", "layer normalization", "normalise", "norm")
    equation = (
        r"y = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \mathrm{eps}}} + \beta \\"
        r"\mu = \frac{1}{d} \sum_i x_i, \quad \sigma^2 = \frac{1}{d} \sum_i (x_i - \mu)^2 \\"
        r"d = \mathrm{dim}"
    )
    shown = ("dim",)
    inputs = {"x": "... dim"}
    outputs = {"y": "... dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features", from_wire=True)] = 256,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
        bias: Annotated[bool, Flag("add a learned number to each feature")] = True,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim)) if bias else None
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
