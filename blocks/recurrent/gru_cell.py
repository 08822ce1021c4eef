from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn

from blocks.spec import Block, Flag, Port, Size


class GRUCell(Block, category="Recurrent"):
    """One step of a GRU: from what comes in and the state before to the state after.

    r = σ(W_r x + U_r h), z = σ(W_z x + U_z h), n = tanh(W_n x + r ⊙ (U_n h)), h' = (1 - z) ⊙ n + z ⊙ h, each product
    with a bias; (batch, dim) and (batch, hidden) → (batch, hidden). For drawings that unroll the steps themselves: put
    it into a group that is repeated with shared weights and carries h. To read whole sequences the GRU block is far
    faster. Cho et al. 2014, arXiv 1406.1078.
    """

    title = "GRU cell"
    synonyms = ("recurrent", "gated recurrent unit", "single step", "hidden state")
    equation = (
        r"r = \sigma(W_r x + U_r h + b_r) \\"
        r"z = \sigma(W_z x + U_z h + b_z) \\"
        r"n = \tanh(W_n x + b_n + r \odot (U_n h + d_n)) \\"
        r"h' = (1 - z) \odot n + z \odot h"
    )
    shown = ("hidden",)
    inputs = {
        "x": Port("batch dim", kind="features", dtype="float", doc="what comes in at this step"),
        "h0": Port("batch hidden", dtype="float", doc="the state before"),
    }
    outputs = {"h": Port("batch hidden", kind="features", doc="the state after")}

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per step", from_wire=True)] = 256,
        hidden: Annotated[int, Size("features of the state")] = 256,
        bias: Annotated[bool, Flag("add a learned number to each gate")] = True,
    ) -> None:
        super().__init__()
        self.cell = nn.GRUCell(dim, hidden, bias=bias)

    def forward(self, x: Tensor, h0: Tensor) -> Tensor:
        return self.cell(x, h0)
