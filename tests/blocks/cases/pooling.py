from __future__ import annotations

import itertools
import math

import numpy as np
from cases.call import Call
from cases.drawing import PICTURE, fixed, small
from cases.numbers import affine, softmax
from hypothesis import strategies as st


def windows(p, x, fill):
    """What each window sees, laid into one axis behind the places."""
    kernel, pad = p["kernel_size"], p["padding"]
    step, axes = p["stride"] or kernel, x.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *((pad, pad),) * axes), constant_values=fill)
    places = [(size - kernel) // step + 1 for size in x.shape[2:]]
    y = np.zeros((*x.shape[:2], *places, kernel**axes))
    for place in itertools.product(*map(range, places)):
        window = tuple(slice(at * step, at * step + kernel) for at in place)
        y[(slice(None), slice(None), *place)] = x[(..., *window)].reshape(*x.shape[:2], -1)
    return y


def parts(p, x, take):
    """Rows and columns cut into parts that cover them all, a value for each."""
    y = np.zeros((*x.shape[:2], p["rows"], p["columns"]))
    ends = [
        [(k * size // count, math.ceil((k + 1) * size / count)) for k in range(count)]
        for size, count in zip(x.shape[2:], (p["rows"], p["columns"]), strict=True)
    ]
    for r, (top, bottom) in enumerate(ends[0]):
        for c, (left, right) in enumerate(ends[1]):
            y[:, :, r, c] = take(x[:, :, top:bottom, left:right], (-2, -1))
    return y


def summed_up(p, s, x, mask):
    """One query for each head, the same for every sample."""
    k, v = affine(x, s, "k_proj."), affine(x, s, "v_proj.")
    size = p["dim"] // p["num_heads"]
    y = np.zeros((len(x), p["dim"]))
    for sample in range(len(x)):
        seen = np.flatnonzero(np.ones(x.shape[1]) if mask is None else mask[sample])
        for start in range(0, p["dim"] if len(seen) else 0, size):
            head = slice(start, start + size)
            weights = softmax(k[sample, seen, head] @ s["query"][head] / math.sqrt(size))
            y[sample, head] = weights @ v[sample, seen, head]
    return affine(y, s, "o_proj.")


CALLS = [
    *(
        Call(block, {"x": PICTURE}, params)
        for block in ("MaxPool2d", "AvgPool2d")
        for params in ({}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 5, "stride": 1})
    ),
    *(
        Call(block, {"x": "batch 6 length"}, params)
        for block in ("MaxPool1d", "AvgPool1d")
        for params in ({}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 5, "stride": 1})
    ),
    *(
        Call(block, {"x": PICTURE}, params)
        for block in ("AdaptiveAvgPool2d", "AdaptiveMaxPool2d")
        for params in ({}, {"rows": 1, "columns": 4}, {"rows": 15, "columns": 3})
    ),
    Call("GlobalAvgPool", {"x": PICTURE}),
    Call("GlobalMaxPool", {"x": PICTURE}),
    Call("AttentionPooling", {"x": "batch seq 12"}, {"dim": 12, "num_heads": 4}),
    Call("AttentionPooling", {"x": "batch seq 12", "mask": "batch seq"}, {"dim": 12, "num_heads": 1, "bias": False}),
]

REFERENCES = {
    **dict.fromkeys(("MaxPool1d", "MaxPool2d"), lambda p, s, x: windows(p, x, -np.inf).max(-1)),
    **dict.fromkeys(("AvgPool1d", "AvgPool2d"), lambda p, s, x: windows(p, x, 0).mean(-1)),
    "AdaptiveAvgPool2d": lambda p, s, x: parts(p, x, np.mean),
    "AdaptiveMaxPool2d": lambda p, s, x: parts(p, x, np.max),
    "GlobalMaxPool": lambda p, s, x: x.max((-2, -1)),
    "AttentionPooling": summed_up,
    "GlobalAvgPool": lambda p, s, x: x.reshape(*x.shape[:2], -1).mean(-1),
}

WINDOW = {"kernel_size": small, "stride": st.none() | small, "padding": st.integers(0, 4)}
STRATEGIES = {
    "MaxPool1d": fixed({"x": "batch 6 length"}, **WINDOW),
    "AvgPool1d": fixed({"x": "batch 6 length"}, **WINDOW),
    "AdaptiveAvgPool2d": fixed({"x": PICTURE}, rows=small, columns=small),
    "AdaptiveMaxPool2d": fixed({"x": PICTURE}, rows=small, columns=small),
    "GlobalMaxPool": fixed({"x": PICTURE}),
    "AttentionPooling": st.sampled_from([{}, {"mask": "batch seq"}]).map(
        lambda extra: ({"dim": 6, "num_heads": 3}, {"x": "batch seq 6"} | extra)
    ),
    "MaxPool2d": fixed({"x": PICTURE}, **WINDOW),
    "AvgPool2d": fixed({"x": PICTURE}, **WINDOW),
    "GlobalAvgPool": fixed({"x": PICTURE}),
}
