from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Text

AXES = r" *(1|[a-z][a-z0-9_]*)( +(1|[a-z][a-z0-9_]*))* *"


class MaskInput(Block, category="Sources"):
    """True or false for each position: what attention may look at.

    Booleans of shape (*axes). The default hides padding: (batch, 1, 1, seq) stretches over all heads and queries.
    An axis that another input names too has one size in both.
    """

    title = "Mask input"
    synonyms = ("padding mask", "attention mask", "visible", "boolean")
    role = "source"
    shown = ("axes",)
    inputs = {}
    outputs = {"mask": Port("...", kind="mask", dtype="bool", doc="true where attention may look")}

    def __init__(
        self,
        *,
        axes: Annotated[
            str, Text("names of the axes, 1 for one that stretches", AXES, "lower-case names or 1 with spaces between")
        ] = "batch 1 1 seq",
    ) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(*axes)."""
        return {"mask": tuple(1 if axis == "1" else named(axis) for axis in params["axes"].split())}
