from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, stretch
from blocks.spec import Block, Number, Port


class ApplyMask(Block, category="Arithmetic"):
    """Keep the values where a mask is true and put something else where it is false.

    y = x where `mask`, else the value of `other`, or `value` where nothing is wired there; mask and other stretch to
    the shape of x. Hides padding before a sum, or scores before a softmax.
    """

    synonyms = ("masked fill", "mask fill", "where", "select", "hide")
    equation = (
        r"y_i = x_i \;\text{where}\; \mathrm{mask}_i, \quad "
        r"\text{else}\; \mathrm{other}_i \;\text{or}\; \mathrm{value}"
    )
    shown = ("value",)
    inputs = {
        "x": "...",
        "mask": Port("...", kind="mask", dtype="bool", doc="true where x is kept"),
        "other": Port("...", dtype="float", optional=True, doc="what stands where the mask is false"),
    }
    outputs = {"y": Port("...")}

    def __init__(self, *, value: Annotated[float, Number("what stands where the mask is false")] = 0.0) -> None:
        super().__init__()
        self.value = value

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of x."""
        x = shapes["x"]
        for port in ("mask", "other"):
            if port in shapes:
                stretch(port, shapes[port], x, "", need)
        return {"y": x}

    def forward(self, x: Tensor, mask: Tensor, other: Tensor | None = None) -> Tensor:
        return torch.where(mask, x, self.value if other is None else other)
