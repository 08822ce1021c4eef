from __future__ import annotations

import math
from typing import Annotated

from torch import Tensor

from blocks.spec import Block, Choice, Port


class FlowLikelihood(Block, category="Losses"):
    """How unlikely a normalising flow finds its inputs: the negative logarithm of their probability.

    y = mean(½ Σ z² + d/2 · log 2π - log_determinant) over the batch, with z the flow's result of d numbers a sample,
    taken as standard normal, and the logarithm of the flow's Jacobian determinant; (batch, ...) and (batch) → one
    number. In bits per dimension it is divided by d · ln 2. Dinh et al. 2016 (RealNVP), arXiv 1605.08803.
    """

    title = "Flow likelihood"
    synonyms = ("negative log likelihood", "nll", "normalizing flow", "change of variables", "bits per dimension")
    equation = (
        r"\mathrm{loss} = \mathbb{E}\left[\tfrac{1}{2} \|z\|^2 + \tfrac{d}{2} \log 2\pi - \log |\det\,J|\right] \\"
        r"\text{bits per dimension:}\quad \mathrm{loss} / (d \ln 2)"
    )
    shown = ("unit",)
    inputs = {
        "z": "batch ...",
        "log_determinant": Port("batch", kind="number", dtype="float", doc="one number a sample"),
    }
    outputs = {"loss": Port("", kind="number")}

    def __init__(
        self, *, unit: Annotated[str, Choice("what it is counted in", ("nats", "bits per dimension"))] = "nats"
    ) -> None:
        super().__init__()
        self.unit = unit

    def forward(self, z: Tensor, log_determinant: Tensor) -> Tensor:
        z = z.reshape(z.shape[0], -1)
        size = z.shape[1]
        surprise = 0.5 * z.square().sum(1) + 0.5 * math.log(2 * math.pi) * size - log_determinant
        if self.unit == "nats":
            return surprise.mean()
        return surprise.mean() / (math.log(2) * size)
