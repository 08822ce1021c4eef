from __future__ import annotations

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, broadcast
from blocks.spec import Block, Port


class Multiply(Block, category="Arithmetic"):
    """Multiply any number of tensors, value by value: a gate.

    y = x₁ · x₂ · …; an axis of size 1 stretches to the size it meets, as in torch.
    """

    synonyms = ("times", "product", "elementwise product", "gate", "scale", "hadamard")
    equation = r"y = x_1 \odot x_2 \odot \cdots"
    inputs = {"x": Port("...", dtype="float", many=True)}
    outputs = {"y": Port("...")}

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that all inputs broadcast to."""
        return {"y": broadcast([("x", shape) for shape in shapes["x"]], need)}

    def forward(self, *x: Tensor) -> Tensor:
        product = x[0]
        for other in x[1:]:
            product = product * other
        return product
