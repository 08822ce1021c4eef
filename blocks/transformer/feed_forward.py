from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.functional import activate, start_linear_layers
from blocks.spec import Block, Choice, Flag, Number, Ratio, Size


class FeedForward(Block, category="Transformer"):
    """Widen each token, bend it, and bring it back: the half of a transformer layer that looks at no other token.

    y = W₂ act(W₁ x + b₁) + b₂ over the last axis, (..., dim) → (..., dim), with `hidden` features inside, 4 · dim
    unless set. Dropout acts on the result in training. Vaswani et al. 2017, arXiv 1706.03762.
    """

    title = "Feed-forward"
    synonyms = ("mlp", "ffn", "position-wise feed-forward", "position-wise", "multi-layer perceptron")
    equation = (
        r"y = W_2\,\varphi(W_1 x + b_1) + b_2 \\"
        r"\varphi = \mathrm{activation}"
    )
    shown = ("hidden", "activation")
    inputs = {"x": "... dim"}
    outputs = {"y": "... dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        hidden: Annotated[int | None, Size("features inside; empty: 4 · dim")] = None,
        activation: Annotated[str, Choice("what bends", ("gelu", "gelu_tanh", "relu", "silu"))] = "gelu",
        bias: Annotated[bool, Flag("add a learned number after each matrix")] = True,
        dropout: Annotated[float, Ratio("share of the result dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        hidden = hidden or 4 * dim
        self.up = nn.Linear(dim, hidden, bias=bias)
        self.down = nn.Linear(hidden, dim, bias=bias)
        self.activation = activation
        self.dropout = dropout
        start_linear_layers(self, init_std)

    def forward(self, x: Tensor) -> Tensor:
        y = self.down(activate(self.up(x), self.activation))
        return functional.dropout(y, self.dropout, self.training)
