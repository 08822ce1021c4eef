from __future__ import annotations

import math
from functools import reduce

import einops
import numpy as np
from cases.call import Call
from cases.drawing import AXES, flags, one_axis, pointwise, stretched
from hypothesis import strategies as st

MANY = ("Add", "Multiply", "Maximum", "Minimum")
POINTWISE = ("Exp", "Log", "Sqrt", "Abs")

CALLS = [
    *(Call(name, {"x": ("batch seq 5", "batch seq 5", "batch seq 5")}) for name in MANY),
    *(Call(name, {"x": ("batch seq 5", "5", "batch 1 1")}) for name in MANY),
    *(Call(name, {"x": ("batch seq 5",)}) for name in (*MANY, "Concat")),
    *(Call(name, {"a": "batch seq 5", "b": "batch seq 5"}, positive=True) for name in ("Subtract", "Divide")),
    *(Call(name, {"a": "seq 1", "b": "batch 1 5"}, positive=True) for name in ("Subtract", "Divide")),
    *(Call(name, {"x": "batch seq 5"}, positive=True) for name in POINTWISE),
    Call("Power", {"x": "batch seq 5"}),
    Call("Power", {"x": "batch seq 5"}, {"exponent": -1.5}, positive=True),
    Call("Scale", {"x": "batch seq 5"}, {"factor": -2.5}),
    Call("Scale", {"x": "batch 6 height width"}, {"factor": 0.5, "learned": True}),
    Call("Clamp", {"x": "batch seq 5"}, {"low": -0.5}),
    Call("Clamp", {"x": "batch seq 5"}, {"low": None, "high": 0.25}),
    Call("Clamp", {"x": "batch seq 5"}, {"low": None, "high": None}),
    *(
        Call(name, {"x": "batch seq 5"}, params)
        for name in ("Mean", "Sum", "Max")
        for params in ({}, {"axis": 1, "keep": True}, {"axis": None}, {"axis": None, "keep": True})
    ),
    Call("ApplyMask", {"x": "batch seq 5", "mask": "batch seq 1"}, {"value": -7.5}),
    Call("ApplyMask", {"x": "batch seq 5", "mask": "batch seq 5", "other": "seq 1"}),
    Call("MatMul", {"a": "batch seq 5", "b": "5 4"}),
    Call("MatMul", {"a": "batch 6 seq 5", "b": "batch 1 source_seq 5"}, {"transpose_b": True}),
    Call("Einsum", {"x": ("batch seq 5", "batch source_seq 5")}),
    Call("Einsum", {"x": ("batch seq 5", "5 4", "batch 4")}, {"pattern": "b s inner, inner outer, b outer -> s b"}),
    Call("Einsum", {"x": ("batch seq 5",)}, {"pattern": "batch seq dim -> dim batch"}),
    Call("Constant", {}),
    Call("Constant", {}, {"shape": "", "value": -3.0}),
    Call("Constant", {}, {"shape": "2, 1, 5", "value": 4.0, "learned": True}),
    Call("Constant", {}, {"shape": "2, 3", "entries": "1, -2.5, 3e2, 0., +4, 25e-2"}),
    Call("Concat", {"x": ("batch seq 5", "batch seq 2", "batch seq 3")}),
    Call("Concat", {"x": ("batch 4 height width", "batch 2 height width")}, {"axis": 1}),
    Call("Concat", {"x": ("batch seq 3", "batch source_seq 3")}, {"axis": -2}),
]

