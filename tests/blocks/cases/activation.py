from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import one_axis, pointwise
from cases.numbers import gelu, gelu_tanh, relu, sigmoid, silu, softmax

PICTURE = {"x": "batch 6 height width"}

CALLS = [
    *(Call(name, {"x": "batch seq 5"}) for name in ("ReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "Softmax")),
    Call("GELU", PICTURE, {"approximate": "tanh"}),
    Call("Softmax", PICTURE, {"axis": 1}),
    Call("Softmax", PICTURE, {"axis": -2}),
]

REFERENCES = {
    "ReLU": lambda p, s, x: relu(x),
    "GELU": lambda p, s, x: (gelu if p["approximate"] == "none" else gelu_tanh)(x),
    "SiLU": lambda p, s, x: silu(x),
    "Sigmoid": lambda p, s, x: sigmoid(x),
    "Tanh": lambda p, s, x: 1 - 2 / (np.exp(2 * x) + 1),
    "Softmax": lambda p, s, x: softmax(x, p["axis"]),
}

STRATEGIES = {
    "ReLU": pointwise(),
    "GELU": pointwise(),
    "SiLU": pointwise(),
    "Sigmoid": pointwise(),
    "Tanh": pointwise(),
    "Softmax": one_axis(),
}
