from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block


class HardSwish(Block, category="Activation"):
    """Let positive values through and damp negative ones with straight lines: a SiLU that needs no exponential.

    y = x · min(max(x + 3, 0), 6) / 6, value by value; any shape. For small devices.
    Howard et al. 2019 (MobileNetV3), arXiv 1905.02244.
    """

    synonyms = ("hardswish", "hard silu", "mobile")
    equation = r"y = \tfrac{x}{6} \min(\max(x + 3,\, 0),\, 6)"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return functional.hardswish(x)
