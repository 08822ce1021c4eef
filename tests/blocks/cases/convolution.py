from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import PICTURE, fixed, flags, small
from cases.numbers import per_channel
from hypothesis import strategies as st


def conv2d(p, state, x):
    weight, pad, step, gap = state["weight"], p["padding"], p["stride"], p["dilation"]
    mode = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[p["padding_mode"]]
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode=mode)
    span = gap * (p["kernel_size"] - 1) + 1
    height, width = ((size - span) // step + 1 for size in x.shape[2:])
    outputs, inside = weight.shape[:2]
    y = np.zeros((len(x), outputs, height, width))
    for o in range(outputs):
        start = o // (outputs // p["groups"]) * inside
        for r in range(height):
            for c in range(width):
                window = x[
                    :, start : start + inside, r * step : r * step + span : gap, c * step : c * step + span : gap
                ]
                y[:, o, r, c] = (window * weight[o]).sum((1, 2, 3))
    return y + per_channel(state["bias"], y) if "bias" in state else y


def conv_transpose2d(p, state, x):
    weight, pad, step, gap, groups = state["weight"], p["padding"], p["stride"], p["dilation"], p["groups"]
    batch, inputs, height, width = x.shape
    inside = weight.shape[1]
    span = gap * (p["kernel_size"] - 1) + 1
    full = [(size - 1) * step + span + p["output_padding"] for size in (height, width)]
    y = np.zeros((batch, inside * groups, *full))
    for i in range(inputs):
        out = i // (inputs // groups) * inside
        for r in range(height):
            for c in range(width):
                stamp = x[:, i, r, c, None, None, None] * weight[i]
                y[:, out : out + inside, r * step : r * step + span : gap, c * step : c * step + span : gap] += stamp
    y = y[:, :, pad : full[0] - pad, pad : full[1] - pad]
    return y + per_channel(state["bias"], y) if "bias" in state else y


def up_sample(p, x):
    factor, (height, width) = p["factor"], x.shape[2:]
    if p["mode"] == "nearest":
        return x[:, :, np.arange(height * factor) // factor][..., np.arange(width * factor) // factor]

    def blend(length):
        """A matrix that reads each new pixel's centre between the two old ones around it."""
        matrix = np.zeros((length * factor, length))
        for new in range(length * factor):
            place = min(max((new + 0.5) / factor - 0.5, 0), length - 1)
            low = min(int(place), length - 1)
            matrix[new, low] += 1 - (place - low)
            matrix[new, min(low + 1, length - 1)] += place - low
        return matrix

    return np.einsum("ah,bchw,dw->bcad", blend(height), x, blend(width))


picture = {"x": PICTURE}
six = {"in_channels": 6}
CALLS = [
    Call("Conv2d", picture, six | {"out_channels": 4}),
    Call("Conv2d", picture, six | {"out_channels": 4, "kernel_size": 1, "padding": 0, "bias": False}),
    Call("Conv2d", picture, six | {"out_channels": 4, "kernel_size": 4, "stride": 3, "padding": 2, "groups": 2}),
    Call("Conv2d", picture, six | {"out_channels": 6, "kernel_size": 3, "groups": 6, "dilation": 3, "padding": 0}),
    *(
        Call("Conv2d", picture, six | {"out_channels": 3, "kernel_size": 5, "padding": 2, "padding_mode": mode})
        for mode in ("reflect", "replicate", "circular")
    ),
    Call("Conv2d", picture, six | {"out_channels": 3, "kernel_size": 2, "padding": 0, "padding_mode": "reflect"}),
    Call("ConvTranspose2d", picture, six | {"out_channels": 4}),
    Call("ConvTranspose2d", picture, six | {"out_channels": 4, "kernel_size": 3, "padding": 1, "output_padding": 1}),
    Call(
        "ConvTranspose2d",
        picture,
        six | {"out_channels": 9, "kernel_size": 4, "stride": 3, "groups": 3, "dilation": 2, "bias": False},
    ),
    Call("ConvTranspose2d", picture, six | {"out_channels": 2, "kernel_size": 1, "stride": 1, "padding": 2}),
    Call("UpSample", picture),
    Call("UpSample", picture, {"factor": 3, "mode": "bilinear"}),
    Call("UpSample", picture, {"factor": 1}),
]

REFERENCES = {
    "Conv2d": conv2d,
    "ConvTranspose2d": conv_transpose2d,
    "UpSample": lambda p, s, x: up_sample(p, x),
}

window = {"kernel_size": small, "stride": st.integers(1, 4), "padding": st.integers(0, 4)}
groups = st.sampled_from([1, 2, 3, 6])
STRATEGIES = {
    "Conv2d": fixed(
        picture,
        in_channels=st.just(6),
        out_channels=st.sampled_from([6, 12]),
        groups=groups,
        dilation=st.integers(1, 3),
        bias=flags,
        padding_mode=st.sampled_from(["zeros", "reflect", "replicate", "circular"]),
        **window,
    ),
    "ConvTranspose2d": fixed(
        picture,
        in_channels=st.just(6),
        out_channels=st.sampled_from([6, 12]),
        groups=groups,
        dilation=st.integers(1, 3),
        output_padding=st.integers(0, 3),
        bias=flags,
        **window,
    ),
    "UpSample": fixed(picture, factor=st.integers(1, 4), mode=st.sampled_from(["nearest", "bilinear"])),
}
