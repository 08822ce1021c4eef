from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import fixed, small
from hypothesis import strategies as st


def waves(p, x):
    position, feature = np.meshgrid(np.arange(x.shape[1]), np.arange(x.shape[2]), indexing="ij")
    angle = position / p["max_period"] ** (feature // 2 * 2 / x.shape[2])
    return x + np.where(feature % 2, np.cos(angle), np.sin(angle))


def time_waves(p, t):
    half = p["dim"] // 2
    angle = t[:, None] * p["max_period"] ** (-np.arange(half) / half)
    return np.concatenate([np.cos(angle), np.sin(angle)], 1)


CALLS = [
    Call("LearnedPosition", {"x": "batch seq 10"}, {"dim": 10, "context": 40}),
    Call("SinusoidalPosition", {"x": "batch seq 10"}, {"dim": 10}),
    Call("SinusoidalPosition", {"x": "batch seq 9"}, {"dim": 9, "max_period": 100.0}),
    Call("TimestepEmbedding", {"t": "batch"}, {"dim": 14}),
]

REFERENCES = {
    "LearnedPosition": lambda p, s, x: np.stack([row + s["weight"][: len(row)] for row in x]),
    "SinusoidalPosition": lambda p, s, x: waves(p, x),
    "TimestepEmbedding": lambda p, s, t: time_waves(p, t),
}

STRATEGIES = {
    # A table of one row would stretch over a longer sequence, where any other is refused.
    "LearnedPosition": fixed({"x": "batch seq 6"}, dim=st.just(6), context=st.integers(2, 30)),
    "SinusoidalPosition": small.map(lambda dim: ({"dim": dim}, {"x": f"batch seq {dim}"})),
    "TimestepEmbedding": fixed({"t": "batch"}, dim=st.integers(1, 8).map(lambda half: 2 * half)),
}
