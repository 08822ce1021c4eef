from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.conflicts import order_conflicts
from blocks.shapes import Params
from blocks.spec import Block, Conflict, Number


class HardTanh(Block, category="Activation"):
    """Cut each value off below and above: a tanh made of straight lines.

    y = min(max(x, `low`), `high`), value by value; any shape. Nothing is learnt from values outside. With 0 and 6 it is
    ReLU6. Collobert 2004, doctoral thesis.
    """

    synonyms = ("relu6", "clip", "saturate")
    equation = r"y = \min(\max(x,\, \mathrm{low}),\, \mathrm{high})"
    shown = ("low", "high")
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(
        self,
        *,
        low: Annotated[float, Number("smallest value that comes out")] = -1.0,
        high: Annotated[float, Number("largest value that comes out")] = 1.0,
    ) -> None:
        super().__init__()
        self.low = low
        self.high = high

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The ends lie in order."""
        return order_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        return functional.hardtanh(x, self.low, self.high)
