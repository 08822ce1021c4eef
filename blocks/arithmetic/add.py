from __future__ import annotations

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, broadcast
from blocks.spec import Block, Port


class Add(Block, category="Arithmetic"):
    """Add any number of tensors, value by value: the residual connection.

    y = x₁ + x₂ + …; an axis of size 1 stretches to the size it meets, as in torch.
    """

    synonyms = ("residual", "skip connection", "shortcut", "sum", "plus", "skip")
    equation = r"y = x_1 + x_2 + \cdots"
    inputs = {"x": Port("...", dtype="float", many=True)}
    outputs = {"y": Port("...")}

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that all inputs broadcast to."""
        return {"y": broadcast([("x", shape) for shape in shapes["x"]], need)}

    def forward(self, *x: Tensor) -> Tensor:
        total = x[0]
        for other in x[1:]:
            total = total + other
        return total
