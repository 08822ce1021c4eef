from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor

from blocks.heads import scaling_conflicts, stretch_positions
from blocks.rotary import rotate, yarn_strength
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Number, Port, Size


class RotaryPosition(Block, category="Position"):
    """Turn queries and keys by their position, so that their product depends on the distance alone.

    Features 2i and 2i+1 of q and k, as a point in the plane, turn by m · θ^(-2i/d) at position m; q, k are
    (batch, heads, seq, head_dim), cut into heads already. Then R(m)q · R(n)k = q · R(n-m)k. Layout `half` pairs i with
    i + d/2 instead (Llama), `interleaved` neighbours (GPT-J). Of each head the first `rope_dim` features turn. Wire
    the results to scaled dot-product attention; multi-head attention has this inside.

    For texts `rope_factor` times as long as the `rope_context` of training, `rope_scaling` slows the turning: all pairs
    alike (linear), the fast ones less (ntk, yarn). `positions` says where each token stands, else 0, 1, 2 … Su et al.
    2021, arXiv 2104.09864; YaRN: Peng et al. 2023, arXiv 2309.00071.
    """

    title = "Rotary position"
    synonyms = (
        "RoPE",
        "rotary",
        "rotary embedding",
        "relative position",
        "YaRN",
        "NTK scaling",
        "position interpolation",
    )
    equation = (
        r"(u, v) \mapsto (u \cos\alpha - v \sin\alpha,\; v \cos\alpha + u \sin\alpha) \\"
        r"\alpha_i = m\,\theta_i, \quad \theta_i = \mathrm{rope\_theta}^{-2i/d}, \quad d = \mathrm{rope\_dim} \\"
        r"(R_m q)^{\top} (R_n k) = q^{\top} R_{n-m}\, k"
    )
    shown = ("rope_theta", "rope_scaling")
    inputs = {
        "q": Port("batch heads seq head_dim", dtype="float", doc="queries"),
        "k": Port("batch kv_heads seq head_dim", dtype="float", doc="keys"),
        "positions": Port("...", kind="number", dtype="integer", optional=True, doc="where each token stands"),
    }
    outputs = {
        "q": Port("batch heads seq head_dim", doc="queries, turned"),
        "k": Port("batch kv_heads seq head_dim", doc="keys, turned"),
    }

    def __init__(
        self,
        *,
        rope_theta: Annotated[float, Number("base of the turning speeds", low=1.0)] = 10000.0,
        rope_layout: Annotated[str, Choice("which features turn together", ("half", "interleaved"))] = "half",
        rope_dim: Annotated[int | None, Size("features of each head that turn; empty: all", low=2)] = None,
        rope_scaling: Annotated[
            str, Choice("how turning is slowed for longer texts", ("none", "linear", "ntk", "yarn"))
        ] = "none",
        rope_factor: Annotated[float, Number("how many times as long, where it is slowed", low=1.0)] = 4.0,
        rope_context: Annotated[int, Size("positions of the training, where it is slowed by YaRN")] = 4096,
    ) -> None:
        super().__init__()
        self.rope_theta = rope_theta
        self.rope_interleaved = rope_layout == "interleaved"
        self.rope_dim = rope_dim
        self.rope_scaling = rope_scaling
        self.rope_factor = rope_factor
        self.rope_context = rope_context
        self.rope_strength = yarn_strength(rope_factor) if rope_scaling == "yarn" else None

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shapes that come in; features must fall into pairs."""
        axes = cls.unify({name: cls.inputs[name] for name in ("q", "k")}, shapes, params, need)
        size, turning = axes["head_dim"], params["rope_dim"]
        if turning is not None:
            need.between(size, low=turning, port="q", because=f"{turning} features of each head are to turn")
        else:
            needed = "they turn in pairs; set `rope_dim` to turn some of them"
            need.multiple(size, 2, port="q", found=f"{size} features in each head", needed=needed)
            if params["rope_scaling"] == "ntk":
                need.between(size, low=4, port="q", because="NTK scaling leaves the first pair as it is")
        stretch_positions(shapes, need, axes["batch"], axes["seq"])
        batch, seq = axes["batch"], axes["seq"]
        return {"q": (batch, axes["heads"], seq, size), "k": (batch, axes["kv_heads"], seq, size)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Features turn in pairs, and scaling tells pairs apart."""
        turning = params["rope_dim"]
        if turning is not None and turning % 2:
            needed = "RoPE turns pairs: `rope_dim` must be even"
            yield Conflict("rope_dim", f"{turning} features are to turn", needed, {"rope_dim": turning - 1})
        yield from scaling_conflicts(params, turning)

    def forward(self, q: Tensor, k: Tensor, positions: Tensor | None = None) -> tuple[Tensor, Tensor]:
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
        return q, k
