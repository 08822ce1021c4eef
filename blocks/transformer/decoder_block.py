from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.attention.cross_attention import CrossAttention
from blocks.attention.multi_head_attention import MultiHeadAttention
from blocks.heads import cached_pair, head_conflicts, stretch_extras
from blocks.shapes import Incoming, Needs, Params, Shape, stretch
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Ratio, Size
from blocks.transformer.feed_forward import FeedForward


class DecoderBlock(Block, category="Transformer"):
    """A layer of a transformer decoder: look back at the output so far, then at the source, then think alone.

    h = norm(x + attention(x)), g = norm(h + cross(h, context)), y = norm(g + mlp(g)), as published; with `norm_first`
    each part reads its normalised input instead; (batch, seq, dim) and (batch, source_seq, context_dim) →
    (batch, seq, dim). For translation, speech and every other model whose decoder reads an encoder.

    `mask` and `context_mask` are true where a query may look; they stretch to (batch, heads, query, key). Vaswani et
    al. 2017, arXiv 1706.03762.
    """

    title = "Decoder block"
    synonyms = ("transformer decoder layer", "encoder-decoder", "seq2seq", "cross-attention layer", "T5", "translation")
    equation = (
        r"h = x + \mathrm{Attention}(\mathrm{LN}(x)) \\"
        r"g = h + \mathrm{Cross}(\mathrm{LN}(h), \mathrm{context}) \\"
        r"y = g + \mathrm{FFN}(\mathrm{LN}(g)) \\"
        r"\text{without}\; \mathrm{norm\_first}\text{:}\quad h = \mathrm{LN}(x + \mathrm{Attention}(x)), \quad "
        r"g = \mathrm{LN}(h + \mathrm{Cross}(h, \mathrm{context})), \quad y = \mathrm{LN}(g + \mathrm{FFN}(g))"
    )
    shown = ("num_heads", "hidden", "norm_first")
    inputs = {
        "x": Port("batch seq dim", dtype="float", doc="the output so far"),
        "context": Port("batch source_seq context_dim", dtype="float", doc="the encoder's result"),
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where x may be looked at"),
        "context_mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where the source may be"),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        context_dim: Annotated[int, Size("features per token of the context", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        hidden: Annotated[int | None, Size("features inside the feed-forward; empty: 4 · dim")] = None,
        causal: Annotated[bool, Flag("hide later positions of x")] = True,
        activation: Annotated[str, Choice("what bends", ("gelu", "gelu_tanh", "relu", "silu"))] = "relu",
        norm_first: Annotated[bool, Flag("normalise before each part instead of after")] = True,
        bias: Annotated[bool, Flag("add a learned number after each matrix")] = True,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
        dropout: Annotated[float, Ratio("share of weights and results dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.norm_first = norm_first
        self.dropout = dropout
        self.attn_norm = nn.LayerNorm(dim, eps=eps)
        self.attn = MultiHeadAttention(
            dim=dim, num_heads=num_heads, causal=causal, bias=bias, dropout=dropout, init_std=init_std
        )
        self.cross_norm = nn.LayerNorm(dim, eps=eps)
        self.cross = CrossAttention(
            dim=dim, context_dim=context_dim, num_heads=num_heads, bias=bias, dropout=dropout, init_std=init_std
        )
        self.mlp_norm = nn.LayerNorm(dim, eps=eps)
        self.mlp = FeedForward(
            dim=dim, hidden=hidden, activation=activation, bias=bias, dropout=dropout, init_std=init_std
        )

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of x; the masks must stretch to the scores."""
        inputs = {name: cls.inputs[name] for name in ("x", "context")}
        axes = cls.unify(inputs, shapes, params, need)
        batch, seq, heads = axes["batch"], axes["seq"], params["num_heads"]
        stretch_extras(shapes, need, batch=batch, heads=heads, queries=seq, keys=seq)
        if "context_mask" in shapes:
            scores = (batch, heads, seq, axes["source_seq"])
            stretch("context_mask", shapes["context_mask"], scores, "batch heads query key", need)
        return {"y": (batch, seq, params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads divide features."""
        return head_conflicts(params)

    @classmethod
    def cached_values(cls, params: Params) -> dict[str, int]:
        """A key and a value for each head, of the output and of the source."""
        return {"x": cached_pair(params), "context": cached_pair(params)}

    def empty_cache(self, x: Tensor) -> list[Tensor]:
        """Keys and values of no output yet, then those of no context yet, for samples like those of x.

        Those of the output grow; those of the context are made once, and from then on it is not looked at.
        """
        return self.attn.empty_cache(x) + self.cross.empty_cache(x)

    def forward(
        self,
        x: Tensor,
        context: Tensor,
        mask: Tensor | None = None,
        context_mask: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Tensor:
        own, across = (None, None) if cache is None else (cache[:2], cache[2:])
        found = self.attn(self.attn_norm(x) if self.norm_first else x, mask, cache=own)
        x = x + functional.dropout(found, self.dropout, self.training)
        if not self.norm_first:
            x = self.attn_norm(x)
        found = self.cross(self.cross_norm(x) if self.norm_first else x, context, context_mask, cache=across)
        x = x + functional.dropout(found, self.dropout, self.training)
        if cache is not None and own is not None and across is not None:
            cache[:] = own + across
        if self.norm_first:
            return x + self.mlp(self.mlp_norm(x))
        x = self.cross_norm(x)
        return self.mlp_norm(x + self.mlp(x))
