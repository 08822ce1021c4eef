from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.conflicts import head_conflicts
from blocks.functional import Scores, attend, merge_heads, rotate, split_heads, start_linear_layers, weigh
from blocks.shapes import Incoming, Needs, Params, Shape, stretch
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Ratio, Size


class MultiHeadAttention(Block, category="Attention"):
    """Let every position gather what it needs from the others, in several heads at once.

    y = W_o concat(softmax(q kᵀ / √head_dim) v) with q, k, v learned projections of x, cut into heads;
    (batch, seq, dim) → (batch, seq, dim). `causal` hides later positions (language models). `kv_heads` below
    `num_heads` shares keys and values between heads: grouped-query attention, multi-query with 1. `rope` turns q and k
    by their position (Su et al. 2021, arXiv 2104.09864); layout `half` is that of Llama's published files.

    `mask` is true where a query may look at a key, `score_bias` is added to the scores; both stretch to
    (batch, heads, query, key). Vaswani et al. 2017, arXiv 1706.03762; Ainslie et al. 2023, arXiv 2305.13245.
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
        "rope",
        "rotary",
    )
    shown = ("num_heads", "kv_heads", "causal")
    inputs = {
        "x": "batch seq dim",
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
        "score_bias": Port("...", dtype="float", optional=True, doc="added to the scores"),
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
        bias: Annotated[bool, Flag("add a learned number in each projection")] = True,
        rope: Annotated[bool, Flag("turn queries and keys by their position")] = False,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_layout: Annotated[str, Choice("which features turn together", ("half", "interleaved"))] = "half",
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.kv_heads = kv_heads or num_heads
        self.causal = causal
        self.rope = rope
        self.rope_theta = rope_theta
        self.rope_interleaved = rope_layout == "interleaved"
        self.dropout = dropout
        head_dim = head_dim or dim // num_heads
        self.q_proj = nn.Linear(dim, num_heads * head_dim, bias=bias)
        self.k_proj = nn.Linear(dim, self.kv_heads * head_dim, bias=bias)
        self.v_proj = nn.Linear(dim, self.kv_heads * head_dim, bias=bias)
        self.o_proj = nn.Linear(num_heads * head_dim, dim, bias=bias)
        start_linear_layers(self, init_std)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in; mask and bias must stretch to the scores."""
        axes = cls.unify({"x": cls.inputs["x"]}, shapes, params, need)
        batch, seq = axes["batch"], axes["seq"]
        for port in ("mask", "score_bias"):
            if port in shapes:
                scores = (batch, params["num_heads"], seq, seq)
                stretch(port, shapes[port], scores, "batch heads query key", need)
        return {"y": (batch, seq, params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads divide features, key heads divide heads, and RoPE turns pairs."""
        return head_conflicts(params)

    @classmethod
    def cached_values(cls, params: Params) -> int:
        """A key and a value for each head that is looked at."""
        head_dim = params["head_dim"] or params["dim"] // params["num_heads"]
        return 2 * (params["kv_heads"] or params["num_heads"]) * head_dim

    def scores(self, x: Tensor, mask: Tensor | None = None, score_bias: Tensor | None = None) -> Scores:
        """What attention multiplies, after RoPE."""
        q = split_heads(self.q_proj(x), self.num_heads)
        k = split_heads(self.k_proj(x), self.kv_heads)
        v = split_heads(self.v_proj(x), self.kv_heads)
        if self.rope:
            q, k = rotate(q, k, theta=self.rope_theta, interleaved=self.rope_interleaved)
        return weigh(q, k, v, mask, score_bias, causal=self.causal)

    def forward(self, x: Tensor, mask: Tensor | None = None, score_bias: Tensor | None = None) -> Tensor:
        heads = attend(self.scores(x, mask, score_bias), self.dropout if self.training else 0.0)
        return self.o_proj(merge_heads(heads))
