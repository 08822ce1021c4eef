from __future__ import annotations

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, broadcast
from blocks.spec import Block, Port


class Divide(Block, category="Arithmetic"):
    """Divide one tensor by another, value by value.

    y = a / b; an axis of size 1 stretches to the size it meets, as in torch. Where b is 0 the result is infinite: keep
    it away from there with Clamp.
    """

    synonyms = ("quotient", "ratio", "normalise")
    equation = r"y = \frac{a}{b}"
    inputs = {"a": Port("...", dtype="float"), "b": Port("...", dtype="float", doc="what it is divided by")}
    outputs = {"y": Port("...")}

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that both broadcast to."""
        return {"y": broadcast(shapes, need)}

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return a / b
