from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Port, Size


class Flatten(Block, category="Reshaping"):
    """Lay all axes from `start_axis` on into one.

    (a, b, c, …) → (a, b·c·…) with `start_axis` 1: a picture becomes one long row for a linear layer. Values keep their
    order, the last axis running fastest.
    """

    synonyms = ("ravel", "reshape", "vectorise", "view")
    equation = r"y_{n,\; W(H c + i) + j} = x_{n,c,i,j}"
    shown = ("start_axis",)
    inputs = {"x": Port("...")}
    outputs = {"y": Port("...", kind="features", keeps="x")}

    def __init__(
        self, *, start_axis: Annotated[int, Size("first axis to be merged; 0 is the first", low=0, high=7)] = 1
    ) -> None:
        super().__init__()
        self.start_axis = start_axis

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes from the axis on, multiplied."""
        shape, start = shapes["x"], params["start_axis"]
        if start >= len(shape):
            repair = {"start_axis": len(shape) - 1} if shape else None
            raise ShapeClash("x", spell(shape), f"it has no axis {start}; the first is 0", repair=repair)
        merged = shape[start]
        for size in shape[start + 1 :]:
            merged = merged * size
        return {"y": (*shape[:start], merged)}

    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(self.start_axis)
