from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.functional import Scores, attend, merge_heads, split_heads, start_linear_layers, weigh
from blocks.heads import latent_conflicts, stretch_extras
from blocks.rotary import rotate, yarn_strength
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Ratio, Size


class MultiHeadLatentAttention(Block, category="Attention"):
    """Attention whose keys and values come from one short vector per token, which is all that decoding keeps.

    c = norm(W_d x) with `kv_rank` features; each head reads its key and its value off c. RoPE would spoil that, so
    `rope_dim` further features carry the order: in q for each head, in k one set for all heads,
    k = [W_k c, rope(W_r x)], q = [W_q x, rope(W_p x)], y = W_o concat(softmax(q kᵀ · scale) v);
    (batch, seq, dim) → (batch, seq, dim). With `q_rank` queries pass through a short vector too. A cache holds
    kv_rank + rope_dim numbers per token, where plain attention holds 2 · heads · head_dim.

    `rope_scaling` stretches a model to `rope_factor` times the `rope_context` of its training; under YaRN the scale
    1/√(head_dim + rope_dim) grows by (1 + 0.1 · `rope_growth` · ln factor)². `mask` is true where a query may look;
    it and `score_bias` stretch to (batch, heads, query, key). DeepSeek-V2, arXiv 2405.04434.
    """

    title = "Multi-head latent attention"
    synonyms = ("MLA", "DeepSeek", "latent", "low-rank", "kv compression", "decoupled rope", "self-attention")
    equation = (
        r"c = \mathrm{RMSNorm}(W^{DKV} x), \quad r = \mathrm{RoPE}(W^{KR} x) \\"
        r"k_i = [W_i^{UK} c,\; r], \quad v_i = W_i^{UV} c \\"
        r"q_i = [W_i^{UQ} x,\; \mathrm{RoPE}(W_i^{QR} x)] \\"
        r"\mathrm{head}_i = \mathrm{softmax}\!\left(\frac{q_i k_i^{\top}}{\sqrt{d_k}} + M\right) v_i \\"
        r"y = W_o\,[\mathrm{head}_1, \ldots, \mathrm{head}_h], \quad h = \mathrm{num\_heads}, \quad "
        r"d_k = \mathrm{head\_dim} + \mathrm{rope\_dim}"
    )
    shown = ("num_heads", "kv_rank", "causal")
    inputs = {
        "x": "batch seq dim",
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
        "score_bias": Port("...", dtype="float", optional=True, doc="added to the scores"),
        "positions": Port("...", kind="number", dtype="integer", optional=True, doc="where each stands, for RoPE"),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads")] = 8,
        head_dim: Annotated[int, Size("features of a head that carry content")] = 32,
        value_dim: Annotated[int | None, Size("features of a head's values; empty: as `head_dim`")] = None,
        kv_rank: Annotated[int, Size("features that keys and values are made from")] = 64,
        q_rank: Annotated[int | None, Size("features that queries are made from; empty: straight from x")] = None,
        causal: Annotated[bool, Flag("hide later positions")] = True,
        rope_dim: Annotated[int, Size("features of a head that carry the order; 0: none", low=0)] = 16,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_layout: Annotated[str, Choice("which features turn together", ("half", "interleaved"))] = "interleaved",
        rope_scaling: Annotated[
            str, Choice("how turning is slowed for longer texts", ("none", "linear", "ntk", "yarn"))
        ] = "none",
        rope_factor: Annotated[float, Number("how many times as long, where it is slowed", low=1.0)] = 40.0,
        rope_context: Annotated[int, Size("positions of the training, where it is slowed by YaRN")] = 4096,
        rope_growth: Annotated[float, Number("how much YaRN sharpens the scores", low=0.0)] = 0.707,
        bias: Annotated[bool, Flag("add a learned number in the first and last projections")] = False,
        norm_eps: Annotated[float, Number("added to the mean square of the short vectors", low=0.0)] = 1e-6,
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.value_dim = value_dim or head_dim
        self.kv_rank = kv_rank
        self.causal = causal
        self.rope_dim = rope_dim
        self.rope_theta = rope_theta
        self.rope_interleaved = rope_layout == "interleaved"
        self.rope_scaling = rope_scaling
        self.rope_factor = rope_factor
        self.rope_context = rope_context
        self.scale = 1.0 / math.sqrt(head_dim + rope_dim)
        if rope_scaling == "yarn":
            self.scale = self.scale * yarn_strength(rope_factor, rope_growth) ** 2
        self.dropout = dropout
        self.q_down = None if q_rank is None else nn.Linear(dim, q_rank, bias=bias)
        self.q_norm = None if q_rank is None else nn.RMSNorm(q_rank, eps=norm_eps)
        self.q_up = nn.Linear(q_rank or dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_down = nn.Linear(dim, kv_rank + rope_dim, bias=bias)
        self.kv_norm = nn.RMSNorm(kv_rank, eps=norm_eps)
        self.kv_up = nn.Linear(kv_rank, num_heads * (head_dim + self.value_dim), bias=False)
        self.o_proj = nn.Linear(num_heads * self.value_dim, dim, bias=bias)
        start_linear_layers(self, init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; mask, bias and positions must stretch to it."""
        axes = cls.unify({"x": cls.inputs["x"]}, shapes, params, need)
        batch, seq = axes["batch"], axes["seq"]
        stretch_extras(shapes, need, batch=batch, heads=params["num_heads"], queries=seq, keys=seq)
        return {"y": (batch, seq, params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """RoPE turns pairs."""
        return latent_conflicts(params)

    @classmethod
    def cached_values(cls, params: Params) -> dict[str, int]:
        """The short vector and the one set of turned features."""
        return {"x": params["kv_rank"] + params["rope_dim"]}

    def empty_cache(self, x: Tensor) -> list[Tensor]:
        """Short vectors and turned features of no tokens yet, (batch, 1, 0, size), for samples like those of x.

        Given to `forward` as `cache`, it stands before the tokens of x, and theirs are added to it.
        """
        return [x.new_empty(x.shape[0], 1, 0, size) for size in (self.kv_rank, self.rope_dim)]

    def compress(
        self, x: Tensor, positions: Tensor | None = None, cache: list[Tensor] | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries; and of all tokens so far the short vectors and the turned features: what a cache keeps."""
        short = x if self.q_down is None or self.q_norm is None else self.q_norm(self.q_down(x))
        q = split_heads(self.q_up(short), self.num_heads)
        latent, order = self.kv_down(x).unsqueeze(1).split((self.kv_rank, self.rope_dim), -1)
        latent = self.kv_norm(latent)
        if cache is not None and positions is None:
            positions = torch.arange(x.shape[1], device=x.device) + cache[0].shape[2]
        if self.rope_dim:
            content, q_order = q.split((self.head_dim, self.rope_dim), -1)
            q_order, order = rotate(
                q_order,
                order,
                theta=self.rope_theta,
                interleaved=self.rope_interleaved,
                positions=positions,
                scaling=self.rope_scaling,
                factor=self.rope_factor,
                context=self.rope_context,
            )
            q = torch.cat((content, q_order), -1)
        if cache is not None:
            latent, order = torch.cat((cache[0], latent), 2), torch.cat((cache[1], order), 2)
        return q, latent, order

    def expand(
        self,
        q: Tensor,
        latent: Tensor,
        order: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        decoding: bool = False,
    ) -> Scores:
        """Keys and values from what is kept."""
        keys_values = split_heads(self.kv_up(latent.squeeze(1)), self.num_heads)
        k, v = keys_values.split((self.head_dim, self.value_dim), -1)
        if self.rope_dim:
            k = torch.cat((k, order.expand(-1, self.num_heads, -1, -1)), -1)
        return weigh(q, k, v, mask, score_bias, causal=self.causal, scale=self.scale, decoding=decoding)

    def scores(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        positions: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Scores:
        """What attention multiplies, after RoPE."""
        q, latent, order = self.compress(x, positions, cache)
        return self.expand(q, latent, order, mask, score_bias, cache is not None)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        positions: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Tensor:
        q, latent, order = self.compress(x, positions, cache)
        scores = self.expand(q, latent, order, mask, score_bias, cache is not None)
        heads = attend(scores, self.dropout if self.training else 0.0)
        if cache is not None:
            cache[:] = [latent, order]
        return self.o_proj(merge_heads(heads))
