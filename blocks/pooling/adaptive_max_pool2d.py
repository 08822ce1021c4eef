from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from blocks.spec import Block, Port, Size


class AdaptiveMaxPool2d(Block, category="Pooling"):
    """Bring a picture of any size to a fixed one, keeping the largest value of each part.

    y[r, c] is the maximum over rows ⌊r·height/rows⌋ … ⌈(r + 1)·height/rows⌉ - 1 and columns alike; parts overlap where
    the size does not divide. (batch, channels, height, width) → (batch, channels, rows, columns).
    He et al. 2014, arXiv 1406.4729.
    """

    title = "Adaptive max pool 2D"
    synonyms = ("adaptive pooling", "fixed size", "spatial pyramid", "maxpool")
    equation = (
        r"y_{c,r,q} = \max_{i \in I_r,\; j \in J_q} x_{c,i,j} \\"
        r"I_r = \{\lfloor \tfrac{r H}{\mathrm{rows}} \rfloor, \ldots, \lceil \tfrac{(r+1) "
        r"H}{\mathrm{rows}} \rceil - 1\} \\"
        r"J_q \;\text{alike, with}\; W \;\text{and}\; \mathrm{columns}"
    )
    shown = ("rows", "columns")
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels rows columns", kind="image")}

    def __init__(
        self,
        *,
        rows: Annotated[int, Size("height that comes out", high=65536)] = 7,
        columns: Annotated[int, Size("width that comes out", high=65536)] = 7,
    ) -> None:
        super().__init__()
        self.rows = rows
        self.columns = columns

    def forward(self, x: Tensor) -> Tensor:
        return largest_of_parts(largest_of_parts(x, -2, self.rows), -1, self.columns)


def largest_of_parts(x: Tensor, axis: int, count: int) -> Tensor:
    """Cut an axis (-1 or -2) into parts that cover it and take the largest value of each, whatever its size."""
    size = x.shape[axis]
    part = torch.arange(count, device=x.device)
    start = part * size // count
    end = ((part + 1) * size + count - 1) // count
    longest = (size - 1) // count + 2
    inside = start.unsqueeze(-1) + torch.arange(longest, device=x.device)
    inside = torch.minimum(inside, end.unsqueeze(-1) - 1)  # the last one again changes no maximum
    return x.index_select(axis, inside.flatten()).unflatten(axis, (count, longest)).amax(axis)
