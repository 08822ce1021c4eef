from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Port, Size


class Stack(Block, category="Reshaping"):
    """Lay any number of tensors of one shape on top of each other, along a new axis, in the order of the wires.

    Three of (batch, dim) → (batch, 3, dim) with `axis` 1. The new axis is as long as there are wires; `axis` is its
    place in the result, -1 the last. Makes a sequence of single vectors.
    """

    synonyms = ("pile", "new axis", "collect", "join")
    equation = r"y_{n,i} = (x_i)_n"
    shown = ("axis",)
    inputs = {"x": Port("...", dtype="any", many=True)}
    outputs = {"y": Port("...", keeps="x")}

    def __init__(
        self, *, axis: Annotated[int, Size("place of the new axis; -1 is the last", low=-8, high=8)] = 1
    ) -> None:
        super().__init__()
        self.axis = axis

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The common shape, with the count put in."""
        first, *others = shapes["x"]
        axis, rank = params["axis"], len(first) + 1
        if not -rank <= axis < rank:
            raise ShapeClash("x", f"{spell(first)}", f"the result has no axis {axis}", repair={"axis": -1})
        sizes = list(first)
        for shape in others:
            if len(shape) != len(first):
                needed = f"another input has {spell(first)}, and all must have one shape"
                raise ShapeClash("x", spell(shape), needed, peers=("x",))
            for at, size in enumerate(shape):
                if size is not sizes[at]:
                    sizes[at] = need.equal(
                        sizes[at],
                        size,
                        port="x",
                        found=spell(shape),
                        needed=f"another input has {sizes[at]} where this one has {size}",
                        peers=("x",),
                    )
        at = axis % rank
        return {"y": (*sizes[:at], len(shapes["x"]), *sizes[at:])}

    def forward(self, *x: Tensor) -> Tensor:
        return torch.stack(x, self.axis)
