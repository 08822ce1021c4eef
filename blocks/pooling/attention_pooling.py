from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.conflicts import nearest_divisor
from blocks.functional import Scores, attend, merge_heads, split_heads, weigh
from blocks.shapes import Params
from blocks.spec import Block, Conflict, Flag, Port, Size


class AttentionPooling(Block, category="Pooling"):
    """Reduce a sequence to one vector: a learned query looks at all positions and takes what it finds useful.

    y = o_proj(softmax(q kᵀ / √head_dim) v) with k = k_proj(x), v = v_proj(x), head by head, and q learned;
    (batch, seq, dim) → (batch, dim). It replaces a mean or a class token. `mask` is true where there is something to
    see. Lee et al. 2018 (Set Transformer), arXiv 1810.00825.
    """

    synonyms = ("learned query", "pool by attention", "pma", "set transformer", "map head", "summary")
    equation = (
        r"y = W_o\,[\mathrm{head}_1, \ldots, \mathrm{head}_h] + b_o \\"
        r"\mathrm{head}_i = \mathrm{softmax}\!\left(\frac{q_i k_i^{\top}}{\sqrt{d_k}}\right) v_i, \quad "
        r"q \;\text{learned} \\"
        r"k = W_k x + b_k, \quad v = W_v x + b_v \\"
        r"h = \mathrm{num\_heads}, \quad d_k = \mathrm{dim} / h"
    )
    shown = ("num_heads", "dim")
    inputs = {
        "x": "batch seq dim",
        "mask": Port("batch seq", kind="mask", dtype="bool", optional=True, doc="true where there is something to see"),
    }
    outputs = {"y": Port("batch dim", kind="features")}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads")] = 8,
        bias: Annotated[bool, Flag("add learned numbers in all projections")] = True,
    ) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.empty(dim))
        nn.init.normal_(self.query, std=0.02)
        self.k_proj = nn.Linear(dim, dim, bias=bias)
        self.v_proj = nn.Linear(dim, dim, bias=bias)
        self.o_proj = nn.Linear(dim, dim, bias=bias)
        self.num_heads = num_heads

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads are of one size."""
        dim, heads = params["dim"], params["num_heads"]
        if dim % heads:
            yield Conflict(
                "num_heads",
                f"{heads} heads do not divide {dim} features",
                "`num_heads` must divide `dim`",
                {"num_heads": nearest_divisor(dim, heads)},
            )

    def scores(self, x: Tensor, mask: Tensor | None = None) -> Scores:
        """What attention multiplies."""
        q = split_heads(self.query.expand(x.shape[0], 1, -1), self.num_heads)
        k, v = split_heads(self.k_proj(x), self.num_heads), split_heads(self.v_proj(x), self.num_heads)
        visible = None if mask is None else mask[:, None, None]
        return weigh(q, k, v, visible, None, causal=False)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.o_proj(merge_heads(attend(self.scores(x, mask)))).squeeze(1)
