from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.dimensions import Dim
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Flag, Port, Ratio, Size


class LSTM(Block, category="Recurrent"):
    """Read a sequence step by step, with a long memory that gates write, keep and read.

    f = σ(W_f [h_(t-1), x_t] + b_f), i = σ(W_i [h_(t-1), x_t] + b_i), o = σ(W_o [h_(t-1), x_t] + b_o),
    c_t = f ⊙ c_(t-1) + i ⊙ tanh(W_c [h_(t-1), x_t] + b_c) and h_t = o ⊙ tanh(c_t): f forgets, i takes in, o lets out.
    (batch, seq, dim) → y of (batch, seq, hidden), the state of the last layer after every step, and h and c of
    (layers, batch, hidden), the states after the last step. `bidirectional` adds a second reading from the end: twice
    the features, twice the states.

    The memory c is only scaled and added to, so gradients reach far back. It needs as many steps as the sequence is
    long, where attention takes one. Hochreiter and Schmidhuber 1997, doi.org/10.1162/neco.1997.9.8.1735.
    """

    title = "LSTM"
    synonyms = (
        "long short-term memory",
        "BiLSTM",
        "bidirectional",
        "recurrent",
        "rnn",
        "hidden state",
        "cell state",
        "forget gate",
        "sequence",
    )
    equation = (
        r"f = \sigma(W_f\,[h_{t-1}, x_t] + b_f) \\"
        r"i = \sigma(W_i\,[h_{t-1}, x_t] + b_i) \\"
        r"o = \sigma(W_o\,[h_{t-1}, x_t] + b_o) \\"
        r"c_t = f \odot c_{t-1} + i \odot \tanh(W_c\,[h_{t-1}, x_t] + b_c) \\"
        r"h_t = o \odot \tanh(c_t)"
    )
    shown = ("hidden", "layers", "bidirectional")
    inputs = {
        "x": Port("batch seq dim", kind="features", dtype="float", doc="one vector for each step"),
        "h0": Port("states batch hidden", dtype="float", optional=True, doc="states before the first step; else zeros"),
        "c0": Port(
            "states batch hidden", dtype="float", optional=True, doc="memories before the first step; else zeros"
        ),
    }
    outputs = {
        "y": Port("batch seq features", kind="features", doc="the state after every step"),
        "h": Port("states batch hidden", kind="features", doc="the states after the last step"),
        "c": Port("states batch hidden", kind="features", doc="the memories after the last step"),
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
        self.rnn = nn.LSTM(
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

    def forward(self, x: Tensor, h0: Tensor | None = None, c0: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        if h0 is None and c0 is not None:
            h0 = torch.zeros_like(c0)
        if c0 is None and h0 is not None:
            c0 = torch.zeros_like(h0)
        if h0 is None or c0 is None:
            y, (h, c) = self.rnn(x)
        else:
            y, (h, c) = self.rnn(x, (h0, c0))
        return y, h, c


def infer_sequence(block: type[Block], shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
    """Shapes out of a recurrent block: y for every step; a state for every layer and direction."""
    axes = block.unify(block.inputs, shapes, params, need)
    directions = 2 if params["bidirectional"] else 1
    states = params["layers"] * directions
    for port in [port for port in shapes if port != "x"]:
        count = f"{params['layers']} layers" if params["layers"] > 1 else "one layer"
        read = f"{count}, read both ways" if params["bidirectional"] else count
        needed = f"it has {read}: {states} in all"
        found = f"{axes['states']} states"
        if isinstance(axes["states"], Dim):
            found = f"any number of states ({axes['states']})"
            needed += f'; Rearrange makes them of features: "b (s h) -> s b h" with `sizes` "s={states}"'
        need.equal(axes["states"], states, port=port, found=found, needed=needed)
    kept = (states, axes["batch"], params["hidden"])
    answer: dict[str, Shape] = {"y": (axes["batch"], axes["seq"], directions * params["hidden"])}
    return answer | {port: kept for port in block.outputs if port != "y"}
