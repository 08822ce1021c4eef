from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.shapes import Params
from blocks.spec import Block, Flag, Number, Port, Size


class AdaptiveLayerNorm(Block, category="Normalization"):
    """Layer norm whose scale and shift are read off a condition such as a time step and a class; with a gate.

    shift, scale, gate = W silu(condition) + b; y = (x - mean) / √(variance + eps) · (1 + scale) + shift;
    (batch, seq, dim) and (batch, condition_dim) → (batch, seq, dim) and a gate of (batch, 1, dim). Multiply what the
    sublayer makes of y by the gate before it is added to x.

    W and b start at zero, and the gate with them: a block of such a network starts as the identity (adaLN-Zero).
    Without `gate` it is the norm before the last layer. Peebles and Xie 2022 (DiT), arXiv 2212.09748.
    """

    synonyms = ("adaLN", "FiLM", "adaln-zero", "dit", "modulation", "conditional layer norm", "norm")
    equation = (
        r"y = (1 + s) \odot \frac{x - \mu}{\sqrt{\sigma^2 + \mathrm{eps}}} + t \\"
        r"[t, s, g] = W\,\mathrm{SiLU}(\mathrm{condition}) + b \\"
        r"\mathrm{gate} = g, \quad \mu, \sigma^2 \;\text{over the features}"
    )
    shown = ("dim", "condition_dim")
    inputs = {
        "x": "batch seq dim",
        "condition": Port("batch condition_dim", dtype="float", doc="what the norm depends on, one vector a sample"),
    }
    outputs = {"y": Port("batch seq dim"), "gate": Port("batch 1 dim", doc="factor for what the sublayer gives")}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features", from_wire=True)] = 256,
        condition_dim: Annotated[int, Size("features of the condition", from_wire=True)] = 256,
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-6,
        gate: Annotated[bool, Flag("give a gate for the sublayer as well")] = True,
    ) -> None:
        super().__init__()
        self.modulation = nn.Linear(condition_dim, (3 if gate else 2) * dim)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)
        self.dim = dim
        self.eps = eps
        self.gate = gate

    @classmethod
    def ports(cls, params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
        """The gate is there if it is wanted."""
        inputs, outputs = super().ports(params)
        if not params["gate"]:
            del outputs["gate"]
        return inputs, outputs

    def forward(self, x: Tensor, condition: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        parts = self.modulation(functional.silu(condition)).unsqueeze(1).chunk(3 if self.gate else 2, -1)
        y = functional.layer_norm(x, (self.dim,), eps=self.eps) * (1 + parts[1]) + parts[0]
        if self.gate:
            return y, parts[2]
        return y
