from __future__ import annotations

import math
from typing import Annotated

import torch
from torch import Tensor

from blocks.functional import wide
from blocks.spec import Block, Choice, Port, Ratio, Size


class NoiseSchedule(Block, category="Diffusion and image"):
    """How much of the picture is left at a time step, and how much noise there is.

    With ᾱ(t) = Π (1 - β) over the steps up to t: signal = √ᾱ(t) and spread = √(1 - ᾱ(t)); (batch) → both (batch). β
    goes in equal steps from `beta_start` to `beta_end` (`linear`; Ho et al. 2020, arXiv 2006.11239), or its root does
    (`scaled_linear`; Stable Diffusion from 0.00085 to 0.012); `cosine` lets ᾱ follow a squared cosine (Nichol and
    Dhariwal 2021, arXiv 2102.09672). `flow` is a straight line instead: spread = t / steps, signal = 1 - spread (Liu et
    al. 2022, arXiv 2209.03003). Between two steps the logarithm of ᾱ is read off the line between them. Wire both to
    Add noise.
    """

    synonyms = (
        "ddpm",
        "diffusion schedule",
        "diffusion",
        "beta schedule",
        "alpha bar",
        "cosine schedule",
        "rectified flow",
        "signal to noise",
    )
    equation = (
        r"\mathrm{signal} = \sqrt{\bar{\alpha}_t}, \quad \mathrm{spread} = \sqrt{1 - \bar{\alpha}_t} \\"
        r"\bar{\alpha}_t = \prod_{s=0}^{t} (1 - \beta_s) \\"
        r"\text{linear:}\quad "
        r"\beta_s = \mathrm{beta\_start} "
        r"+ \tfrac{s\,(\mathrm{beta\_end} - \mathrm{beta\_start})}{\mathrm{steps} - 1} \\"
        r"\text{flow:}\quad \mathrm{spread} = t / \mathrm{steps}, \quad \mathrm{signal} = 1 - \mathrm{spread}"
    )
    shown = ("schedule", "steps")
    inputs = {"t": Port("batch", kind="number", dtype="float", below="steps", doc="the time step, from 0")}
    outputs = {
        "signal": Port("batch", kind="number", doc="factor of the picture"),
        "spread": Port("batch", kind="number", doc="factor of the noise"),
    }

    def __init__(
        self,
        *,
        schedule: Annotated[
            str, Choice("how noise grows with time", ("linear", "scaled_linear", "cosine", "flow"))
        ] = "linear",
        steps: Annotated[int, Size("time steps", low=2)] = 1000,
        beta_start: Annotated[float, Ratio("share of the variance that is noise in the first step")] = 1e-4,
        beta_end: Annotated[float, Ratio("share of the variance that is noise in the last step")] = 0.02,
    ) -> None:
        super().__init__()
        self.schedule = schedule
        self.steps = steps
        self.beta_start = beta_start
        self.beta_end = beta_end

    def log_kept(self, like: Tensor) -> Tensor:
        """The logarithm of ᾱ after each step, (steps)."""
        step = torch.arange(self.steps, device=like.device, dtype=wide(like))
        if self.schedule == "cosine":
            turned = torch.cos((torch.stack((step, step + 1)) / self.steps + 0.008) / 1.008 * (math.pi / 2)).square()
            beta = (1 - turned[1] / turned[0]).clamp_max(0.999)
        elif self.schedule == "scaled_linear":
            first, last = self.beta_start**0.5, self.beta_end**0.5
            beta = (first + step * ((last - first) / (self.steps - 1))).square()
        else:
            beta = self.beta_start + step * ((self.beta_end - self.beta_start) / (self.steps - 1))
        return torch.log1p(-beta).cumsum(0)

    def forward(self, t: Tensor) -> tuple[Tensor, Tensor]:
        if self.schedule == "flow":
            spread = (t / self.steps).clamp(0, 1)
            return 1 - spread, spread
        log_kept = self.log_kept(t)
        place = t.to(wide(t)).clamp(0, self.steps - 1)
        before = place.long()
        after = (before + 1).clamp_max(self.steps - 1)
        found = log_kept[before] + (place - before) * (log_kept[after] - log_kept[before])
        return (found / 2).exp().to(t.dtype), (-torch.expm1(found)).sqrt().to(t.dtype)
