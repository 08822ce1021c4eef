from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import AXES, PICTURE, fixed, flags, small
from cases.numbers import per_channel, relu, sigmoid
from hypothesis import strategies as st


def seen(x, weight, bias):
    """A convolution that keeps the size, one output place at a time."""
    side = weight.shape[2]
    padded = np.pad(x, ((0, 0), (0, 0), (side // 2,) * 2, (side // 2,) * 2))
    y = np.zeros((len(x), len(weight), *x.shape[2:]))
    for r in range(x.shape[2]):
        for c in range(x.shape[3]):
            window = padded[:, :, r : r + side, c : c + side]
            y[:, :, r, c] = np.einsum("bihw,oihw->bo", window, weight) + bias
    return y


def network(p, s, x):
    for layer in (0, 2, 4):
        weight, bias = s[f"network.{layer}.weight"], s[f"network.{layer}.bias"]
        x = x @ weight.T + bias if p["network"] == "linear" else seen(x, weight, bias)
        x = relu(x) if layer < 4 else x
    return x


def changes(p, x):
    """True where x changes."""
    if p["mask"] == "channel":
        free = np.zeros(x.shape[1], bool)
        free[: x.shape[1] // 2] = True
        free = free if p["swap"] else ~free
        return np.broadcast_to(per_channel(free, x), x.shape)
    places = np.add.outer(np.arange(x.shape[2]), np.arange(x.shape[3])) if x.ndim == 4 else np.arange(x.shape[1])
    return np.broadcast_to(places % 2 == (0 if p["swap"] else 1), x.shape)


def coupling(kind, p, s, x):
    """One sample at a time; where the mask lets through, a value meets its own scale and shift."""
    free = changes(p, x)
    if p["mask"] == "channel":
        channel = free[0].reshape(x.shape[1], -1)[:, 0]
        out = network(p, s, x[:, ~channel])
    else:
        channel = np.ones(x.shape[1], bool)
        out = network(p, s, np.where(free, 0, x))
    shift, log_scale = np.zeros_like(x), np.zeros_like(x)
    if kind == "additive":
        shift[:, channel] = out
    else:
        count = out.shape[1] // 2
        shift[:, channel] = out[:, count:]
        raw = out[:, :count]
        log_scale[:, channel] = np.log(sigmoid(raw + 2)) if p["scale"] == "sigmoid" else s["factor"] * np.tanh(raw)
    log_scale = np.where(free, log_scale, 0)
    y = (x - shift) / np.exp(log_scale) if p["direction"] == "inverse" else x * np.exp(log_scale) + shift
    log_det = log_scale.reshape(len(x), -1).sum(1)
    return np.where(free, y, x), -log_det if p["direction"] == "inverse" else log_det


def positions(x):
    return int(np.prod(x.shape[2:]))


def act_norm(p, s, x):
    bias, log_scale = per_channel(s["bias"], x), per_channel(s["log_scale"], x)
    log_det = np.full(len(x), positions(x) * s["log_scale"].sum())
    if p["direction"] == "inverse":
        return x / np.exp(log_scale) - bias, -log_det
    return np.exp(log_scale) * (x + bias), log_det


def invertible_conv(p, s, x):
    factors = s["factors"]
    channels = len(factors)
    lower, upper = np.eye(channels), np.zeros((channels, channels))
    for i in range(channels):
        upper[i, i] = np.exp(factors[i, i]) * (-1 if s["negative"][i] else 1)
        for j in range(channels):
            if j < i:
                lower[i, j] = factors[i, j]
            if j > i:
                upper[i, j] = factors[i, j]
    order = np.zeros((channels, channels))
    order[np.arange(channels), s["permutation"]] = 1
    matrix = order @ lower @ upper
    log_det = np.full(len(x), positions(x) * np.log(abs(np.linalg.det(matrix))))
    if p["direction"] == "inverse":
        matrix, log_det = np.linalg.inv(matrix), -log_det
    return np.einsum("oi,bi...->bo...", matrix, x), log_det


def squeeze(p, s, x):
    f = p["factor"]
    batch, channels, height, width = x.shape
    if p["direction"] == "inverse":
        y = np.zeros((batch, channels // f**2, height * f, width * f))
    else:
        y = np.zeros((batch, channels * f**2, height // f, width // f))
    small, large = (x, y) if p["direction"] == "inverse" else (y, x)
    for c in range(large.shape[1]):
        for a in range(f):
            for b in range(f):
                if p["direction"] == "inverse":
                    large[:, c, a::f, b::f] = small[:, c * f * f + a * f + b]
                else:
                    small[:, c * f * f + a * f + b] = large[:, c, a::f, b::f]
    return y


def calls():
    picture, vectors = {"x": "batch 5 height width"}, {"x": "batch 5"}
    base = {"channels": 5, "hidden": 7}
    back = {"direction": "inverse"}
    board = {"mask": "checkerboard"}
    calls = []
    for name in ("AffineCoupling", "AdditiveCoupling"):
        calls += [
            Call(name, picture, base),
            Call(name, picture, base | back | {"swap": True}),
            Call(name, picture, base | board),
            Call(name, {"x": "batch 1 height width"}, board | back | {"channels": 1, "hidden": 4, "swap": True}),
            Call(name, vectors, base | {"network": "linear", "swap": True}),
            Call(name, vectors, base | board | back | {"network": "linear"}),
        ]
    for scale in ({}, back, board):
        calls.append(Call("AffineCoupling", picture, base | scale | {"scale": "sigmoid"}))
    for name in ("ActNorm", "InvertibleConv1x1"):
        for shape in (picture, vectors, {"x": "batch 5 seq"}):
            calls += [Call(name, shape, {"channels": 5}), Call(name, shape, back | {"channels": 5})]
    even = {"x": "batch 3 2*height 2*width"}
    return [
        *calls,
        Call("Squeeze", even),
        Call("Squeeze", {"x": "batch 3 3*height 3*width"}, {"factor": 3}),
        Call("Squeeze", {"x": "batch 18 height width"}, back | {"factor": 3}),
        Call("Squeeze", {"x": "batch 8 height width"}, back),
    ]


@st.composite
def couplings(draw, name):
    channels, linear = draw(small), draw(flags)
    given = {
        "channels": channels,
        "hidden": draw(small),
        "mask": draw(st.sampled_from(["channel", "checkerboard"])),
        "swap": draw(flags),
        "network": "linear" if linear else "convolution",
        "direction": draw(st.sampled_from(["forward", "inverse"])),
    }
    if name == "AffineCoupling":
        given["scale"] = draw(st.sampled_from(["tanh", "sigmoid"]))
    return given, {"x": f"batch {channels}" if linear else f"batch {channels} height width"}


@st.composite
def per_position(draw):
    channels = draw(small)
    given = {"channels": channels, "direction": draw(st.sampled_from(["forward", "inverse"]))}
    return given, {"x": f"batch {channels} {' '.join(AXES[2 : 2 + draw(st.integers(0, 3))])}"}


CALLS = calls()

REFERENCES = {
    "AffineCoupling": lambda p, s, x: coupling("affine", p, s, x),
    "AdditiveCoupling": lambda p, s, x: coupling("additive", p, s, x),
    "ActNorm": act_norm,
    "InvertibleConv1x1": invertible_conv,
    "Squeeze": squeeze,
}

STRATEGIES = {
    "AffineCoupling": couplings("AffineCoupling"),
    "AdditiveCoupling": couplings("AdditiveCoupling"),
    "ActNorm": per_position(),
    "InvertibleConv1x1": per_position(),
    "Squeeze": fixed({"x": PICTURE}, factor=st.integers(1, 4), direction=st.sampled_from(["forward", "inverse"])),
}
