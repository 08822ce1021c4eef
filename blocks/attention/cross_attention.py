from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.functional import Scores, attend, merge_heads, split_heads, start_linear_layers, weigh
from blocks.heads import cached_pair, head_conflicts, stretch_extras
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Conflict, Flag, Number, Port, Ratio, Size


class CrossAttention(Block, category="Attention"):
    """Let every position of one sequence gather what it needs from another.

    y = W_o concat(softmax(q kᵀ / √head_dim) v) with q projected from x, k and v from `context`;
    (batch, seq, dim) and (batch, source_seq, context_dim) → (batch, seq, dim). A decoder reads its encoder this way,
    a diffusion model its prompt. `qk_norm` brings queries and keys to length √head_dim (arXiv 2302.05442).

    `mask` is true where a query may look at a key, `score_bias` is added to the scores; both stretch to
    (batch, heads, query, key). Vaswani et al. 2017, arXiv 1706.03762.
    """

    title = "Cross-attention"
    synonyms = ("encoder-decoder attention", "conditioning", "mha", "GQA", "MQA")
    equation = (
        r"y = W_o\,[\mathrm{head}_1, \ldots, \mathrm{head}_h] + b_o \\"
        r"\mathrm{head}_i = \mathrm{softmax}\!\left(\frac{q_i k_{g(i)}^{\top}}{\sqrt{d_k}} + M\right) v_{g(i)} \\"
        r"q = W_q x + b_q, \quad k = W_k c + b_k, \quad v = W_v c + b_v \\"
        r"g(i) = \lfloor i\,G / h \rfloor, \quad h = \mathrm{num\_heads}, \quad G = \mathrm{kv\_heads} \\"
        r"c = \mathrm{context}, \quad d_k = \mathrm{head\_dim}, \quad M \in \{0, {-}\infty\}"
    )
    shown = ("num_heads", "kv_heads", "context_dim")
    inputs = {
        "x": Port("batch seq dim", dtype="float", doc="where the queries come from"),
        "context": Port("batch source_seq context_dim", dtype="float", doc="what is looked at"),
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
        "score_bias": Port("...", dtype="float", optional=True, doc="added to the scores"),
    }
    outputs = {"y": "batch seq dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        context_dim: Annotated[int, Size("features per token of the context", from_wire=True)] = 256,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        kv_heads: Annotated[int | None, Size("heads that are looked at; empty: as many")] = None,
        head_dim: Annotated[int | None, Size("features per head; empty: dim / heads")] = None,
        bias: Annotated[bool, Flag("add a learned number in each projection")] = True,
        qkv_bias: Annotated[bool, Flag("add one in queries, keys and values, where `bias` is off")] = False,
        out_bias: Annotated[bool, Flag("add one in the last projection, where `bias` is off")] = False,
        qk_norm: Annotated[bool, Flag("bring queries and keys of each head to one length")] = False,
        norm_eps: Annotated[float, Number("added to the mean square of queries and keys", low=0.0)] = 1e-6,
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.kv_heads = kv_heads or num_heads
        self.dropout = dropout
        head_dim = head_dim or dim // num_heads
        self.head_dim = head_dim
        self.q_proj = nn.Linear(dim, num_heads * head_dim, bias=bias or qkv_bias)
        self.k_proj = nn.Linear(context_dim, self.kv_heads * head_dim, bias=bias or qkv_bias)
        self.v_proj = nn.Linear(context_dim, self.kv_heads * head_dim, bias=bias or qkv_bias)
        self.o_proj = nn.Linear(num_heads * head_dim, dim, bias=bias or out_bias)
        self.q_norm = nn.RMSNorm(head_dim, eps=norm_eps) if qk_norm else None
        self.k_norm = nn.RMSNorm(head_dim, eps=norm_eps) if qk_norm else None
        start_linear_layers(self, init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of x; mask and bias must stretch to the scores."""
        inputs = {name: cls.inputs[name] for name in ("x", "context")}
        axes = cls.unify(inputs, shapes, params, need)
        batch, seq = axes["batch"], axes["seq"]
        stretch_extras(shapes, need, batch=batch, heads=params["num_heads"], queries=seq, keys=axes["source_seq"])
        return {"y": (batch, seq, params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads divide features, and key heads divide heads."""
        return head_conflicts(params)

    @classmethod
    def cached_values(cls, params: Params) -> dict[str, int]:
        """A key and a value for each head that is looked at."""
        return {"context": cached_pair(params)}

    def empty_cache(self, x: Tensor) -> list[Tensor]:
        """Keys and values of no context yet, (batch, kv_heads, 0, head_dim), for samples like those of x.

        Given to `forward` as `cache`, it is filled from the context once; from then on the context is not looked at.
        """
        return [x.new_empty(x.shape[0], self.kv_heads, 0, self.head_dim) for _ in range(2)]

    def scores(
        self,
        x: Tensor,
        context: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Scores:
        """What attention multiplies."""
        q = split_heads(self.q_proj(x), self.num_heads)
        if self.q_norm is not None:
            q = self.q_norm(q)
        if cache is not None and cache[0].shape[2] > 0:
            k, v = cache
        else:
            k = split_heads(self.k_proj(context), self.kv_heads)
            v = split_heads(self.v_proj(context), self.kv_heads)
            if self.k_norm is not None:
                k = self.k_norm(k)
        return weigh(q, k, v, mask, score_bias, causal=False)

    def forward(
        self,
        x: Tensor,
        context: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        *,
        cache: list[Tensor] | None = None,
    ) -> Tensor:
        scores = self.scores(x, context, mask, score_bias, cache=cache)
        heads = attend(scores, self.dropout if self.training else 0.0)
        if cache is not None:
            cache[:] = [scores.k, scores.v]
        return self.o_proj(merge_heads(heads))
