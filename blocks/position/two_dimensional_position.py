from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Number, Port, Size


class TwoDimensionalPosition(Block, category="Position"):
    """Add two learned vectors to each token: for where it belongs, and for where it stands in a blank.

    y = x + P[positions] + B[block_positions], both tables of shape (context + 1, dim); (batch, seq, dim) and twice
    (batch, seq) → (batch, seq, dim). GLM tells the text (part A, block position 0) from the blanks that it fills in
    (part B, block positions 1, 2 …) this way; Prefix position counts both. It takes no position that the
    tables do not hold. Du et al. 2022, arXiv 2103.10360.
    """

    title = "Two-dimensional position"
    synonyms = ("GLM", "2D positional encoding", "block position", "intra-span position", "position embedding")
    equation = (
        r"y_t = x_t + W_i + B_j \\"
        r"i = \mathrm{positions}_t, \quad j = \mathrm{block\_positions}_t"
    )
    shown = ("context",)
    inputs = {
        "x": Port("batch seq dim", dtype="float"),
        "positions": Port("batch seq", kind="number", dtype="integer", below="context + 1", doc="where each belongs"),
        "block_positions": Port(
            "batch seq", kind="number", dtype="integer", below="context + 1", doc="where each stands in part B"
        ),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        context: Annotated[int, Size("positions at most")] = 1024,
        init_std: Annotated[float, Number("spread of the starting weights", low=0.0)] = 0.02,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context + 1, dim))
        self.block_weight = nn.Parameter(torch.empty(context + 1, dim))
        nn.init.normal_(self.weight, std=init_std)
        nn.init.normal_(self.block_weight, std=init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of x; the sequence must fit the tables."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        context = params["context"]
        need.between(axes["seq"], high=context, port="x", because=f"the tables hold {context} positions")
        return {"y": (axes["batch"], axes["seq"], params["dim"])}

    def forward(self, x: Tensor, positions: Tensor, block_positions: Tensor) -> Tensor:
        place = functional.embedding(positions, self.weight)
        return x + place + functional.embedding(block_positions, self.block_weight)
