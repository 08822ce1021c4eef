from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.spec import Block, Number, Port, Size


class AdaptiveInstanceNorm(Block, category="Normalization"):
    """Instance norm whose scale and shift of each channel are read off a style vector.

    scale, shift = W style + b; y = (x - mean) / √(variance + eps) · (1 + scale) + shift with mean and variance over one
    channel of one sample; (batch, num_features, height, width) and (batch, style_dim) → the shape of x. It stands
    behind each convolution of a StyleGAN generator, fed from the mapping network. b starts at zero.
    Karras et al. 2018, arXiv 1812.04948; Huang and Belongie 2017, arXiv 1703.06868.
    """

    synonyms = ("adain", "stylegan", "style transfer", "conditional instance norm", "modulation", "norm")
    equation = (
        r"y = (1 + s) \odot \frac{x - \mu}{\sqrt{\sigma^2 + \mathrm{eps}}} + t \\"
        r"[s, t] = W\,\mathrm{style} + b \\"
        r"\mu, \sigma^2 \;\text{over the positions of a channel}"
    )
    shown = ("num_features", "style_dim")
    inputs = {
        "x": Port("batch num_features height width", kind="image", dtype="float"),
        "style": Port("batch style_dim", kind="features", dtype="float", doc="one vector a sample"),
    }
    outputs = {"y": Port("batch num_features height width", kind="image")}

    def __init__(
        self,
        *,
        num_features: Annotated[int, Size("channels", from_wire=True)] = 64,
        style_dim: Annotated[int, Size("features of the style", from_wire=True)] = 512,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
    ) -> None:
        super().__init__()
        self.modulation = nn.Linear(style_dim, 2 * num_features)
        nn.init.zeros_(self.modulation.bias)
        self.eps = eps

    def forward(self, x: Tensor, style: Tensor) -> Tensor:
        scale, shift = self.modulation(style)[..., None, None].chunk(2, 1)
        return torch.group_norm(x, x.shape[1], eps=self.eps) * (1 + scale) + shift
