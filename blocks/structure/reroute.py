from __future__ import annotations

from torch import Tensor

from blocks.shapes import Params
from blocks.spec import Block, Port


class Reroute(Block, category="Structure"):
    """A dot on a wire, to lead it where it crosses least; it computes nothing.

    y = x, whatever the shape. It is left out of the model: names of weights, exports and results are as if the wire ran
    straight. Double-click a wire, or draw across wires with Shift and the right button, to get one.
    """

    synonyms = ("dot", "knot", "wire", "bend", "pass through", "identity", "nn.Identity")
    equation = r"y = x"
    inputs = {"x": Port("...", dtype="any", doc="what the wire carries")}
    outputs = {"y": Port("...", keeps="x", doc="the same")}

    def __init__(self) -> None:
        super().__init__()

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It never does anything."""
        return True

    def forward(self, x: Tensor) -> Tensor:
        return x
