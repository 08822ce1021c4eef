from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.functional import (
    Scores,
    add_sink,
    alibi,
    attend,
    merge_heads,
    split_heads,
    start_linear_layers,
    weigh,
)
from blocks.heads import cached_pair, head_conflicts, stretch_extras
from blocks.rotary import rotate, yarn_strength
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Ratio, Size


class MultiHeadAttention(Block, category="Attention"):
    """Let every position gather what it needs from the others, in several heads at once.

    y = W_o concat(softmax(q kᵀ / √head_dim) v) with q, k, v learned projections of x, cut into heads;
    (batch, seq, dim) → (batch, seq, dim). Vaswani et al. 2017, arXiv 1706.03762. Everything else is a choice.

    Who sees whom: `causal` hides later positions (language models); `window` hides positions that are so far away or
    farther (Mistral, arXiv 2310.06825); with the input `prefix`, the first positions of each sample, so many of them,
    see each other, and those behind see them and what is earlier (GLM, arXiv 2103.10360). `mask` is true where a query
    may look at a key, `score_bias` is added to the scores; both stretch to (batch, heads, query, key).

    Heads: `kv_heads` below `num_heads` shares keys and values between heads: grouped-query attention, multi-query with
    1 (Ainslie et al. 2023, arXiv 2305.13245; Shazeer 2019, arXiv 1911.02150). `qk_norm` brings queries and keys to
    length √head_dim, which keeps large models stable (arXiv 2302.05442). `sink` is a learned score per head for looking
    at nothing: it takes probability and adds nothing (arXiv 2309.17453); in the attention map it is a last key. `gate`
    multiplies what each head found by σ(W x), one number per head or one per feature, after the kernel
    (arXiv 2505.06708).

    Order: `rope` turns q and k by their position, or by the input `positions` (Su et al. 2021, arXiv 2104.09864); of
    each head the first `rope_dim` features. Layout `half` is that of Llama's published files, `interleaved` that of
    GPT-J's. For texts `rope_factor` times as long as the `rope_context` of training, `rope_scaling` slows the turning
    (YaRN: arXiv 2309.00071). `alibi` subtracts from each score a multiple of the distance (arXiv 2108.12409).
    """

    title = "Multi-head attention"
    synonyms = (
        "self-attention",
        "mha",
        "GQA",
        "MQA",
        "grouped-query attention",
        "multi-query attention",
        "causal attention",
        "KV cache",
        "rope",
        "rotary",
        "sliding window",
        "local attention",
        "prefix-LM",
        "ALiBi",
        "QK norm",
        "attention sink",
        "gated attention",
        "YaRN",
        "attention",
    )
    equation = (
        r"y = W_o\,[\mathrm{head}_1, \ldots, \mathrm{head}_h] + b_o \\"
        r"\mathrm{head}_i = \mathrm{softmax}\!\left(\frac{q_i k_{g(i)}^{\top}}{\sqrt{d_k}} + M\right) v_{g(i)} \\"
        r"q = W_q x + b_q, \quad k = W_k x + b_k, \quad v = W_v x + b_v \\"
        r"g(i) = \lfloor i\,G / h \rfloor, \quad h = \mathrm{num\_heads}, \quad G = \mathrm{kv\_heads} \\"
        r"d_k = \mathrm{head\_dim}, \quad \mathrm{causal}\text{:}\; M_{st} = {-}\infty \;\text{for}\; t > s"
    )
    shown = ("num_heads", "kv_heads", "causal")
    inputs = {
        "x": "batch seq dim",
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
        "score_bias": Port("...", dtype="float", optional=True, doc="added to the scores"),
        "prefix": Port("batch", kind="number", dtype="integer", optional=True, doc="how many first positions all see"),
        "positions": Port("...", kind="number", dtype="integer", optional=True, doc="where each stands, for RoPE"),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        kv_heads: Annotated[int | None, Size("heads that are looked at; empty: as many")] = None,
        head_dim: Annotated[int | None, Size("features per head; empty: dim / heads")] = None,
        causal: Annotated[bool, Flag("hide later positions")] = False,
        window: Annotated[int | None, Size("distance from which on positions are hidden; empty: none")] = None,
        bias: Annotated[bool, Flag("add a learned number in each projection")] = True,
        qkv_bias: Annotated[bool, Flag("add one in queries, keys and values, where `bias` is off")] = False,
        out_bias: Annotated[bool, Flag("add one in the last projection, where `bias` is off")] = False,
        rope: Annotated[bool, Flag("turn queries and keys by their position")] = False,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_layout: Annotated[str, Choice("which features turn together", ("half", "interleaved"))] = "half",
        rope_dim: Annotated[int | None, Size("features of each head that turn; empty: all", low=2)] = None,
        rope_scaling: Annotated[
            str, Choice("how turning is slowed for longer texts", ("none", "linear", "ntk", "yarn"))
        ] = "none",
        rope_factor: Annotated[float, Number("how many times as long, where it is slowed", low=1.0)] = 4.0,
        rope_context: Annotated[int, Size("positions of the training, where it is slowed by YaRN")] = 4096,
        alibi: Annotated[bool, Flag("lower scores with distance, in each head at its own slope")] = False,
        qk_norm: Annotated[bool, Flag("bring queries and keys of each head to one length")] = False,
        norm_eps: Annotated[float, Number("added to the mean square of queries and keys", low=0.0)] = 1e-6,
        sink: Annotated[bool, Flag("learn a score per head for looking at nothing")] = False,
        gate: Annotated[str, Choice("numbers that gate what heads found", ("none", "head", "element"))] = "none",
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.kv_heads = kv_heads or num_heads
        self.causal = causal
        self.window = window
        self.rope = rope
        self.rope_theta = rope_theta
        self.rope_interleaved = rope_layout == "interleaved"
        self.rope_dim = rope_dim
        self.rope_scaling = rope_scaling
        self.rope_factor = rope_factor
        self.rope_context = rope_context
        self.rope_strength = yarn_strength(rope_factor) if rope_scaling == "yarn" else None
        self.alibi = alibi
        self.dropout = dropout
        head_dim = head_dim or dim // num_heads
        self.head_dim = head_dim
        self.q_proj = nn.Linear(dim, num_heads * head_dim, bias=bias or qkv_bias)
        self.k_proj = nn.Linear(dim, self.kv_heads * head_dim, bias=bias or qkv_bias)
        self.v_proj = nn.Linear(dim, self.kv_heads * head_dim, bias=bias or qkv_bias)
        self.o_proj = nn.Linear(num_heads * head_dim, dim, bias=bias or out_bias)
        self.q_norm = nn.RMSNorm(head_dim, eps=norm_eps) if qk_norm else None
        self.k_norm = nn.RMSNorm(head_dim, eps=norm_eps) if qk_norm else None
        self.sink = nn.Parameter(torch.zeros(num_heads)) if sink else None
        per_head = head_dim if gate == "element" else 1
        self.gate_proj = nn.Linear(dim, num_heads * per_head, bias=False) if gate != "none" else None
        start_linear_layers(self, init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; mask, bias and positions must stretch to it."""
        axes = cls.unify({name: cls.inputs[name] for name in ("x", "prefix")}, shapes, params, need)
        batch, seq = axes["batch"], axes["seq"]
        stretch_extras(shapes, need, batch=batch, heads=params["num_heads"], queries=seq, keys=seq)
        return {"y": (batch, seq, params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads divide features, key heads divide heads, RoPE turns pairs, and one way to tell the order will do."""
        yield from head_conflicts(params)
        if params["rope"] and params["alibi"]:
            needed = "one of `rope` and `alibi` tells the order already"
            yield Conflict("alibi", "both RoPE and ALiBi are on", needed, {"alibi": False}, fatal=False)

    @classmethod
    def cached_values(cls, params: Params) -> dict[str, int]:
        """A key and a value for each head that is looked at."""
        return {"x": cached_pair(params)}

    def empty_cache(self, x: Tensor) -> list[Tensor]:
        """Keys, turned, and values of no tokens yet, (batch, kv_heads, 0, head_dim), for samples like those of x.

        Given to `forward` as `cache`, it stands before the tokens of x, and theirs are added to it.
        """
        return [x.new_empty(x.shape[0], self.kv_heads, 0, self.head_dim) for _ in range(2)]

    def scores(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        prefix: Tensor | None = None,
        positions: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Scores:
        """What attention multiplies, after RoPE."""
        q = split_heads(self.q_proj(x), self.num_heads)
        k = split_heads(self.k_proj(x), self.kv_heads)
        v = split_heads(self.v_proj(x), self.kv_heads)
        if self.q_norm is not None and self.k_norm is not None:
            q, k = self.q_norm(q), self.k_norm(k)
        if cache is not None and positions is None:
            positions = torch.arange(x.shape[1], device=x.device) + cache[0].shape[2]
        if self.rope:
            q, k = rotate(
                q,
                k,
                theta=self.rope_theta,
                interleaved=self.rope_interleaved,
                positions=positions,
                dim=self.rope_dim,
                scaling=self.rope_scaling,
                factor=self.rope_factor,
                context=self.rope_context,
                strength=self.rope_strength,
            )
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        if self.alibi:
            falling = alibi(q, k, self.num_heads)
            score_bias = falling if score_bias is None else score_bias + falling
        decoding = cache is not None
        return add_sink(
            weigh(q, k, v, mask, score_bias, causal=self.causal, window=self.window, prefix=prefix, decoding=decoding),
            self.sink,
        )

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        prefix: Tensor | None = None,
        positions: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Tensor:
        scores = self.scores(x, mask, score_bias, prefix, positions, cache=cache)
        heads = attend(scores, self.dropout if self.training else 0.0)
        if self.sink is not None:  # the features that carried it are no result
            heads = heads[..., : self.head_dim]
        if self.gate_proj is not None:
            heads = heads * torch.sigmoid(split_heads(self.gate_proj(x), self.num_heads))
        if cache is not None:
            count = cache[0].shape[2] + x.shape[1]  # without a sink
            cache[:] = [tensor[:, :, :count, : self.head_dim] for tensor in (scores.k, scores.v)]
        return self.o_proj(merge_heads(heads))
