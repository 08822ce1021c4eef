from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.attention.cross_attention import CrossAttention
from blocks.attention.multi_head_attention import MultiHeadAttention
from blocks.heads import head_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape, stretch
from blocks.spec import Block, Conflict, Number, Port, Ratio, Size
from blocks.transformer.geglu import GeGLU


class ConditionedTransformerBlock(Block, category="Diffusion and image"):
    """A transformer layer of an image model: look at each other, then at a prompt, then think alone.

    h = x + attention(norm₁(x)), g = h + cross(norm₂(h), context), y = g + mlp(norm₃(g)) with a GeGLU of 4 · dim;
    (batch, seq, dim) and (batch, source_seq, context_dim) → (batch, seq, dim). Positions are pixels or patches in any
    order, the context is a text. It is the layer inside a Spatial transformer, and of PixArt but for its norms.

    `mask` is true where a position may look at the context; it stretches to (batch, heads, query, key). Rombach et al.
    2022, arXiv 2112.10752.
    """

    title = "Conditioned transformer block"
    synonyms = ("cross-attention", "text conditioning", "stable diffusion", "prompt", "basic transformer block")
    equation = (
        r"h = x + \mathrm{Attention}(\mathrm{LN}(x)) \\"
        r"g = h + \mathrm{Cross}(\mathrm{LN}(h), \mathrm{context}) \\"
        r"y = g + \mathrm{GeGLU}(\mathrm{LN}(g))"
    )
    shown = ("num_heads", "context_dim")
    inputs = {
        "x": Port("batch seq dim", kind="features", dtype="float", doc="one vector for each place of the picture"),
        "context": Port("batch source_seq context_dim", kind="features", dtype="float", doc="the prompt"),
        "mask": Port("...", kind="mask", dtype="bool", optional=True, doc="true where the context may be looked at"),
    }
    outputs = {"y": Port("batch seq dim", kind="features")}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per place", from_wire=True)] = 256,
        context_dim: Annotated[int, Size("features per token of the prompt", from_wire=True)] = 768,
        num_heads: Annotated[int, Size("heads that look")] = 8,
        head_dim: Annotated[int | None, Size("features per head; empty: dim / heads")] = None,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
        dropout: Annotated[float, Ratio("share of the weights dropped in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.attn_norm = nn.LayerNorm(dim, eps=eps)
        self.attn = MultiHeadAttention(
            dim=dim, num_heads=num_heads, head_dim=head_dim, bias=False, out_bias=True, dropout=dropout
        )
        self.cross_norm = nn.LayerNorm(dim, eps=eps)
        self.cross = CrossAttention(
            dim=dim,
            context_dim=context_dim,
            num_heads=num_heads,
            head_dim=head_dim,
            bias=False,
            out_bias=True,
            dropout=dropout,
        )
        self.mlp_norm = nn.LayerNorm(dim, eps=eps)
        self.mlp = GeGLU(dim=dim, hidden=4 * dim, bias=True)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape of x; the mask must stretch to the scores."""
        inputs = {name: cls.inputs[name] for name in ("x", "context")}
        axes = cls.unify(inputs, shapes, params, need)
        if "mask" in shapes:
            scores = (axes["batch"], params["num_heads"], axes["seq"], axes["source_seq"])
            stretch("mask", shapes["mask"], scores, "batch heads query key", need)
        return {"y": (axes["batch"], axes["seq"], params["dim"])}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Heads divide features."""
        return head_conflicts(params)

    def forward(self, x: Tensor, context: Tensor, mask: Tensor | None = None) -> Tensor:
        x = x + self.attn(self.attn_norm(x))
        x = x + self.cross(self.cross_norm(x), context, mask)
        return x + self.mlp(self.mlp_norm(x))
