from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor

from blocks.dimensions import Dimension
from blocks.patterns import equation, read_products
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, spell
from blocks.spec import Block, Conflict, Port, Text


class Einsum(Block, category="Arithmetic"):
    """Multiply tensors and add up along the axes that a pattern leaves out: "b i d, b j d -> b i j".

    Each part before the arrow names the axes of one wire, in order; axes of one name have one size. What is not named
    behind the arrow is summed over. The example is y[b, i, j] = Σ_d x₁[b, i, d] · x₂[b, j, d]: the scores of attention.
    Einstein 1916; in this form einops, Rogozhnikov 2022, openreview.net/forum?id=oapKSVM2bcj.
    """

    synonyms = ("einstein summation", "contraction", "tensor product", "outer product", "bilinear")
    equation = r"\text{b i d, b j d → b i j:}\quad y_{b,i,j} = \sum_d x_{b,i,d}\; x^{\prime}_{b,j,d}"
    shown = ("pattern",)
    inputs = {"x": Port("...", dtype="float", many=True)}
    outputs = {"y": Port("...")}

    def __init__(
        self,
        *,
        pattern: Annotated[str, Text("axes of each factor and of the result", r"[^\n]*", "one line")] = (
            "b i d, b j d -> b i j"
        ),
    ) -> None:
        super().__init__()
        self.letters = equation(pattern)

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The pattern must be one."""
        try:
            read_products(params["pattern"])
        except ValueError as error:
            found = f"the pattern cannot be read: {error}"
            yield Conflict("pattern", found, 'write it like "b i d, b j d -> b i j"')

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes of the axes behind the arrow."""
        given = shapes["x"]
        try:
            factors, result = read_products(params["pattern"])
        except ValueError as error:
            raise ShapeClash("x", spell(given[0]), f"the pattern cannot be read: {error}") from None
        if len(given) != len(factors):
            wires = "one wire" if len(given) == 1 else f"{len(given)} wires"
            raise ShapeClash("x", wires, f"the pattern has {len(factors)} factors")
        known: dict[str, Dimension] = {}
        for axes, shape in zip(factors, given, strict=True):
            if len(axes) != len(shape):
                raise ShapeClash(
                    "x", f"{spell(shape)} ({len(shape)} axes)", f"the pattern has `{' '.join(axes)}` for it"
                )
            for name, size in zip(axes, shape, strict=True):
                if name in known and size is not known[name]:
                    size = need.equal(
                        size,
                        known[name],
                        port="x",
                        found=f"{name} = {size}",
                        needed=f"elsewhere {name} is {known[name]}",
                        peers=("x",),
                    )
                known[name] = size
        return {"y": tuple(known[name] for name in result)}

    def forward(self, *x: Tensor) -> Tensor:
        return torch.einsum(self.letters, *x)
