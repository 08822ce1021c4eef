from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn

from blocks.recurrent.lstm import infer_sequence
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Flag, Port, Ratio, Size


class GRU(Block, category="Recurrent"):
    """Read a sequence step by step, with two gates that choose what to keep and what to take in.

    r = σ(W_r x_t + U_r h_(t-1)), z = σ(W_z x_t + U_z h_(t-1)), n = tanh(W_n x_t + r ⊙ (U_n h_(t-1))) and
    h_t = (1 - z) ⊙ n + z ⊙ h_(t-1), each product with a bias; (batch, seq, dim) → y of (batch, seq, hidden), the state
    of the last layer after every step, and h of (layers, batch, hidden), the states after the last step.
    `bidirectional` adds a second reading from the end: twice the features, twice the states.

    It remembers about as well as an LSTM with three quarters of its parameters. Cho et al. 2014, arXiv 1406.1078.
    """

    title = "GRU"
    synonyms = ("gated recurrent unit", "BiGRU", "bidirectional", "recurrent", "rnn", "hidden state", "sequence")
    equation = (
        r"r = \sigma(W_r x_t + U_r h_{t-1} + b_r) \\"
        r"z = \sigma(W_z x_t + U_z h_{t-1} + b_z) \\"
        r"n = \tanh(W_n x_t + b_n + r \odot (U_n h_{t-1} + d_n)) \\"
        r"h_t = (1 - z) \odot n + z \odot h_{t-1}"
    )
    shown = ("hidden", "layers", "bidirectional")
    inputs = {
        "x": Port("batch seq dim", kind="features", dtype="float", doc="one vector for each step"),
        "h0": Port("states batch hidden", dtype="float", optional=True, doc="states before the first step; else zeros"),
    }
    outputs = {
        "y": Port("batch seq features", kind="features", doc="the state after every step"),
        "h": Port("states batch hidden", kind="features", doc="the states after the last step"),
    }

    def __init__(
        self,
        *,
        dim: Annotated[int, Size("features per step", from_wire=True)] = 256,
        hidden: Annotated[int, Size("features of the state")] = 256,
        layers: Annotated[int, Size("layers, each reading the one below", high=1024)] = 1,
        bidirectional: Annotated[bool, Flag("read from the end as well")] = False,
        bias: Annotated[bool, Flag("add a learned number to each gate")] = True,
        dropout: Annotated[float, Ratio("share dropped between layers in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.rnn = nn.GRU(
            dim,
            hidden,
            layers,
            bias=bias,
            batch_first=True,
            dropout=dropout if layers > 1 else 0.0,
            bidirectional=bidirectional,
        )

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """A state for every step, layer and direction."""
        return infer_sequence(cls, shapes, params, need)

    def forward(self, x: Tensor, h0: Tensor | None = None) -> tuple[Tensor, Tensor]:
        y, h = self.rnn(x, h0)
        return y, h
