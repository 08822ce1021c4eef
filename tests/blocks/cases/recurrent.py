from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import flags, small
from cases.numbers import relu, sigmoid
from hypothesis import strategies as st

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def product(vector, state, name, end):
    """One matrix of a cell with its bias, cut into its gates."""
    y = vector @ state[f"weight_{name}{end}"].T
    return y + state[f"bias_{name}{end}"] if f"bias_{name}{end}" in state else y


def cell(kind, p, state, end, x, h, c):
    """One step of one sample; the parts of the matrices lie in the order of torch's files."""
    of_x, of_h = (
        np.split(product(vector, state, name, end), GATES[kind], -1) for vector, name in ((x, "ih"), (h, "hh"))
    )
    if kind == "RNN":
        total = of_x[0] + of_h[0]
        return np.tanh(total) if p["activation"] == "tanh" else relu(total), c
    if kind == "GRU":
        reset, update = (sigmoid(of_x[gate] + of_h[gate]) for gate in range(2))
        new = np.tanh(of_x[2] + reset * of_h[2])
        return (1 - update) * new + update * h, c
    take, forget, _, show = (sigmoid(a + b) for a, b in zip(of_x, of_h, strict=True))
    c = forget * c + take * np.tanh(of_x[2] + of_h[2])
    return show * np.tanh(c), c


def read(kind, p, s, x, h0=None, c0=None):
    """Each sample, layer and direction by itself, one step after another."""
    s = {name.removeprefix("rnn."): tensor for name, tensor in s.items()}
    batch, seq, _ = x.shape
    ends = ("", "_reverse") if p["bidirectional"] else ("",)
    states, hidden = p["layers"] * len(ends), p["hidden"]
    h = np.zeros((states, batch, hidden)) if h0 is None else h0.copy()
    c = np.zeros((states, batch, hidden)) if c0 is None else c0.copy()
    for layer in range(p["layers"]):
        y = np.zeros((batch, seq, len(ends) * hidden))
        for direction, end in enumerate(ends):
            at = layer * len(ends) + direction
            for sample in range(batch):
                for step in range(seq)[:: -1 if direction else 1]:
                    h[at, sample], c[at, sample] = cell(
                        kind, p, s, f"_l{layer}{end}", x[sample, step], h[at, sample], c[at, sample]
                    )
                    y[sample, step, direction * hidden : (direction + 1) * hidden] = h[at, sample]
        x = y
    return (y, h, c) if kind == "LSTM" else (y, h)


def step(kind, p, s, x, h0, c0=None):
    s = {name.removeprefix("cell."): tensor for name, tensor in s.items()}
    h, c = cell(kind, p, s, "", x, h0, c0)
    return (h, c) if kind == "LSTM" else h


def calls():
    base = {"dim": 6, "hidden": 5}
    x = {"x": "batch seq 6"}
    calls = []
    for kind in GATES:
        both = {"h0": "4 batch 5"} | ({"c0": "4 batch 5"} if kind == "LSTM" else {})
        deep = base | {"layers": 2, "bidirectional": True}
        calls += [
            Call(kind, x, base),
            Call(kind, x | both, deep),
            Call(kind, x, deep | {"bias": False}),
            Call(kind, x | {"h0": "1 batch 5"}, base | ({"activation": "relu"} if kind == "RNN" else {})),
            Call(kind, {"x": "batch seq 1"}, {"dim": 1, "hidden": 1, "layers": 3}),
        ]
        one = {"x": "batch 6", "h0": "batch 5"} | ({"c0": "batch 5"} if kind == "LSTM" else {})
        calls += [Call(f"{kind}Cell", one, base), Call(f"{kind}Cell", one, base | {"bias": False})]
    calls += [
        Call("RNNCell", {"x": "batch 6", "h0": "batch 5"}, base | {"activation": "relu"}),
        Call("LSTM", x | {"c0": "1 batch 5"}, base),
    ]
    return calls


@st.composite
def sequences(draw, kind):
    dim, hidden, layers, both = draw(small), draw(small), draw(st.integers(1, 3)), draw(flags)
    given = {"dim": dim, "hidden": hidden, "layers": layers, "bidirectional": both, "bias": draw(flags)}
    shapes = {"x": f"batch seq {dim}"}
    for port in ("h0", "c0") if kind == "LSTM" else ("h0",):
        if draw(flags):
            states = draw(st.sampled_from([layers * (1 + both)] * 4 + [1, 2]))
            shapes[port] = f"{states} batch {hidden}"
    return given, shapes


@st.composite
def steps(draw, kind):
    dim, hidden = draw(small), draw(small)
    shapes = {"x": f"batch {dim}", "h0": f"batch {hidden}"} | ({"c0": f"batch {hidden}"} if kind == "LSTM" else {})
    return {"dim": dim, "hidden": hidden, "bias": draw(flags)}, shapes


def definition(function, kind):
    return lambda p, s, *inputs: function(kind, p, s, *inputs)


CALLS = calls()
REFERENCES = {kind: definition(read, kind) for kind in GATES} | {
    f"{kind}Cell": definition(step, kind) for kind in GATES
}
STRATEGIES = {kind: sequences(kind) for kind in GATES} | {f"{kind}Cell": steps(kind) for kind in GATES}
