from __future__ import annotations

import math
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.spec import Block, Choice, Port, Size


class ActNorm(Block, category="Flow"):
    """Shift and scale each channel by learned numbers that start from the first batch.

    y = exp(s) ⊙ (x + b), with one s and one b for each channel, and log |det| = positions · Σ s; (batch, channels, ...)
    → the same, for any number of positions behind the channels. The first batch in training sets b and s so that every
    channel leaves with mean 0 and variance 1; from then on they are learned like any weight, so unlike batch
    normalization a sample never depends on its neighbours and the step can be undone.

    `direction` inverse goes from y to x; a node whose parameters are tied to a forward one undoes it. Kingma and
    Dhariwal 2018 (Glow), arXiv 1807.03039.
    """

    title = "ActNorm"
    synonyms = ("activation normalization", "glow", "normalizing flow", "data-dependent initialization", "norm")
    equation = (
        r"y = e^s \odot (x + b) \\"
        r"\log |\det\,J| = \text{positions} \cdot \sum_c s_c"
    )
    shown = ("channels", "direction")
    inputs = {"x": Port("batch channels ...", dtype="float")}
    outputs = {
        "y": Port("batch channels ..."),
        "log_det": Port("batch", kind="number", doc="log |det ∂y/∂x| of each sample"),
    }

    def __init__(
        self,
        *,
        channels: Annotated[int, Size("channels", from_wire=True)] = 12,
        direction: Annotated[str, Choice("which way values go", ("forward", "inverse"))] = "forward",
    ) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(channels))
        self.log_scale = nn.Parameter(torch.zeros(channels))
        self.started: Tensor
        self.register_buffer("started", torch.zeros((), dtype=torch.bool))
        self.inverse = direction == "inverse"

    def start(self, x: Tensor) -> None:
        """Let the first batch choose; later ones change nothing."""
        with torch.no_grad():
            values = x.transpose(0, 1).flatten(1)
            spread = values.var(1, correction=0).add(1e-6).sqrt()
            self.bias.copy_(torch.where(self.started, self.bias, -values.mean(1)))
            self.log_scale.copy_(torch.where(self.started, self.log_scale, -spread.log()))
            self.started.fill_(True)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        if not self.inverse and self.training:
            self.start(x)
        shape = (-1,) + (1,) * (x.dim() - 2)
        bias, log_scale = self.bias.view(shape), self.log_scale.view(shape)
        log_det = (math.prod(x.shape[2:]) * self.log_scale.sum()).repeat(x.shape[0])
        if self.inverse:
            return x * (-log_scale).exp() - bias, -log_det
        return (x + bias) * log_scale.exp(), log_det
