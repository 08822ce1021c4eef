from __future__ import annotations

import math
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.functional import wide
from blocks.spec import Block, Choice, Port, Size


class InvertibleConv1x1(Block, category="Flow"):
    """Mix the channels of each position with a learned matrix that can be undone: a permutation that is learned.

    y = W x with W = P L (U + diag(s)): a fixed permutation P, L with ones on its diagonal and zeros above it, U zero on
    and below it; log |det| = positions · Σ log |s|, without a determinant to compute. (batch, channels, ...) → the
    same, for any number of positions behind the channels. W starts as a random rotation. `factors` holds L below its
    diagonal, log |s| on it and U above it. Between couplings it lets every channel meet every other.

    `direction` inverse solves for x; a node whose parameters are tied to a forward one undoes it. Kingma and Dhariwal
    2018 (Glow), arXiv 1807.03039.
    """

    title = "Invertible 1×1 convolution"
    synonyms = (
        "glow",
        "1x1 invertible",
        "normalizing flow",
        "lu",
        "permutation",
        "channel mixing",
        "conv1x1",
        "shuffle",
        "reverse",
    )
    equation = (
        r"y = W x, \quad W = P L\,(U + \mathrm{diag}(s)) \\"
        r"\log |\det\,J| = \text{positions} \cdot \sum_c \log |s_c|"
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
        self.factors = nn.Parameter(torch.empty(channels, channels))
        self.permutation: Tensor
        self.negative: Tensor
        self.register_buffer("permutation", torch.empty(channels, dtype=torch.int64))
        self.register_buffer("negative", torch.empty(channels, dtype=torch.bool))
        if not self.factors.is_meta:  # where only shapes are asked for, numbers mean nothing
            self._start()
        self.inverse = direction == "inverse"

    @torch.no_grad()
    def _start(self) -> None:
        rotation = nn.init.orthogonal_(torch.empty_like(self.factors))
        permutation, lower, upper = torch.linalg.lu(rotation)
        diagonal = upper.diagonal()
        self.factors.copy_(lower.tril(-1) + diagonal.abs().log().diag() + upper.triu(1))
        self.permutation.copy_(permutation.argmax(1))
        self.negative.copy_(diagonal < 0)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        factors = self.factors.to(wide(x))
        one = torch.eye(factors.shape[0], dtype=factors.dtype, device=x.device)
        size = factors.diagonal().exp()
        lower = factors.tril(-1) + one
        upper = factors.triu(1) + torch.where(self.negative, -size, size).diag()
        log_det = (math.prod(x.shape[2:]) * factors.diagonal().sum()).to(x.dtype).repeat(x.shape[0])
        if self.inverse:
            back = torch.linalg.solve_triangular(lower, one[self.permutation.argsort()], upper=False)
            matrix = torch.linalg.solve_triangular(upper, back, upper=True)
            log_det = -log_det
        else:
            matrix = (lower @ upper)[self.permutation]
        return torch.einsum("oi,bi...->bo...", matrix.to(x.dtype), x), log_det
