from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.attention.multi_head_attention import MultiHeadAttention
from blocks.functional import Scores
from blocks.heads import cached_pair, head_conflicts, stretch_extras
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Size
from blocks.transformer.swiglu import SwiGLU


class ModernDecoderBlock(Block, category="Transformer"):
    """A layer of a language model of today: RMS norm first, rotary positions, grouped queries, SwiGLU.

    h = x + attention(norm(x)), y = h + swiglu(norm(h)), no biases; (batch, seq, dim) → (batch, seq, dim). Llama and
    Mistral (with `window`) are stacks of it; so are Qwen 2.5 (with `qkv_bias` and a `rope_theta` of a million) and
    Qwen 3 (with `qk_norm`). For other mixtures draw its parts.

    `mask` is true where a query may look at a key; it stretches to (batch, heads, query, key); `positions` says where
    each token stands. Touvron et al. 2023, arXiv 2302.13971 and 2307.09288; Qwen 2.5: arXiv 2412.15115.
    """

    title = "Modern decoder block"
    synonyms = (
        "Llama layer",
        "Llama block",
        "transformer block",
        "transformer layer",
        "Qwen layer",
        "Mistral layer",
        "decoder-only",
        "LLM block",
        "pre-norm",
        "GQA",
    )
    equation = (
        r"h = x + \mathrm{Attention}(\mathrm{RMSNorm}(x)) \\"
        r"y = h + \mathrm{SwiGLU}(\mathrm{RMSNorm}(h))"
    )
    shown = ("num_heads", "kv_heads", "hidden")
    inputs = {
        "x": "batch seq dim",
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
        "positions": Port("...", kind="number", dtype="integer", optional=True, doc="where each token stands"),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        kv_heads: Annotated[int | None, Size("heads that are looked at; empty: as many")] = 2,
        head_dim: Annotated[int | None, Size("features per head; empty: dim / heads")] = None,
        hidden: Annotated[int | None, Size("features inside the feed-forward; empty: 2/3 · 4 · dim")] = None,
        multiple_of: Annotated[int, Size("what an empty `hidden` is rounded up to a multiple of")] = 256,
        causal: Annotated[bool, Flag("hide later positions")] = True,
        window: Annotated[int | None, Size("distance from which on positions are hidden; empty: none")] = None,
        qkv_bias: Annotated[bool, Flag("add a learned number in queries, keys and values")] = False,
        qk_norm: Annotated[bool, Flag("bring queries and keys of each head to one length")] = False,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_scaling: Annotated[
            str, Choice("how turning is slowed for longer texts", ("none", "linear", "ntk", "yarn"))
        ] = "none",
        rope_factor: Annotated[float, Number("how many times as long, where it is slowed", low=1.0)] = 4.0,
        rope_context: Annotated[int, Size("positions of the training, where it is slowed by YaRN")] = 4096,
        eps: Annotated[float, Number("added to mean squares against division by zero", low=0.0)] = 1e-5,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.attn_norm = nn.RMSNorm(dim, eps=eps)
        self.attn = MultiHeadAttention(
            dim=dim,
            num_heads=num_heads,
            kv_heads=kv_heads,
            head_dim=head_dim,
            causal=causal,
            window=window,
            bias=False,
            qkv_bias=qkv_bias,
            rope=True,
            rope_theta=rope_theta,
            rope_scaling=rope_scaling,
            rope_factor=rope_factor,
            rope_context=rope_context,
            qk_norm=qk_norm,
            norm_eps=eps,
            init_std=init_std,
        )
        self.mlp_norm = nn.RMSNorm(dim, eps=eps)
        self.mlp = SwiGLU(dim=dim, hidden=hidden, multiple_of=multiple_of, init_std=init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; mask and positions must stretch to it."""
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

    def scores(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Scores:
        """What attention multiplies, after RoPE."""
        return self.attn.scores(self.attn_norm(x), mask, positions=positions, cache=cache)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Tensor:
        x = x + self.attn(self.attn_norm(x), mask, positions=positions, cache=cache)
        return x + self.mlp(self.mlp_norm(x))
