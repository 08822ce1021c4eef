from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.spec import Block, Flag, Number, Size


class Linear(Block, category="Linear"):
    """Mix the features of each position with a learned matrix.

    y = x Wᵀ + b over the last axis, (..., in_features) → (..., out_features); every other axis is left alone. The
    weight has shape (out_features, in_features). It starts uniform within 1/√in_features as in PyTorch, or normal with
    zero biases when `init_std` is set. A language model's last layer is one whose weight is tied to the embedding's.
    """

    synonyms = ("dense", "fully connected", "projection", "affine", "fc", "lm head", "unembedding", "mlp")
    shown = ("in_features", "out_features")
    inputs = {"x": "... in_features"}
    outputs = {"y": "... out_features"}

    def __init__(
        self,
        *,
        in_features: Annotated[int, Size("features", from_wire=True)] = 256,
        out_features: Annotated[int, Size("features that come out")] = 256,
        bias: Annotated[bool, Flag("add a learned number to each output")] = True,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        if init_std is not None:
            nn.init.normal_(self.weight, std=init_std)
            return
        bound = in_features**-0.5
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)
