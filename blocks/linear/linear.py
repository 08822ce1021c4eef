from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.spec import Block, Flag, Size


class Linear(Block, category="Linear"):
    """Mix the features of each position with a learned matrix.

    y = x Wᵀ + b over the last axis, (..., in_features) → (..., out_features); every other axis is left alone. The weight
    has shape (out_features, in_features).
    """

    synonyms = ("dense", "fully connected", "projection", "affine", "fc")
    shown = ("in_features", "out_features")
    inputs = {"x": "... in_features"}
    outputs = {"y": "... out_features"}

    def __init__(
        self,
        *,
        in_features: Annotated[int, Size("features", from_wire=True)] = 256,
        out_features: Annotated[int, Size("features that come out")] = 256,
        bias: Annotated[bool, Flag("add a learned number to each output")] = True,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features)) if bias else None
        bound = in_features**-0.5
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)
