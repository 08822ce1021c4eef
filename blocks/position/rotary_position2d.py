from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.rotary import rotate_axial
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Number, Port


class RotaryPosition2d(Block, category="Position"):
    """Turn queries and keys by their row and their column, so that their product depends on both distances.

    Of the d/2 pairs of features in a head, the first half turn by row · θ^(-2i/(d/2)), the others by
    column · θ^(-2i/(d/2)), i counting from 0 in each half; q, k are (batch, heads, height, width, head_dim).
    `head_dim` must be divisible by 4. For vision transformers and diffusion transformers, at any height and width: cut
    patches into heads with Rearrange ("b h w (n d) -> b n h w d"), turn them, and merge rows and columns
    ("b n h w d -> b n (h w) d") on the way to scaled dot-product attention.

    Su et al. 2021, arXiv 2104.09864, along two axes as in EVA-02, arXiv 2303.11331, or Lumina, arXiv 2405.05945.
    """

    title = "2-D rotary position"
    synonyms = ("axial RoPE", "RoPE 2D", "vision RoPE", "image positions", "rotary embedding")
    equation = (
        r"(u, v) \mapsto (u \cos\alpha - v \sin\alpha,\; v \cos\alpha + u \sin\alpha) \\"
        r"\alpha_i = \text{row} \cdot \theta_i, \quad \alpha_{i+d/4} = \text{column} \cdot \theta_i \\"
        r"\theta_i = \mathrm{rope\_theta}^{-4i/d}, \quad 0 \le i < d/4"
    )
    shown = ("rope_theta", "rope_layout")
    inputs = {
        "q": Port("batch heads height width head_dim", dtype="float", doc="queries"),
        "k": Port("batch kv_heads height width head_dim", dtype="float", doc="keys"),
    }
    outputs = {
        "q": Port("batch heads height width head_dim", doc="queries, turned"),
        "k": Port("batch kv_heads height width head_dim", doc="keys, turned"),
    }

    def __init__(
        self,
        *,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_layout: Annotated[str, Choice("which features turn together", ("half", "interleaved"))] = "half",
    ) -> None:
        super().__init__()
        self.rope_theta = rope_theta
        self.rope_interleaved = rope_layout == "interleaved"

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shapes that come in; half of the pairs go to each axis."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        size = axes["head_dim"]
        needed = "half of the pairs turn by row and half by column, so 4 must divide them"
        need.multiple(size, 4, port="q", found=f"{size} features in each head", needed=needed)
        rest = (axes["height"], axes["width"], size)
        return {"q": (axes["batch"], axes["heads"], *rest), "k": (axes["batch"], axes["kv_heads"], *rest)}

    def forward(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        q, k = rotate_axial(q, k, theta=self.rope_theta, interleaved=self.rope_interleaved)
        return q, k
