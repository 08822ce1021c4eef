from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn

from blocks.spec import Block, Choice, Flag, Port, Size


class RNNCell(Block, category="Recurrent"):
    """One step of a recurrent network: from what comes in and the state before to the state after.

    h' = act(W_h h + W_x x + b); (batch, dim) and (batch, hidden) → (batch, hidden). For drawings that unroll the steps
    themselves: put it into a group that is repeated with shared weights and carries h. To read whole sequences the
    RNN block is far faster. Elman 1990, doi.org/10.1207/s15516709cog1402_1.
    """

    title = "RNN cell"
    synonyms = ("recurrent", "elman", "single step", "hidden state")
    equation = (
        r"h' = \varphi(W_h h + W_x x + b) \\"
        r"\varphi = \mathrm{activation}"
    )
    shown = ("hidden", "activation")
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
        activation: Annotated[str, Choice("what bends the state", ("tanh", "relu"))] = "tanh",
        bias: Annotated[bool, Flag("add a learned number to each feature")] = True,
    ) -> None:
        super().__init__()
        self.cell = nn.RNNCell(dim, hidden, bias=bias, nonlinearity=activation)

    def forward(self, x: Tensor, h0: Tensor) -> Tensor:
        return self.cell(x, h0)
