from __future__ import annotations

import torch
from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, broadcast
from blocks.spec import Block, Port


class Maximum(Block, category="Arithmetic"):
    """Keep the largest of any number of tensors, value by value.

    y = max(x₁, x₂, …); an axis of size 1 stretches to the size it meets, as in torch.
    """

    synonyms = ("larger", "max", "elementwise")
    equation = r"y = \max(x_1, x_2, \ldots)"
    inputs = {"x": Port("...", dtype="float", many=True)}
    outputs = {"y": Port("...")}

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that all inputs broadcast to."""
        return {"y": broadcast([("x", shape) for shape in shapes["x"]], need)}

    def forward(self, *x: Tensor) -> Tensor:
        largest = x[0]
        for other in x[1:]:
            largest = torch.maximum(largest, other)
        return largest
