from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Number, Size


class ClassToken(Block, category="Linear"):
    """Lay learned tokens before every sequence.

    (batch, seq, dim) → (batch, count + seq, dim), the same tokens for every sample. One of them gathers what a
    classifier needs and is taken out again with Select: BERT, ViT. More of them are registers or a soft prompt.
    Dosovitskiy et al. 2020, arXiv 2010.11929; Darcet et al. 2023 (registers), arXiv 2309.16588.
    """

    synonyms = ("cls token", "prepend", "register tokens", "soft prompt", "prefix", "vit")
    equation = r"y = [t_1, \ldots, t_{\mathrm{count}},\; x_1, \ldots, x_{\mathrm{seq}}]"
    shown = ("count", "dim")
    inputs = {"x": "batch seq dim"}
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        count: Annotated[int, Size("tokens laid before the sequence", high=65536)] = 1,
        init_std: Annotated[float, Number("spread of the starting weights", low=0.0)] = 0.02,
    ) -> None:
        super().__init__()
        self.tokens = nn.Parameter(torch.empty(1, count, dim))
        nn.init.normal_(self.tokens, std=init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """A longer sequence."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        return {"y": (axes["batch"], axes["seq"] + params["count"], axes["dim"])}

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat((self.tokens.expand(x.shape[0], -1, -1), x), 1)
