from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import one_axis, pointwise
from cases.numbers import gelu, gelu_tanh, relu, sigmoid, silu, softmax

PICTURE = {"x": "batch 6 height width"}


def gated(signal, gate):
    return np.tanh(signal) * sigmoid(gate)


CALLS = [
    *(Call(name, {"x": "batch seq 5"}) for name in ("ReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "Softmax")),
    *(Call(name, {"x": "batch seq 5"}) for name in ("LeakyReLU", "ELU", "Softplus", "Mish", "HardTanh")),
    *(Call(name, {"x": "batch seq 25"}) for name in ("HardSigmoid", "HardSwish")),
    Call("GELU", PICTURE, {"approximate": "tanh"}),
    Call("Softmax", PICTURE, {"axis": 1}),
    Call("Softmax", PICTURE, {"axis": -2}),
    Call("LeakyReLU", PICTURE, {"slope": 0.2}),
    Call("ELU", PICTURE, {"alpha": 0.7}),
    Call("Softplus", PICTURE, {"beta": 3.0}),
    Call("HardTanh", PICTURE, {"low": 0.0, "high": 0.5}),
    Call("GatedActivation", PICTURE),
    Call("GatedActivation", {"x": "batch seq 10"}, {"axis": -1}),
]

REFERENCES = {
    "ReLU": lambda p, s, x: relu(x),
    "GELU": lambda p, s, x: (gelu if p["approximate"] == "none" else gelu_tanh)(x),
    "SiLU": lambda p, s, x: silu(x),
    "Sigmoid": lambda p, s, x: sigmoid(x),
    "Tanh": lambda p, s, x: 1 - 2 / (np.exp(2 * x) + 1),
    "Softmax": lambda p, s, x: softmax(x, p["axis"]),
    "LeakyReLU": lambda p, s, x: np.where(x > 0, x, p["slope"] * x),
    "ELU": lambda p, s, x: np.where(x > 0, x, p["alpha"] * np.expm1(x)),
    "Softplus": lambda p, s, x: np.log1p(np.exp(p["beta"] * x)) / p["beta"],
    "Mish": lambda p, s, x: x * np.tanh(np.log1p(np.exp(x))),
    "HardSigmoid": lambda p, s, x: np.clip(x / 6 + 0.5, 0, 1),
    "HardSwish": lambda p, s, x: x * np.clip(x / 6 + 0.5, 0, 1),
    "HardTanh": lambda p, s, x: np.clip(x, p["low"], p["high"]),
    "GatedActivation": lambda p, s, x: gated(*np.split(x, 2, p["axis"])),
}

STRATEGIES = {
    **{name: pointwise() for name in ("LeakyReLU", "ELU", "Softplus", "Mish", "HardSigmoid", "HardSwish", "HardTanh")},
    "GatedActivation": one_axis().map(lambda drawn: (drawn[0], {"x": drawn[1]["x"].replace("height", "2*height")})),
    "ReLU": pointwise(),
    "GELU": pointwise(),
    "SiLU": pointwise(),
    "Sigmoid": pointwise(),
    "Tanh": pointwise(),
    "Softmax": one_axis(),
}
