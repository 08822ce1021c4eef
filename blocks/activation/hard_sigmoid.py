from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block


class HardSigmoid(Block, category="Activation"):
    """Squeeze each value between 0 and 1 with straight lines: a sigmoid that needs no exponential.

    y = min(max(x + 3, 0), 6) / 6, value by value; any shape. For small devices and for gates that must close fully.
    Howard et al. 2019 (MobileNetV3), arXiv 1905.02244.
    """

    synonyms = ("piecewise sigmoid", "mobile", "gate")
    equation = r"y = \tfrac{1}{6} \min(\max(x + 3,\, 0),\, 6)"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return functional.hardsigmoid(x)
