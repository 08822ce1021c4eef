from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size, Text

AXES = r" *[a-z][a-z0-9_]*( +[a-z][a-z0-9_]*)* *"


class IntegerInput(Block, category="Sources"):
    """Whole numbers that come into the model: lengths, positions, classes.

    Integers of shape (*axes) from 0 up to, not including, `below`. `axes` names every axis: "batch" is one number per
    sample, such as a class or the length of a prefix; "batch seq" one per token, such as its position. An axis that
    another input names too has one size in both.
    """

    title = "Integer input"
    synonyms = ("class", "label", "length", "position", "index", "number")
    role = "source"
    shown = ("axes", "below")
    inputs = {}
    outputs = {"numbers": Port("...", kind="number", dtype="integer", below="below", doc="whole numbers")}

    def __init__(
        self,
        *,
        below: Annotated[int, Size("numbers are smaller than this")] = 10,
        axes: Annotated[str, Text("names of the axes", AXES, "lower-case names with spaces between")] = "batch",
    ) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(*axes)."""
        return {"numbers": tuple(map(named, params["axes"].split()))}
