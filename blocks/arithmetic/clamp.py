from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor

from blocks.conflicts import order_conflicts
from blocks.shapes import Params
from blocks.spec import Block, Conflict, Number


class Clamp(Block, category="Arithmetic"):
    """Keep each value between two ends, either of which may be left open.

    y = min(max(x, `low`), `high`), value by value; any shape. Nothing is learnt from values outside. Use it to keep a
    log variance within -30 and 20, or a divisor above zero.
    """

    synonyms = ("clip", "limit", "bound", "saturate")
    equation = r"y = \min(\max(x,\, \mathrm{low}),\, \mathrm{high})"
    shown = ("low", "high")
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(
        self,
        *,
        low: Annotated[float | None, Number("smallest value that comes out; empty: no end")] = 0.0,
        high: Annotated[float | None, Number("largest value that comes out; empty: no end")] = 1.0,
    ) -> None:
        super().__init__()
        self.low = low
        self.high = high

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The ends lie in order."""
        return order_conflicts(params)

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """Both ends are open."""
        return params["low"] is None and params["high"] is None

    def forward(self, x: Tensor) -> Tensor:
        if self.low is None and self.high is None:
            return x
        return x.clamp(self.low, self.high)
