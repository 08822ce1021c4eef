from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, broadcast, spell
from blocks.spec import Block, Flag, Port


class MatMul(Block, category="Arithmetic"):
    """Multiply two tensors as matrices, over their last two axes.

    y[i, j] = Σₖ a[i, k] · b[k, j]; (..., rows, inner) and (..., inner, columns) → (..., rows, columns), and with
    `transpose_b` b is (..., columns, inner): q kᵀ of attention. The axes in front stretch as in Add.
    """

    title = "Matrix product"
    synonyms = ("matmul", "dot product", "bmm", "batched", "scores", "gram")
    equation = (
        r"y_{i,j} = \sum_k a_{i,k}\,b_{k,j} \\"
        r"\mathrm{transpose\_b}\text{:}\quad y = a\,b^{\top}"
    )
    shown = ("transpose_b",)
    inputs = {"a": "... rows inner", "b": "... inner columns"}
    outputs = {"y": Port("... rows columns")}

    def __init__(self, *, transpose_b: Annotated[bool, Flag("swap the last two axes of b first")] = False) -> None:
        super().__init__()
        self.transpose_b = transpose_b

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Rows of a, columns of b, and what the axes in front stretch to."""
        a, b = shapes["a"], shapes["b"]
        for port, shape in (("a", a), ("b", b)):
            if len(shape) < 2:
                raise ShapeClash(port, spell(shape), "a matrix has at least 2 axes")
        inner, columns = (b[-1], b[-2]) if params["transpose_b"] else (b[-2], b[-1])
        need.equal(
            a[-1],
            inner,
            port="b",
            found=f"{inner} along its {'columns' if params['transpose_b'] else 'rows'}",
            needed=f"the last axis of input a has {a[-1]}",
            peers=("a",),
        )
        return {"y": (*broadcast({"a": a[:-2], "b": b[:-2]}, need), a[-2], columns)}

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return a @ (b.transpose(-2, -1) if self.transpose_b else b)
