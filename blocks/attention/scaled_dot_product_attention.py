from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.functional import Scores, attend, weigh
from blocks.shapes import Incoming, Needs, Params, Shape, ShapeClash, stretch
from blocks.spec import Block, Flag, Number, Port, Ratio


class ScaledDotProductAttention(Block, category="Attention"):
    """Attention itself, on queries, keys and values that are already cut into heads.

    y = softmax(q kᵀ · scale + score_bias) v; (batch, heads, seq, head_dim), (batch, kv_heads, source_seq, head_dim),
    (batch, kv_heads, source_seq, value_dim) → (batch, heads, seq, value_dim). `kv_heads` divides `heads`. `scale` is
    1/√head_dim unless set. `causal` hides later positions and asks for equal lengths.

    `mask` is true where a query may look at a key; it and `score_bias` stretch to (batch, heads, query, key).
    Vaswani et al. 2017, arXiv 1706.03762.
    """

    title = "Scaled dot-product attention"
    synonyms = ("sdpa", "flash attention", "raw attention", "qkv", "attention kernel")
    equation = (
        r"y = \mathrm{softmax}(\mathrm{scale} \cdot q\,k^{\top} + M)\,v \\"
        r"\mathrm{scale} = 1 / \sqrt{d_k}, \quad \mathrm{causal}\text{:}\; M_{st} = {-}\infty \;\text{for}\; t > s"
    )
    shown = ("causal", "scale")
    inputs = {
        "q": Port("batch heads seq head_dim", dtype="float", doc="queries"),
        "k": Port("batch kv_heads source_seq head_dim", dtype="float", doc="keys"),
        "v": Port("batch kv_heads source_seq value_dim", dtype="float", doc="values"),
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where a query may look"),
        "score_bias": Port("...", dtype="float", optional=True, doc="added to the scores"),
    }
    outputs = {"y": "batch heads seq value_dim"}

    def __init__(
        self,
        *,
        causal: Annotated[bool, Flag("hide later positions")] = False,
        scale: Annotated[float | None, Number("factor of the scores; empty: 1/√head_dim", low=1e-6)] = None,
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.causal = causal
        self.scale = scale
        self.dropout = dropout

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of q with the last axis of v."""
        inputs = {name: cls.inputs[name] for name in ("q", "k", "v")}
        axes = cls.unify(inputs, shapes, params, need)
        batch, heads, seq, source = axes["batch"], axes["heads"], axes["seq"], axes["source_seq"]
        kv_heads = axes["kv_heads"]
        if not isinstance(kv_heads, int):
            need.equal(
                kv_heads,
                heads,
                port="k",
                found=f"{kv_heads} heads",
                needed=f"input q has {heads} heads",
                peers=("q",),
            )
        elif isinstance(heads, int) and heads % kv_heads:
            raise ShapeClash("k", f"{kv_heads} heads", f"that must divide the {heads} heads of input q", peers=("q",))
        elif not isinstance(heads, int):
            need.multiple(
                heads, kv_heads, port="q", found=f"{heads} heads", needed=f"the {kv_heads} of k must divide them"
            )
        if params["causal"]:
            need.equal(
                seq,
                source,
                port="k",
                found=f"{source} positions",
                needed=f"input q has {seq}, and causal attention needs equal lengths",
                peers=("q",),
            )
        for port in ("mask", "score_bias"):
            if port in shapes:
                stretch(port, shapes[port], (batch, heads, seq, source), "batch heads query key", need)
        return {"y": (batch, heads, seq, axes["value_dim"])}

    def scores(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
    ) -> Scores:
        """What attention multiplies."""
        return weigh(q, k, v, mask, score_bias, causal=self.causal, scale=self.scale)

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
    ) -> Tensor:
        return attend(self.scores(q, k, v, mask, score_bias), self.dropout if self.training else 0.0)
