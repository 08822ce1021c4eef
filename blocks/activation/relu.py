from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block


class ReLU(Block, category="Activation"):
    """Keep what is positive and set the rest to zero.

    y = max(x, 0), value by value; any shape. The plain choice of convolutional networks.
    """

    title = "ReLU"
    synonyms = ("rectifier", "rectified linear")
    equation = r"y = \max(0, x)"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x)
