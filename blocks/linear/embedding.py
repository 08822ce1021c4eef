from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.spec import Block, Number, Port, Size


class Embedding(Block, category="Linear"):
    """Look up a learned vector for each token.

    (...) token ids → (..., dim). The weight has shape (vocab, dim), one row per token, and starts normal with a spread
    of 1 as in PyTorch, or of `init_std` (GPT-2: 0.02). It takes no id outside the vocabulary.
    """

    synonyms = ("lookup", "token embedding", "word vectors", "wte", "vocabulary")
    equation = r"y_i = W_{t_i}, \quad W \in \mathbb{R}^{\mathrm{vocab} \times \mathrm{dim}}"
    shown = ("vocab", "dim")
    inputs = {"tokens": Port("...", kind="tokens", dtype="integer", below="vocab")}
    outputs = {"y": Port("... dim", kind="features", dtype="float")}

    def __init__(
        self,
        *,
        vocab: Annotated[int, Size("different tokens")] = 256,
        dim: Annotated[int, Size("features per token")] = 256,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocab, dim))
        nn.init.normal_(self.weight, std=1.0 if init_std is None else init_std)

    def forward(self, tokens: Tensor) -> Tensor:
        return functional.embedding(tokens, self.weight)
