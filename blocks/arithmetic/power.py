from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Params
from blocks.spec import Block, Number


class Power(Block, category="Arithmetic"):
    """Raise each value to a fixed power.

    y = x^`exponent`, value by value; any shape. 2 squares, -1 is the reciprocal. A fraction asks for values that are
    not below zero, a negative one for values that are not zero.
    """

    synonyms = ("square", "exponent", "reciprocal", "pow")
    equation = r"y = x^{\mathrm{exponent}}"
    shown = ("exponent",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(self, *, exponent: Annotated[float, Number("power", low=-64.0, high=64.0)] = 2.0) -> None:
        super().__init__()
        self.exponent = exponent

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """The first power."""
        return params["exponent"] == 1

    def forward(self, x: Tensor) -> Tensor:
        return x**self.exponent
