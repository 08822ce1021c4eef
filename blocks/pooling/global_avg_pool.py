from __future__ import annotations

from torch import Tensor

from blocks.spec import Block, Port


class GlobalAvgPool(Block, category="Pooling"):
    """Reduce each channel of a picture to its mean.

    (batch, channels, height, width) → (batch, channels), whatever the size of the picture. It stands before the last
    linear layer of a classifier. Lin et al. 2013, arXiv 1312.4400.
    """

    title = "Global average pool"
    synonyms = ("gap", "GlobalAveragePooling2D", "adaptive average pooling", "mean", "squeeze")
    equation = r"y_c = \frac{1}{H W} \sum_{i,j} x_{c,i,j}"
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels", kind="features")}

    def forward(self, x: Tensor) -> Tensor:
        return x.mean((-2, -1))
