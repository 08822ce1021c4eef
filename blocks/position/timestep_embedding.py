from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor

from blocks.functional import wide
from blocks.shapes import Params
from blocks.spec import Block, Conflict, Number, Port, Size


class TimestepEmbedding(Block, category="Position"):
    """Turn the time step of a diffusion model into waves of many lengths.

    y = [cos(t f₀) … cos(t fₙ₋₁), sin(t f₀) … sin(t fₙ₋₁)] with n = dim/2 and fᵢ = P^(-i/n), P = `max_period`;
    (batch) → (batch, dim). Usually two linear layers follow. Ho et al. 2020, arXiv 2006.11239, in the order of
    Dhariwal and Nichol 2021, arXiv 2105.05233.
    """

    title = "Timestep embedding"
    synonyms = ("time embedding", "timestep embedding", "diffusion time", "noise level", "sinusoidal", "ddpm")
    equation = (
        r"y_i = \cos(t\,f_i), \quad y_{n+i} = \sin(t\,f_i) \\"
        r"f_i = \mathrm{max\_period}^{-i/n}, \quad 0 \le i < n = \mathrm{dim} / 2"
    )
    shown = ("dim",)
    inputs = {"t": Port("batch", kind="number", dtype="float")}
    outputs = {"y": Port("batch dim", kind="features", dtype="float")}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features that come out", low=2)] = 128,
        max_period: Annotated[float, Number("longest wave, over 2π", low=1.0, unit="steps")] = 10000.0,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.max_period = max_period

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Half of the features are sines and half are cosines."""
        dim = params["dim"]
        if dim % 2:
            yield Conflict(
                "dim",
                f"{dim} features do not fall into two halves",
                "half are sines and half cosines: `dim` must be even",
                {"dim": dim + 1},
            )

    def forward(self, t: Tensor) -> Tensor:
        half = self.dim // 2
        step = torch.arange(half, device=t.device, dtype=wide(t))
        frequency = torch.exp(step * (-math.log(self.max_period) / half))
        angle = t.to(wide(t)).unsqueeze(-1) * frequency
        return torch.cat((angle.cos(), angle.sin()), -1).to(t.dtype)
