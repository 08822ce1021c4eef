from __future__ import annotations

import math
from typing import Annotated

import torch
from torch import Tensor

from blocks.functional import wide
from blocks.spec import Block, Number, Size


class SinusoidalPosition(Block, category="Position"):
    """Add waves of many lengths, so that the model knows the order; nothing to learn, no longest sequence.

    y[p, 2i] = x[p, 2i] + sin(p / P^(2i/dim)), y[p, 2i+1] = x[p, 2i+1] + cos(p / P^(2i/dim)) with P = `max_period`;
    (batch, seq, dim) → (batch, seq, dim). Vaswani et al. 2017, arXiv 1706.03762.
    """

    synonyms = ("positional encoding", "sin cos position", "sine", "fourier", "absolute position")
    equation = (
        r"y_{p,2i} = x_{p,2i} + \sin(p\,P^{-2i/\mathrm{dim}}) \\"
        r"y_{p,2i+1} = x_{p,2i+1} + \cos(p\,P^{-2i/\mathrm{dim}}) \\"
        r"P = \mathrm{max\_period}"
    )
    shown = ("max_period",)
    inputs = {"x": "batch seq dim"}
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        max_period: Annotated[float, Number("longest wave, over 2π", low=1.0, unit="positions")] = 10000.0,
    ) -> None:
        super().__init__()
        self.max_period = max_period

    def forward(self, x: Tensor) -> Tensor:
        seq, dim = x.shape[-2:]
        every_other = torch.arange(0, dim, 2, device=x.device, dtype=wide(x))
        frequency = torch.exp(every_other * (-math.log(self.max_period) / dim))
        angle = torch.arange(seq, device=x.device, dtype=wide(x)).unsqueeze(-1) * frequency
        table = torch.stack((angle.sin(), angle.cos()), -1).flatten(-2)[:, :dim]
        return x + table.to(x.dtype)
