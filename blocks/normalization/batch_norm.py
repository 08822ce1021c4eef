from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.spec import Block, Number, Ratio, Size


class BatchNorm(Block, category="Normalization"):
    """Bring each channel to mean 0 and variance 1 over the whole batch, then scale and shift it.

    (batch, num_features, ...) → the same, for any number of positions behind the channels. In training the batch's own
    mean and variance are used and followed by a running average; in evaluation the running average is used. Ioffe and
    Szegedy 2015, arXiv 1502.03167.
    """

    synonyms = ("bn", "batch normalization", "batchnorm1d", "batchnorm2d", "norm")
    equation = (
        r"y_c = \gamma_c\,\frac{x_c - \mu_c}{\sqrt{\sigma_c^2 + \mathrm{eps}}} + \beta_c \\"
        r"\mu_c, \sigma_c^2 \;\text{over batch and positions} \\"
        r"\bar{\mu} \leftarrow (1 - m)\,\bar{\mu} + m\,\mu, \quad m = \mathrm{momentum}"
    )
    shown = ("num_features",)
    inputs = {"x": "batch num_features ..."}
    outputs = {"y": "batch num_features ..."}

    def __init__(
        self,
        *,
        num_features: Annotated[int, Size("channels", from_wire=True)] = 64,
        eps: Annotated[float, Number("added to the variance against division by zero", low=1e-12)] = 1e-5,
        momentum: Annotated[float, Ratio("share of the newest batch in the running average")] = 0.1,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.running_mean: Tensor
        self.running_var: Tensor
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.eps = eps
        self.momentum = momentum

    def forward(self, x: Tensor) -> Tensor:
        return functional.batch_norm(
            x,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training,
            self.momentum,
            self.eps,
        )
