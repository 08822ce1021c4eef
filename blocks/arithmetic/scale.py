from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.shapes import Params
from blocks.spec import Block, Flag, Number


class Scale(Block, category="Arithmetic"):
    """Multiply every value by one factor, fixed or learned.

    y = `factor` · x; any shape. -1 changes the sign, 1/√dim tames scores, 0.18215 brings Stable Diffusion's latents to
    variance 1. `learned` makes the factor a weight that starts there: with 0 a branch starts silent (ReZero,
    Bachlechner et al. 2020, arXiv 2003.04887).
    """

    synonyms = ("times", "factor", "gain", "negative", "temperature", "rezero", "multiply")
    equation = r"y = \mathrm{factor} \cdot x"
    shown = ("factor", "learned")
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(
        self,
        *,
        factor: Annotated[float, Number("what every value is multiplied by")] = 1.0,
        learned: Annotated[bool, Flag("whether the factor is a weight that starts there")] = False,
    ) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(factor)) if learned else factor

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """A fixed factor of 1."""
        return params["factor"] == 1 and not params["learned"]

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor
