from __future__ import annotations

import math

import numpy as np
from cases.attention import falling, turned
from cases.call import Call
from cases.drawing import fixed, params, small
from hypothesis import strategies as st


def waves(p, x):
    position, feature = np.meshgrid(np.arange(x.shape[1]), np.arange(x.shape[2]), indexing="ij")
    angle = position / p["max_period"] ** (feature // 2 * 2 / x.shape[2])
    return x + np.where(feature % 2, np.cos(angle), np.sin(angle))


def time_waves(p, t):
    half = p["dim"] // 2
    angle = t[:, None] * p["max_period"] ** (-np.arange(half) / half)
    return np.concatenate([np.cos(angle), np.sin(angle)], 1)


def turned_both(p, s, q, k, positions):
    strength = 1 + math.log(p["rope_factor"]) / 10 if p["rope_scaling"] == "yarn" else 1
    share = p["rope_dim"] or q.shape[-1]
    both = tuple(turned(t, p, positions, share) for t in (q, k))
    for t in both:
        t[..., :share] *= strength
    return both


def turned_twice(p, x):
    """The first half of the pairs by row, the others by column, each as the pairs of half a head would."""
    *_, height, width, size = x.shape
    row, column = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    quarter, together = size // 4, p["rope_layout"] == "interleaved"
    y = np.empty_like(x)
    for pair in range(size // 2):
        place = row if pair < quarter else column
        angle = place * p["rope_theta"] ** (-(pair % quarter) / quarter)
        real, imaginary = (2 * pair, 2 * pair + 1) if together else (pair, pair + size // 2)
        number = (x[..., real] + 1j * x[..., imaginary]) * np.exp(1j * angle)
        y[..., real], y[..., imaginary] = number.real, number.imag
    return y


def counted(tokens, prefix):
    positions, blocks = np.zeros(tokens.shape, int), np.zeros(tokens.shape, int)
    for sample, place in np.ndindex(tokens.shape):
        behind = place >= prefix[sample]
        positions[sample, place] = max(prefix[sample] - 1, 0) if behind else place
        blocks[sample, place] = place - prefix[sample] + 1 if behind else 0
    return positions, blocks


QK = {"q": "batch 6 seq 8", "k": "batch 2 seq 8"}
GRID = {"q": "batch 4 height width 12", "k": "batch 2 height width 12"}
SCALED = {"rope_theta": 50.0, "rope_factor": 3.0, "rope_context": 40}

CALLS = [
    Call("LearnedPosition", {"x": "batch seq 10"}, {"dim": 10, "context": 40}),
    Call("SinusoidalPosition", {"x": "batch seq 10"}, {"dim": 10}),
    Call("SinusoidalPosition", {"x": "batch seq 9"}, {"dim": 9, "max_period": 100.0}),
    Call("SinusoidalPosition2d", {"x": "batch seq 12"}, {"dim": 12, "rows": 9, "columns": 5}),
    Call("TimestepEmbedding", {"t": "batch"}, {"dim": 14}),
    Call("RotaryPosition", QK),
    Call("RotaryPosition", QK | {"positions": "batch seq"}, {"rope_layout": "interleaved", "rope_theta": 99.0}),
    Call("RotaryPosition", {"q": "batch 3 seq 7", "k": "batch 3 seq 7"}, {"rope_dim": 4}),
    *(Call("RotaryPosition", QK, SCALED | {"rope_scaling": scaling}) for scaling in ("linear", "ntk", "yarn")),
    Call("RotaryPosition", QK | {"positions": "seq"}, SCALED | {"rope_scaling": "yarn", "rope_dim": 6}),
    Call("RotaryPosition2d", GRID),
    Call("RotaryPosition2d", GRID, {"rope_layout": "interleaved", "rope_theta": 77.0}),
    Call("ALiBi", {"x": "batch seq 5"}),
    Call("ALiBi", {"x": "batch 4 seq 5"}, {"num_heads": 5}),
    Call("PrefixPosition", {"tokens": "batch seq", "prefix": "batch"}),
    Call(
        "TwoDimensionalPosition",
        {"x": "batch seq 6", "positions": "batch seq", "block_positions": "batch seq"},
        {"dim": 6, "context": 40},
    ),
]

REFERENCES = {
    "LearnedPosition": lambda p, s, x: np.stack([row + s["weight"][: len(row)] for row in x]),
    "SinusoidalPosition": lambda p, s, x: waves(p, x),
    "SinusoidalPosition2d": lambda p, s, x: np.stack([row + s["weight"][: len(row)] for row in x]),
    "TimestepEmbedding": lambda p, s, t: time_waves(p, t),
    "RotaryPosition": turned_both,
    "RotaryPosition2d": lambda p, s, q, k: (turned_twice(p, q), turned_twice(p, k)),
    "ALiBi": lambda p, s, x: falling(p["num_heads"], x.shape[-2]),
    "PrefixPosition": lambda p, s, tokens, prefix: counted(tokens, prefix),
    "TwoDimensionalPosition": lambda p, s, x, at, block: x + s["weight"][at] + s["block_weight"][block],
}


@st.composite
def rotary(draw):
    size = draw(st.integers(1, 9))
    given = draw(
        params(
            rope_layout=st.sampled_from(["half", "interleaved"]),
            rope_dim=st.sampled_from([None, 2, 3, 4, 6]),
            rope_scaling=st.sampled_from(["none", "linear", "ntk", "yarn"]),
        )
    )
    shapes = {"q": f"batch {draw(small)} seq {size}", "k": f"batch {draw(small)} seq {size}"}
    if draw(st.booleans()):
        shapes["positions"] = draw(st.sampled_from(["batch seq", "seq", "1 seq", "1", ""]))
    return given, shapes


@st.composite
def rotary_2d(draw):
    size = draw(st.integers(1, 9))
    layout = draw(st.sampled_from(["half", "interleaved"]))
    shapes = {port: f"batch {draw(small)} height width {size}" for port in "qk"}
    return {"rope_layout": layout}, shapes


STRATEGIES = {
    # A table of one row would stretch over a longer sequence, where any other is refused.
    "LearnedPosition": fixed({"x": "batch seq 6"}, dim=st.just(6), context=st.integers(2, 30)),
    "SinusoidalPosition": small.map(lambda dim: ({"dim": dim}, {"x": f"batch seq {dim}"})),
    "SinusoidalPosition2d": fixed(
        {"x": "batch seq 8"}, dim=st.just(8), rows=st.integers(2, 9), columns=st.integers(1, 9)
    ),
    "RotaryPosition": rotary(),
    "RotaryPosition2d": rotary_2d(),
    "ALiBi": fixed({"x": "batch seq 5"}, num_heads=st.integers(1, 20)),
    "PrefixPosition": fixed({"tokens": "batch seq", "prefix": "batch"}),
    "TwoDimensionalPosition": fixed(
        {"x": "batch seq 6", "positions": "batch seq", "block_positions": "batch seq"},
        dim=st.just(6),
        context=st.integers(20, 40),
    ),
    "TimestepEmbedding": fixed({"t": "batch"}, dim=st.integers(1, 8).map(lambda half: 2 * half)),
}
