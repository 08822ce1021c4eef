from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.attention.multi_head_attention import MultiHeadAttention
from blocks.functional import Scores
from blocks.heads import cached_pair, head_conflicts, stretch_extras
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Size
from blocks.transformer.feed_forward import FeedForward
from blocks.transformer.swiglu import SwiGLU


class ParallelBlock(Block, category="Transformer"):
    """A layer whose two halves work side by side: attention and feed-forward read the same normalised input.

    y = x + attention(norm(x)) + mlp(norm(x)), with rotary positions; (batch, seq, dim) → (batch, seq, dim). One
    addition less to wait for than one half after the other, which large models hardly miss. GPT-J: a quarter of each
    head turns (`rope_dim` 64 of 256), biases in norm and feed-forward only. PaLM: `feed_forward` swiglu, `kv_heads` 1,
    no `bias` at all.

    `mask` is true where a query may look at a key; it stretches to (batch, heads, query, key). Wang and Komatsuzaki
    2021 (GPT-J-6B); Chowdhery et al. 2022, arXiv 2204.02311.
    """

    title = "Parallel block"
    synonyms = ("GPT-J layer", "PaLM layer", "parallel attention", "parallel residual", "transformer layer")
    equation = (
        r"y = x + \mathrm{Attention}(n) + \mathrm{FFN}(n) \\"
        r"n = \mathrm{norm}(x)"
    )
    shown = ("num_heads", "feed_forward", "hidden")
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
        kv_heads: Annotated[int | None, Size("heads that are looked at; empty: as many")] = None,
        head_dim: Annotated[int | None, Size("features per head; empty: dim / heads")] = None,
        feed_forward: Annotated[
            str, Choice("what bends in the feed-forward", ("gelu", "gelu_tanh", "relu", "silu", "swiglu"))
        ] = "gelu_tanh",
        hidden: Annotated[int | None, Size("features inside the feed-forward; empty: its own rule")] = None,
        norm: Annotated[str, Choice("what normalises", ("layer", "rms"))] = "layer",
        causal: Annotated[bool, Flag("hide later positions")] = True,
        bias: Annotated[bool, Flag("add learned numbers in norm and feed-forward")] = True,
        attn_bias: Annotated[bool, Flag("add learned numbers in the projections of attention")] = False,
        rope_dim: Annotated[int | None, Size("features of each head that turn; empty: all", low=2)] = None,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_layout: Annotated[str, Choice("which features turn together", ("half", "interleaved"))] = "interleaved",
        eps: Annotated[float, Number("added against division by zero", low=0.0)] = 1e-5,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(dim, eps=eps) if norm == "rms" else nn.LayerNorm(dim, eps=eps, bias=bias)
        self.attn = MultiHeadAttention(
            dim=dim,
            num_heads=num_heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            causal=causal,
            bias=attn_bias,
            rope=True,
            rope_theta=rope_theta,
            rope_layout=rope_layout,
            rope_dim=rope_dim,
            init_std=init_std,
        )
        self.mlp = (
            SwiGLU(dim=dim, hidden=hidden, bias=bias, init_std=init_std)
            if feed_forward == "swiglu"
            else FeedForward(dim=dim, hidden=hidden, activation=feed_forward, bias=bias, init_std=init_std)
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
        """Heads divide features, key heads divide heads, and RoPE turns pairs."""
        return head_conflicts({"rope": True, **params})

    @classmethod
    def cached_values(cls, params: Params) -> dict[str, int]:
        """A key and a value for each head that is looked at."""
        return {"x": cached_pair(params)}

    def empty_cache(self, x: Tensor) -> list[Tensor]:
        """Keys, turned, and values of no tokens yet, for samples like those of x."""
        return self.attn.empty_cache(x)

    def scores(self, x: Tensor, mask: Tensor | None = None, *, cache: list[Tensor] | None = None) -> Scores:
        """What attention multiplies, after RoPE."""
        return self.attn.scores(self.norm(x), mask, cache=cache)

    def forward(self, x: Tensor, mask: Tensor | None = None, *, cache: list[Tensor] | None = None) -> Tensor:
        normed = self.norm(x)
        return x + self.attn(normed, mask, cache=cache) + self.mlp(normed)
