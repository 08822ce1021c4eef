from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.conflicts import nearest_divisor
from blocks.shapes import Params
from blocks.spec import Block, Conflict, Number, Size


class GroupNorm(Block, category="Normalization"):
    """Bring each group of channels of a sample to mean 0 and variance 1, then scale and shift each channel.

    Mean and variance are taken over the channels of a group and all positions, (batch, num_channels, ...) → the same.
    One group is layer norm over the sample, as many groups as channels is instance norm. It works at batch size 1,
    hence its place in U-Nets. Wu and He 2018, arXiv 1803.08494.
    """

    synonyms = ("gn", "group normalization", "instance norm", "norm")
    equation = (
        r"y_c = \gamma_c\,\frac{x_c - \mu_g}{\sqrt{\sigma_g^2 + \mathrm{eps}}} + \beta_c \\"
        r"g = \lfloor c\;\mathrm{num\_groups} / \mathrm{num\_channels} \rfloor \\"
        r"\mu_g, \sigma_g^2 \;\text{over the group and positions}"
    )
    shown = ("num_groups", "num_channels")
    inputs = {"x": "batch num_channels ..."}
    outputs = {"y": "batch num_channels ..."}

    def __init__(
        self,
        *,
        num_groups: Annotated[int, Size("groups of channels")] = 32,
        num_channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(num_channels))
        self.bias = nn.Parameter(torch.zeros(num_channels))
        self.num_groups = num_groups
        self.eps = eps

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size."""
        groups, channels = params["num_groups"], params["num_channels"]
        if channels % groups:
            yield Conflict(
                "num_groups",
                f"{channels} channels do not fall into {groups} equal groups",
                "`num_groups` must divide `num_channels`",
                {"num_groups": nearest_divisor(channels, groups)},
            )

    def forward(self, x: Tensor) -> Tensor:
        return torch.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)
