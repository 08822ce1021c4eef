from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

from torch import Tensor

from blocks.dimensions import Dimension
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Conflict, Port, Text


class Reshape(Block, category="Reshaping"):
    """Read the same values, in the same order, as a tensor of another shape.

    `shape` is sizes with commas between: a number, 0 for the size that comes in at this place, and at most one -1 for
    what is left. "0, -1, 64" makes (batch, 8, 96) into (batch, 12, 64). The last axis runs fastest. Where axes have
    names that mean something, Rearrange says it better.
    """

    synonyms = ("view", "unsqueeze", "unflatten", "resize", "fold")
    equation = r"\mathrm{vec}(y) = \mathrm{vec}(x), \quad y \in \mathbb{R}^{\mathrm{shape}}"
    shown = ("shape",)
    inputs = {"x": Port("...", dtype="any")}
    outputs = {"y": Port("...", keeps="x")}

    def __init__(
        self,
        *,
        shape: Annotated[
            str,
            Text(
                "the new sizes; 0 keeps one, -1 is what is left", r" *(-1|[0-9]+)( *, *(-1|[0-9]+))* *", "as 0, -1, 64"
            ),
        ] = "0, -1",
    ) -> None:
        super().__init__()
        self.sizes = [int(size) for size in shape.split(",")]

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Only one size is worked out."""
        if _sizes(params).count(-1) > 1:
            yield Conflict("shape", "more than one size is -1", "only one can be what is left")

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The new sizes, with what is kept and what is left put in."""
        shape, sizes = shapes["x"], _sizes(params)
        kept = [place for place, size in enumerate(sizes) if size == 0]
        if kept and kept[-1] >= len(shape):
            raise ShapeClash("x", spell(shape), f"`shape` keeps axis {kept[-1]}, and the first is 0")
        rest: Dimension = 1
        for place, size in enumerate(shape):
            rest = rest if place in kept else rest * size
        told = math.prod(size for size in sizes if size > 0)
        result: list[Dimension] = [shape[place] if size == 0 else size for place, size in enumerate(sizes)]
        if -1 in sizes:
            needed = f"`shape` has {told} for the rest, which must divide it"
            left = need.multiple(rest, told, port="x", found=f"{rest} values beside what is kept", needed=needed)
            result[sizes.index(-1)] = left
        else:
            needed = f"`shape` has room for {told}"
            need.equal(rest, told, port="x", found=f"{rest} values beside what is kept", needed=needed)
        return {"y": tuple(result)}

    def forward(self, x: Tensor) -> Tensor:
        return x.reshape([size or x.shape[place] for place, size in enumerate(self.sizes)])


def _sizes(params: Params) -> list[int]:
    return [int(size) for size in params["shape"].split(",")]
