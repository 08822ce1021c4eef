from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.spec import Block, Number, Size


class RMSNorm(Block, category="Normalization"):
    """Bring the features of each position to length √dim, then scale them; LayerNorm without the mean.

    y = x / √(mean(x²) + eps) · weight over the last axis, (..., dim) → (..., dim). Zhang and Sennrich 2019,
    arXiv 1910.07467; the norm of Llama and most language models since.
    """

    title = "RMS norm"
    synonyms = ("root mean square", "rmsnorm", "normalise", "norm")
    equation = r"y = \gamma \odot \frac{x}{\sqrt{\frac{1}{d} \sum_i x_i^2 + \mathrm{eps}}}, \quad d = \mathrm{dim}"
    shown = ("dim",)
    inputs = {"x": "... dim"}
    outputs = {"y": "... dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features", from_wire=True)] = 256,
        eps: Annotated[float, Number("added to the mean square against division by zero", low=0.0)] = 1e-5,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.weight.shape, self.weight, self.eps)
