from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn

from blocks.recurrent.lstm import infer_sequence
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Flag, Port, Ratio, Size


class RNN(Block, category="Recurrent"):
    """Read a sequence step by step, keeping what was read in a hidden state.

    h_t = act(W_h h_(t-1) + W_x x_t + b); (batch, seq, dim) → y of (batch, seq, hidden), the state of the last layer
    after every step, and h of (layers, batch, hidden), the states after the last step. `bidirectional` adds a second
    reading from the end: twice the features, twice the states.

    For short memories and as the plainest of its kind: its gradients vanish or explode with the length of the
    sequence, which LSTM and GRU mend with gates. Elman 1990, doi.org/10.1207/s15516709cog1402_1.
    """

    title = "RNN"
    synonyms = (
        "elman",
        "SimpleRNN",
        "bidirectional",
        "recurrent",
        "vanilla rnn",
        "hidden state",
        "sequence",
        "backpropagation through time",
    )
    equation = (
        r"h_t = \varphi(W_h h_{t-1} + W_x x_t + b) \\"
        r"\varphi = \mathrm{activation}"
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
        activation: Annotated[str, Choice("what bends the state", ("tanh", "relu"))] = "tanh",
        bias: Annotated[bool, Flag("add a learned number to each feature")] = True,
        dropout: Annotated[float, Ratio("share dropped between layers in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.rnn = nn.RNN(
            dim,
            hidden,
            layers,
            nonlinearity=activation,
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
