from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.filters import reparametrize, start_within
from blocks.spec import Block, Choice, Flag, Number, Size


class Linear(Block, category="Linear"):
    """Mix the features of each position with a learned matrix.

    y = x Wᵀ + b over the last axis, (..., in_features) → (..., out_features); every other axis is left alone. The
    weight has shape (out_features, in_features). It starts uniform within 1/√in_features as in PyTorch, or normal with
    zero biases when `init_std` is set. A language model's last layer is one whose weight is tied to the embedding's.

    `reparametrization` computes W anew at each use. `spectral` divides it by its largest singular value, so that no
    change of x grows: discriminators of GANs (Miyato et al. 2018, arXiv 1802.05957). `weight` learns a length and a
    direction for each row, W = g · V / |V| (Salimans and Kingma 2016, arXiv 1602.07868).
    """

    synonyms = (
        "dense",
        "fully connected",
        "fc",
        "perceptron",
        "projection",
        "affine",
        "lm head",
        "unembedding",
        "mlp",
        "spectral norm",
        "weight norm",
    )
    equation = (
        r"y = x\,W^{\top} + b \\"
        r"W \in \mathbb{R}^{\mathrm{out\_features} \times \mathrm{in\_features}}"
    )
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
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        if init_std is None:
            start_within(in_features**-0.5, self.weight, self.bias)
        else:
            nn.init.normal_(self.weight, std=init_std)
        reparametrize(self, reparametrization)

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight, self.bias)
