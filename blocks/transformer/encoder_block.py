from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.attention.multi_head_attention import MultiHeadAttention
from blocks.functional import Scores
from blocks.heads import head_conflicts, stretch_extras
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Ratio, Size
from blocks.transformer.feed_forward import FeedForward


class EncoderBlock(Block, category="Transformer"):
    """A layer of a transformer encoder: every position looks at every other, then each is worked on alone.

    h = norm(x + attention(x)), y = norm(h + mlp(h)), as published; with `norm_first` h = x + attention(norm(x)),
    y = h + mlp(norm(h)), which trains more steadily when layers are many; (batch, seq, dim) → (batch, seq, dim). For
    BERT (norm last, gelu, eps 1e-12), ViT (norm first, gelu, eps 1e-6) and translation (norm last, relu).

    `mask` is true where a query may look at a key; it stretches to (batch, heads, query, key). Vaswani et al. 2017,
    arXiv 1706.03762; norm first: Xiong et al. 2020, arXiv 2002.04745.
    """

    title = "Encoder block"
    synonyms = (
        "transformer encoder layer",
        "transformer block",
        "post-norm",
        "pre-norm",
        "BERT layer",
        "ViT block",
        "self-attention layer",
    )
    equation = (
        r"h = x + \mathrm{Attention}(\mathrm{LN}(x)) \\"
        r"y = h + \mathrm{FFN}(\mathrm{LN}(h)) \\"
        r"\text{without}\; \mathrm{norm\_first}\text{:}\quad h = \mathrm{LN}(x + \mathrm{Attention}(x)), \quad "
        r"y = \mathrm{LN}(h + \mathrm{FFN}(h))"
    )
    shown = ("num_heads", "hidden", "norm_first")
    inputs = {
        "x": "batch seq dim",
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        hidden: Annotated[int | None, Size("features inside the feed-forward; empty: 4 · dim")] = None,
        activation: Annotated[str, Choice("what bends", ("gelu", "gelu_tanh", "relu", "silu"))] = "gelu",
        norm_first: Annotated[bool, Flag("normalise before each half instead of after")] = True,
        bias: Annotated[bool, Flag("add a learned number after each matrix")] = True,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
        dropout: Annotated[float, Ratio("share of weights and results dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.dropout = dropout
        self.attn_norm = nn.LayerNorm(dim, eps=eps)
        self.attn = MultiHeadAttention(dim=dim, num_heads=num_heads, bias=bias, dropout=dropout, init_std=init_std)
        self.mlp_norm = nn.LayerNorm(dim, eps=eps)
        self.mlp = FeedForward(
            dim=dim, hidden=hidden, activation=activation, bias=bias, dropout=dropout, init_std=init_std
        )

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; the mask must stretch to the scores."""
        axes = cls.unify({"x": cls.inputs["x"]}, shapes, params, need)
        batch, seq = axes["batch"], axes["seq"]
        stretch_extras(shapes, need, batch=batch, heads=params["num_heads"], queries=seq, keys=seq)
        return {"y": (batch, seq, params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads divide features."""
        return head_conflicts(params)

    def scores(self, x: Tensor, mask: Tensor | None = None) -> Scores:
        """What attention multiplies."""
        return self.attn.scores(self.attn_norm(x) if self.norm_first else x, mask)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.norm_first:
            x = x + functional.dropout(self.attn(self.attn_norm(x), mask), self.dropout, self.training)
            return x + self.mlp(self.mlp_norm(x))
        x = self.attn_norm(x + functional.dropout(self.attn(x, mask), self.dropout, self.training))
        return self.mlp_norm(x + self.mlp(x))
