from __future__ import annotations

from torch import Tensor

from blocks.spec import Block, Port


class GlobalMaxPool(Block, category="Pooling"):
    """Reduce each channel of a picture to its largest value.

    (batch, channels, height, width) → (batch, channels), whatever the size of the picture: whether something is there
    at all, wherever it is. Oquab et al. 2015, CVPR.
    """

    title = "Global max pool"
    synonyms = ("gmp", "global max pooling", "GlobalMaxPooling2D", "adaptive max pooling", "maximum", "strongest")
    equation = r"y_c = \max_{i,j}\; x_{c,i,j}"
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels", kind="features")}

    def forward(self, x: Tensor) -> Tensor:
        return x.amax((-2, -1))
