from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size, Text

AXES = r" *[a-z][a-z0-9_]*( +[a-z][a-z0-9_]*)* *"


class FeatureInput(Block, category="Sources"):
    """Vectors of numbers that come into the model: a table, a series, the output of another model.

    Numbers of shape (*axes, dim). `axes` names every axis but the last, such as "batch seq"; an axis that another
    input names too has one size in both.
    """

    title = "Feature input"
    synonyms = ("vector", "table", "series", "embedding input", "conditioning")
    role = "source"
    shown = ("dim", "axes")
    inputs = {}
    outputs = {"features": Port("... dim", kind="features", dtype="float", doc="vectors")}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per vector")] = 256,
        axes: Annotated[
            str, Text("names of the axes before the features", AXES, "lower-case names with spaces between")
        ] = "batch seq",
    ) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(*axes, dim)."""
        return {"features": (*map(named, params["axes"].split()), params["dim"])}