REFERENCES = {
    "Maximum": lambda p, s, *x: reduce(np.maximum, x),
    "Minimum": lambda p, s, *x: reduce(np.minimum, x),
    "Subtract": lambda p, s, a, b: a - b,
    "Divide": lambda p, s, a, b: a / b,
    "Exp": lambda p, s, x: np.exp(x),
    "Log": lambda p, s, x: np.log(x),
    "Sqrt": lambda p, s, x: np.sqrt(x),
    "Abs": lambda p, s, x: np.abs(x),
    "Power": lambda p, s, x: np.sign(x) ** (p["exponent"] % 2 == 1) * np.exp(np.log(np.abs(x)) * p["exponent"]),
    "Scale": lambda p, s, x: s.get("factor", p["factor"]) * x,
    "Clamp": lambda p, s, x: np.clip(x, p["low"], p["high"]) if (p["low"], p["high"]) != (None, None) else x,
    "Mean": lambda p, s, x: x.mean(p["axis"], keepdims=p["keep"]),
    "Sum": lambda p, s, x: x.sum(p["axis"], keepdims=p["keep"]),
    "Max": lambda p, s, x: x.max(p["axis"], keepdims=p["keep"]),
    "ApplyMask": lambda p, s, x, mask, other: x * mask + (p["value"] if other is None else other) * ~mask,
    "MatMul": lambda p, s, a, b: (
        a[..., None, :] * (b if p["transpose_b"] else b.swapaxes(-1, -2))[..., None, :, :]
    ).sum(-1),
    "Einsum": lambda p, s, *x: einops.einsum(*x, p["pattern"]),
    "Constant": lambda p, s: s.get("value", _constant(p)),
    "Add": lambda p, s, *x: sum(x),
    "Multiply": lambda p, s, *x: math.prod(x, start=1),
    "Concat": lambda p, s, *x: np.concatenate(x, p["axis"]),
}


def _constant(params):
    sizes = [int(size) for size in params["shape"].split(",") if size]
    if params["entries"]:
        return np.array([float(entry) for entry in params["entries"].split(",")]).reshape(sizes)
    return np.full(sizes, params["value"])


@st.composite
def concat(draw):
    rank = draw(st.integers(1, 4))
    axis = draw(st.integers(-rank, rank - 1))
    shapes = []
    for _ in range(draw(st.integers(1, 4))):
        axes = list(AXES[:rank])
        axes[axis] = draw(st.sampled_from(["3", "frames", "2*seq"]))
        shapes.append(" ".join(axes))
    return {"axis": axis}, {"x": tuple(shapes)}


@st.composite
def matrices(draw):
    axes = AXES[: draw(st.integers(0, 2))]
    inner = draw(st.sampled_from(["seq", "5"]))
    swapped = draw(flags)
    last = ["width", "height"]
    a = [*(draw(st.sampled_from([axis, "1"])) for axis in axes), last[0], inner]
    b = [*(draw(st.sampled_from([axis, "1"])) for axis in axes), *((last[1], inner) if swapped else (inner, last[1]))]
    return {"transpose_b": swapped}, {"a": " ".join(a), "b": " ".join(b[draw(st.integers(0, len(axes))) :])}


@st.composite
def masked(draw):
    axes = AXES[: draw(st.integers(0, 3))]

    def end():
        return " ".join(draw(st.sampled_from([axis, "1"])) for axis in axes[draw(st.integers(0, len(axes))) :])

    return {"value": 2.0}, {"x": " ".join(axes), "mask": end()} | ({"other": end()} if draw(flags) else {})


@st.composite
def contraction(draw):
    return draw(
        st.sampled_from(
            [
                ({"pattern": "b i d, b j d -> b i j"}, {"x": ("batch seq 5", "batch source_seq 5")}),
                ({"pattern": "b i d, b j d -> b i j"}, {"x": ("batch seq 5", "batch 5")}),
                ({"pattern": "i, j -> j i"}, {"x": ("seq", "frames")}),
                ({"pattern": "i i j -> j i"}, {"x": ("seq seq 5",)}),
                ({"pattern": "a b c -> "}, {"x": ("seq 5 batch",)}),
            ]
        )
    )


STRATEGIES = {
    **{name: stretched() for name in MANY},
    **{name: pointwise() for name in POINTWISE},
    **{name: stretched("a", "b") for name in ("Subtract", "Divide")},
    "Power": pointwise(exponent=st.sampled_from([1.0, 2.0])),
    "Scale": pointwise(factor=st.sampled_from([1.0, 2.0]), learned=flags),
    "Clamp": pointwise(low=st.sampled_from([None, -1.0])),
    **{name: one_axis(0, keep=flags) for name in ("Mean", "Sum", "Max")},
    "ApplyMask": masked(),
    "MatMul": matrices(),
    "Einsum": contraction(),
    "Constant": st.sampled_from(["", "3", "1, 4, 2"]).map(lambda shape: ({"shape": shape}, {})),
    "Concat": concat(),
}
