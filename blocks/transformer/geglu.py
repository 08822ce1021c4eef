from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.functional import start_linear_layers
from blocks.spec import Block, Choice, Flag, Number, Size


class GeGLU(Block, category="Transformer"):
    """Widen each token, gate it by a GELU, and bring it back: the feed-forward half of a Gemma or T5 layer.

    y = W_down (gelu(W_gate x) · W_up x) over the last axis, (..., dim) → (..., dim). Unless set, `hidden` is two thirds
    of 4 · dim, rounded up to a multiple of `multiple_of`: as many parameters as a plain feed-forward. Stable Diffusion
    has it with 4 · dim and biases. Shazeer 2020, arXiv 2002.05202.
    """

    title = "GeGLU"
    synonyms = ("gated feed-forward", "gelu gate", "glu", "mlp", "ffn", "gemma mlp")
    equation = (
        r"y = W_{\mathrm{down}}\left(\mathrm{GELU}(W_{\mathrm{gate}}\,x) \odot W_{\mathrm{up}}\,x\right) \\"
        r"\mathrm{hidden} = \lceil \lfloor \tfrac{8}{3}\,\mathrm{dim} \rfloor / m \rceil\,m, \quad "
        r"m = \mathrm{multiple\_of}"
    )
    shown = ("hidden",)
    inputs = {"x": "... dim"}
    outputs = {"y": "... dim"}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per token", from_wire=True)] = 256,
        hidden: Annotated[int | None, Size("features inside; empty: 2/3 · 4 · dim, rounded up")] = None,
        multiple_of: Annotated[int, Size("what an empty `hidden` is rounded up to a multiple of")] = 256,
        approximate: Annotated[str, Choice("how the GELU is computed", ("none", "tanh"))] = "none",
        bias: Annotated[bool, Flag("add a learned number after each matrix")] = False,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
    ) -> None:
        super().__init__()
        if hidden is None:
            hidden = -(-(8 * dim // 3) // multiple_of) * multiple_of
        self.approximate = approximate
        self.gate = nn.Linear(dim, hidden, bias=bias)
        self.up = nn.Linear(dim, hidden, bias=bias)
        self.down = nn.Linear(hidden, dim, bias=bias)
        start_linear_layers(self, init_std)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(functional.gelu(self.gate(x), approximate=self.approximate) * self.up(x))
