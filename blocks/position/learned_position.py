from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Number, Size


class LearnedPosition(Block, category="Position"):
    """Add a learned vector for each position, so that the model knows the order.

    y = x + W[:seq], (batch, seq, dim) → (batch, seq, dim). The weight has shape (context, dim); a sequence longer than
    `context` has no positions. GPT-2 and BERT do this; rotary positions (in the attention blocks) reach further.
    """

    synonyms = ("position embedding", "positional embedding", "wpe", "position table", "absolute position")
    equation = r"y_p = x_p + W_p, \quad 0 \le p < \mathrm{context}"
    shown = ("context",)
    inputs = {"x": "batch seq dim"}
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        context: Annotated[int, Size("positions at most")] = 1024,
        init_std: Annotated[float, Number("spread of the starting weights", low=0.0)] = 0.02,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context, dim))
        nn.init.normal_(self.weight, std=init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; the sequence must fit the table."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        context = params["context"]
        need.between(axes["seq"], high=context, port="x", because=f"the table holds {context} positions")
        return {"y": (axes["batch"], axes["seq"], params["dim"])}

    def forward(self, x: Tensor) -> Tensor:
        return x + self.weight[: x.shape[1]]
