from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.spec import Block, Flag, Number, Size


class InstanceNorm(Block, category="Normalization"):
    """Bring each channel of each sample to mean 0 and variance 1 over its positions, then scale and shift it.

    y = (x - mean) / √(variance + eps) · weight + bias with mean and variance over all positions of one channel;
    (batch, num_features, positions, ...) → the same. It wipes out contrast and brightness of a picture, which is why
    style transfer uses it. Ulyanov et al. 2016, arXiv 1607.08022.
    """

    synonyms = ("instance normalization", "style transfer", "contrast normalization", "norm")
    equation = (
        r"y_c = \gamma_c\,\frac{x_c - \mu_c}{\sqrt{\sigma_c^2 + \mathrm{eps}}} + \beta_c \\"
        r"\mu_c, \sigma_c^2 \;\text{over the positions of a channel}"
    )
    shown = ("num_features",)
    inputs = {"x": "batch num_features positions ..."}
    outputs = {"y": "batch num_features positions ..."}

    def __init__(
        self,
        *,
        num_features: Annotated[int, Size("channels", from_wire=True)] = 64,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
        affine: Annotated[bool, Flag("scale and shift each channel by learned numbers")] = True,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return torch.group_norm(x, x.shape[1], self.weight, self.bias, self.eps)
