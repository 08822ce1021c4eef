from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import torch
from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, axis_at, spell
from blocks.spec import Block, Port, Size


class Concat(Block, category="Arithmetic"):
    """Lay any number of tensors side by side along one axis, in the order of the wires.

    The sizes along `axis` add up; all other axes must agree. -1 is the last axis (features of tokens), 1 the channels
    of pictures: the skip connection of a U-Net.
    """

    synonyms = ("cat", "concatenate", "join", "stack channels", "skip", "merge")
    equation = r"y = [x_1, x_2, \ldots]"
    shown = ("axis",)
    inputs = {"x": Port("...", dtype="any", many=True)}
    outputs = {"y": Port("...", keeps="x")}

    def __init__(self, *, axis: Annotated[int, Size("axis that grows; -1 is the last", low=-8, high=7)] = -1) -> None:
        super().__init__()
        self.axis = axis

    @classmethod
    def behind(cls, kind: str) -> Mapping[str, Any]:
        """Pictures are joined by their channels."""
        return {"axis": 1} if kind == "image" else {}

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The first shape, with the sizes along the axis added up."""
        first, *others = shapes["x"]
        at = axis_at(first, params["axis"], port="x")
        sizes = list(first)
        for shape in others:
            if len(shape) != len(first):
                needed = f"another input has {spell(first)}, and all must have as many axes"
                raise ShapeClash("x", spell(shape), needed, peers=("x",))
            for axis, size in enumerate(shape):
                if axis == at:
                    sizes[axis] = sizes[axis] + size
                elif size is not sizes[axis]:
                    sizes[axis] = need.equal(
                        sizes[axis],
                        size,
                        port="x",
                        found=spell(shape),
                        needed=f"another input has {sizes[axis]} where this one has {size}",
                        peers=("x",),
                    )
        return {"y": tuple(sizes)}

    def forward(self, *x: Tensor) -> Tensor:
        return torch.cat(x, self.axis)
