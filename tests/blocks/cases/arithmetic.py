from __future__ import annotations

import math

import numpy as np
from cases.call import Call
from cases.drawing import AXES, stretched
from hypothesis import strategies as st

CALLS = [
    *(Call(name, {"x": ("batch seq 5", "batch seq 5", "batch seq 5")}) for name in ("Add", "Multiply")),
    *(Call(name, {"x": ("batch seq 5", "5", "batch 1 1")}) for name in ("Add", "Multiply")),
    *(Call(name, {"x": ("batch seq 5",)}) for name in ("Add", "Multiply", "Concat")),
    Call("Concat", {"x": ("batch seq 5", "batch seq 2", "batch seq 3")}),
    Call("Concat", {"x": ("batch 4 height width", "batch 2 height width")}, {"axis": 1}),
    Call("Concat", {"x": ("batch seq 3", "batch source_seq 3")}, {"axis": -2}),
]

REFERENCES = {
    "Add": lambda p, s, *x: sum(x),
    "Multiply": lambda p, s, *x: math.prod(x, start=1),
    "Concat": lambda p, s, *x: np.concatenate(x, p["axis"]),
}


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


STRATEGIES = {"Add": stretched(), "Multiply": stretched(), "Concat": concat()}
