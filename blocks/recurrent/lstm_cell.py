from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn

from blocks.spec import Block, Flag, Port, Size


class LSTMCell(Block, category="Recurrent"):
    """One step of an LSTM: from what comes in, the state and the memory before to both after.

    f = σ(W_f [h, x] + b_f), i = σ(W_i [h, x] + b_i), o = σ(W_o [h, x] + b_o), c' = f ⊙ c + i ⊙ tanh(W_c [h, x] + b_c)
    and h' = o ⊙ tanh(c'); (batch, dim), (batch, hidden) and (batch, hidden) → two of (batch, hidden). For drawings that
    unroll the steps themselves: put it into a group that is repeated with shared weights and carries both. To read
    whole sequences the LSTM block is far faster. Hochreiter and Schmidhuber 1997, doi.org/10.1162/neco.1997.9.8.1735.
    """

    title = "LSTM cell"
    synonyms = ("recurrent", "long short-term memory", "single step", "hidden state", "cell state", "forget gate")
    equation = (
        r"f = \sigma(W_f\,[h, x] + b_f) \\"
        r"i = \sigma(W_i\,[h, x] + b_i) \\"
        r"o = \sigma(W_o\,[h, x] + b_o) \\"
        r"c' = f \odot c + i \odot \tanh(W_c\,[h, x] + b_c) \\"
        r"h' = o \odot \tanh(c')"
    )
    shown = ("hidden",)
    inputs = {
        "x": Port("batch dim", kind="features", dtype="float", doc="what comes in at this step"),
        "h0": Port("batch hidden", dtype="float", doc="the state before"),
        "c0": Port("batch hidden", dtype="float", doc="the memory before"),
    }
    outputs = {
        "h": Port("batch hidden", kind="features", doc="the state after"),
        "c": Port("batch hidden", kind="features", doc="the memory after"),
    }

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per step", from_wire=True)] = 256,
        hidden: Annotated[int, Size("features of the state")] = 256,
        bias: Annotated[bool, Flag("add a learned number to each gate")] = True,
    ) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(dim, hidden, bias=bias)

    def forward(self, x: Tensor, h0: Tensor, c0: Tensor) -> tuple[Tensor, Tensor]:
        return self.cell(x, (h0, c0))
