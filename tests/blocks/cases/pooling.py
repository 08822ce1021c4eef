from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import PICTURE, fixed, small
from hypothesis import strategies as st


def windows(p, x, fill):
    """What each window sees, as two axes behind the picture's."""
    kernel, pad = p["kernel_size"], p["padding"]
    step = p["stride"] or kernel
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    height, width = ((size - kernel) // step + 1 for size in x.shape[2:])
    rows = [
        np.stack([x[:, :, r * step : r * step + kernel, c * step : c * step + kernel] for c in range(width)], 2)
        for r in range(height)
    ]
    return np.stack(rows, 2)


CALLS = [
    *(
        Call(block, {"x": PICTURE}, params)
        for block in ("MaxPool2d", "AvgPool2d")
        for params in ({}, {"kernel_size": 3, "stride": 2, "padding": 1}, {"kernel_size": 5, "stride": 1})
    ),
    Call("GlobalAvgPool", {"x": PICTURE}),
]

REFERENCES = {
    "MaxPool2d": lambda p, s, x: windows(p, x, -np.inf).max((-2, -1)),
    "AvgPool2d": lambda p, s, x: windows(p, x, 0).mean((-2, -1)),
    "GlobalAvgPool": lambda p, s, x: x.reshape(*x.shape[:2], -1).mean(-1),
}

WINDOW = {"kernel_size": small, "stride": st.none() | small, "padding": st.integers(0, 4)}
STRATEGIES = {
    "MaxPool2d": fixed({"x": PICTURE}, **WINDOW),
    "AvgPool2d": fixed({"x": PICTURE}, **WINDOW),
    "GlobalAvgPool": fixed({"x": PICTURE}),
}
