from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block


class Mish(Block, category="Activation"):
    """Let positive values through and damp negative ones smoothly; close to SiLU, a little softer.

    y = x · tanh(log(1 + eˣ)), value by value; any shape. Seen in object detectors such as YOLOv4.
    Misra 2019, arXiv 1908.08681.
    """

    synonyms = ("smooth activation", "self-regularized")
    equation = r"y = x \tanh(\ln(1 + e^x))"
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def forward(self, x: Tensor) -> Tensor:
        return functional.mish(x)
