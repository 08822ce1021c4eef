from __future__ import annotations

from cases.call import Call
from cases.drawing import flags, over_last, small
from cases.numbers import affine, gelu, gelu_tanh, relu, silu
from hypothesis import strategies as st

ACTIVATIONS = {"gelu": gelu, "gelu_tanh": gelu_tanh, "relu": relu, "silu": silu}

CALLS = [
    Call("FeedForward", {"x": "batch seq 6"}, {"dim": 6}),
    *(
        Call("FeedForward", {"x": "batch height width 6"}, {"dim": 6, "hidden": 5, "bias": bias, "activation": act})
        for act, bias in (("gelu_tanh", True), ("relu", False), ("silu", True))
    ),
    Call("SwiGLU", {"x": "batch seq 6"}, {"dim": 6, "multiple_of": 4}),
    Call("SwiGLU", {"x": "6"}, {"dim": 6, "hidden": 7, "bias": True}),
]

REFERENCES = {
    "FeedForward": lambda p, s, x: affine(ACTIVATIONS[p["activation"]](affine(x, s, "up.")), s, "down."),
    "SwiGLU": lambda p, s, x: affine(silu(affine(x, s, "gate.")) * affine(x, s, "up."), s, "down."),
}

STRATEGIES = {
    "FeedForward": over_last("dim", hidden=st.none() | small, bias=flags),
    "SwiGLU": over_last("dim", hidden=st.none() | small, multiple_of=small, bias=flags),
}
