from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Conflict, Number, Size


class SinusoidalPosition2d(Block, category="Position"):
    """Add waves of many lengths to each patch, half of them for its column and half for its row; nothing to learn.

    y = x + T[:seq], (batch, seq, dim) → (batch, seq, dim), patches laid row by row. A row of the table T, of shape
    (rows · columns, dim), is [sin(c f₀) … sin(c fₙ₋₁), cos(c f₀) … cos(c fₙ₋₁)] for the column c and the same for the
    row, with n = dim/4 and fᵢ = P^(-i/n), P = `max_period`. DiT and MAE do this.

    The table is a parameter that does not learn: saved with the others, and counted with them as in published counts. A
    picture may have fewer rows of patches than the table, but as many columns. Peebles and Xie 2022 (DiT), arXiv
    2212.09748.
    """

    title = "2-D sinusoidal position"
    synonyms = ("patch position", "DiT", "MAE", "sin-cos position", "positional encoding", "position table", "sine")
    equation = (
        r"y_p = x_p + [\sin cf, \cos cf, \sin rf, \cos rf] \\"
        r"r = \lfloor p / \mathrm{columns} \rfloor, \quad c = p - r \cdot \mathrm{columns} \\"
        r"f_i = \mathrm{max\_period}^{-i/n}, \quad 0 \le i < n = \mathrm{dim} / 4"
    )
    shown = ("rows", "columns")
    inputs = {"x": "batch seq dim"}
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per patch", from_wire=True)] = 256,
        rows: Annotated[int, Size("patches from top to bottom", high=4096)] = 16,
        columns: Annotated[int, Size("patches from left to right", high=4096)] = 16,
        max_period: Annotated[float, Number("longest wave, over 2π", low=1.0, unit="positions")] = 10000.0,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows * columns, dim), requires_grad=False)
        if not self.weight.is_meta:  # where only shapes are asked for, numbers mean nothing
            frequency = max_period ** -(torch.arange(dim // 4, dtype=torch.float64) / (dim // 4))
            column = torch.arange(columns).repeat(rows).unsqueeze(1) * frequency
            row = torch.arange(rows).repeat_interleave(columns).unsqueeze(1) * frequency
            self.weight.copy_(torch.cat((column.sin(), column.cos(), row.sin(), row.cos()), 1))

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; the patches must fit the table."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        rows, columns = params["rows"], params["columns"]
        because = f"the table holds {rows} × {columns} patches"
        need.between(axes["seq"], high=rows * columns, port="x", because=because)
        return {"y": (axes["batch"], axes["seq"], params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """A quarter of the features is for each of two waves in two directions."""
        dim = params["dim"]
        if dim % 4:
            yield Conflict(
                "dim",
                f"{dim} features do not fall into four quarters",
                "a quarter each are sines and cosines of column and row: `dim` must be divisible by 4",
                {"dim": dim + -dim % 4},
            )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.weight[: x.shape[1]]
