from __future__ import annotations

import itertools

import numpy as np
from cases.call import Call
from cases.drawing import PICTURE, fixed, flags, small
from cases.numbers import per_channel, relu, weight_of
from hypothesis import strategies as st


def every_place(sizes):
    return itertools.product(*map(range, sizes))


def padded(x, margins, mode):
    """X with margins at every axis behind the channels, one place at a time."""
    before, after = margins
    y = np.zeros((*x.shape[:2], *(size + before + after for size in x.shape[2:])))
    for place in every_place(y.shape[2:]):
        source = []
        for at, size in zip(place, x.shape[2:], strict=True):
            at -= before
            if mode == "reflect":
                at = abs(at) if at < size else 2 * (size - 1) - at
            elif mode == "replicate":
                at = min(max(at, 0), size - 1)
            elif mode == "circular":
                at %= size
            source.append(at)
        if all(0 <= at < size for at, size in zip(source, x.shape[2:], strict=True)):
            y[(..., *place)] = x[(..., *source)]
    return y


def convolved(p, s, x):
    weight, step, gap, groups = weight_of(s), p["stride"], p["dilation"], p.get("groups") or p["channels"]
    span = gap * (p["kernel_size"] - 1)
    margins = (span // 2, span - span // 2) if p["padding"] is None else (p["padding"],) * 2
    x = padded(x, margins, p["padding_mode"])
    places = [(size - span - 1) // step + 1 for size in x.shape[2:]]
    outputs, inside = weight.shape[:2]
    y = np.zeros((len(x), outputs, *places))
    for o in range(outputs):
        start = o // (outputs // groups) * inside
        for place in every_place(places):
            window = tuple(slice(at * step, at * step + span + 1, gap) for at in place)
            seen = x[(slice(None), slice(start, start + inside), *window)]
            y[(slice(None), o, *place)] = (seen * weight[o]).reshape(len(x), -1).sum(1)
    return y + per_channel(s["bias"], y) if "bias" in s else y


def stamped(p, s, x):
    weight, pad, step, gap, groups = weight_of(s), p["padding"], p["stride"], p["dilation"], p["groups"]
    batch, inputs, *sizes = x.shape
    inside = weight.shape[1]
    span = gap * (p["kernel_size"] - 1) + 1
    full = [(size - 1) * step + span + p["output_padding"] for size in sizes]
    y = np.zeros((batch, inside * groups, *full))
    for i in range(inputs):
        out = i // (inputs // groups) * inside
        for place in every_place(sizes):
            window = tuple(slice(at * step, at * step + span, gap) for at in place)
            value = x[(slice(None), i, *place)].reshape(batch, *[1] * (1 + len(sizes)))
            y[(slice(None), slice(out, out + inside), *window)] += value * weight[i]
    y = y[(..., *(slice(pad, size - pad) for size in full))]
    return y + per_channel(s["bias"], y) if "bias" in s else y


def seen_before(p, s, x):
    """A masked convolution, one tap at a time: each is left out that lies later, or at the place itself."""
    half, weight = p["kernel_size"] // 2, weight_of(s)
    outputs, inputs = weight.shape[:2]
    around = padded(x, (half, half), "zeros")
    y = np.zeros((len(x), outputs, *x.shape[2:])) + (per_channel(s["bias"], x) if "bias" in s else 0)
    colour = [[channel // (count // p["colours"]) for channel in range(count)] for count in (outputs, inputs)]
    for o, i in every_place((outputs, inputs)):
        for a, b in every_place((p["kernel_size"],) * 2):
            earlier = (a, b) < (half, half)
            before = colour[1][i] < colour[0][o] or (p["kind"] == "B" and colour[1][i] == colour[0][o])
            seen = earlier or ((a, b) == (half, half) and before)
            if "vertical" in p["kind"]:
                seen = a < half or (a == half and "B" in p["kind"])
            if seen:
                y[:, o] += weight[o, i, a, b] * around[:, i, a : a + x.shape[2], b : b + x.shape[3]]
    return y


def shuffled(p, x):
    """Pixel by pixel, as the definition says."""
    f, (batch, channels, height, width) = p["factor"], x.shape
    y = np.zeros((batch, channels // f**2, height * f, width * f))
    for c, r, q in every_place(y.shape[1:]):
        y[:, c, r, q] = x[:, c * f**2 + r % f * f + q % f, r // f, q // f]
    return y


def unshuffled(p, x):
    f, (batch, channels, height, width) = p["factor"], x.shape
    y = np.zeros((batch, channels * f**2, height // f, width // f))
    for c, r, q in every_place(x.shape[1:]):
        y[:, c * f**2 + r % f * f + q % f, r // f, q // f] = x[:, c, r, q]
    return y


def residual(p, s, x, *layers):
    """(convolution, norm, kernel, stride) after another with ReLU between, and the shortcut."""

    def layer(y, convolution, norm, kernel, stride):
        given = {"stride": stride, "dilation": 1, "groups": 1, "kernel_size": kernel, "padding": kernel // 2}
        y = convolved(given | {"padding_mode": "zeros"}, {"weight": s[f"{convolution}.weight"]}, y)
        mean, variance = per_channel(s[f"{norm}.running_mean"], y), per_channel(s[f"{norm}.running_var"], y)
        y = (y - mean) / np.sqrt(variance + 1e-5)
        return y * per_channel(s[f"{norm}.weight"], y) + per_channel(s[f"{norm}.bias"], y)

    y = x
    for place, each in enumerate(layers):
        y = layer(relu(y) if place else y, *each)
    if "downsample.0.weight" in s:
        x = layer(x, "downsample.0", "downsample.1", 1, p["stride"])
    return relu(x + y)


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
series = {"x": "batch 6 length"}
volume = {"x": "batch 2 depth height width"}
few = {"depth": 8, "height": 9, "width": 10}
MODES = ("zeros", "reflect", "replicate", "circular")
BOUNDS = ("spectral", "weight")
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
    *(
        Call("Conv2d", picture, six | {"out_channels": 3, "kernel_size": 4, "padding": None, "padding_mode": mode})
        for mode in MODES
    ),
    Call("Conv2d", picture, six | {"out_channels": 3, "padding": None, "dilation": 2}),
    *(Call("Conv2d", picture, six | {"out_channels": 3, "reparametrization": kind}) for kind in BOUNDS),
    *(Call("ConvTranspose2d", picture, six | {"out_channels": 3, "reparametrization": kind}) for kind in BOUNDS),
    Call("ConvTranspose2d", picture, six | {"out_channels": 4, "kernel_size": 4, "padding": 1, "groups": 2}),
    Call("Conv1d", series, six | {"out_channels": 4}),
    Call("Conv1d", series, six | {"out_channels": 4, "kernel_size": 2, "stride": 2, "padding": 0, "groups": 2}),
    *(
        Call("Conv1d", series, six | {"out_channels": 3, "kernel_size": 4, "padding": None, "padding_mode": mode})
        for mode in MODES
    ),
    *(Call("Conv1d", series, six | {"out_channels": 3, "reparametrization": kind, "dilation": 2}) for kind in BOUNDS),
    Call("ConvTranspose1d", series, six | {"out_channels": 4}),
    Call("ConvTranspose1d", series, six | {"out_channels": 3, "kernel_size": 4, "padding": 1, "bias": False}),
    Call(
        "ConvTranspose1d", series, six | {"out_channels": 3, "kernel_size": 5, "stride": 3, "groups": 3, "dilation": 2}
    ),
    *(Call("ConvTranspose1d", series, six | {"out_channels": 3, "reparametrization": kind}) for kind in BOUNDS),
    Call("Conv3d", volume, {"in_channels": 2, "out_channels": 3}, few),
    Call(
        "Conv3d",
        volume,
        {"in_channels": 2, "out_channels": 4, "kernel_size": 2, "stride": 2, "padding": 1, "groups": 2, "bias": False},
        few,
    ),
    *(
        Call("Conv3d", volume, {"in_channels": 2, "out_channels": 3, "padding": None, "padding_mode": mode}, few)
        for mode in MODES
    ),
    *(Call("Conv3d", volume, {"in_channels": 2, "out_channels": 3, "reparametrization": kind}, few) for kind in BOUNDS),
    Call("DepthwiseConv2d", picture, {"channels": 6}),
    Call("DepthwiseConv2d", picture, {"channels": 6, "multiplier": 2, "stride": 2, "kernel_size": 5, "bias": False}),
    Call("DepthwiseConv2d", picture, {"channels": 6, "padding": None, "padding_mode": "reflect"}),
    Call("DepthwiseConv2d", picture, {"channels": 6, "padding": None, "dilation": 3, "reparametrization": "spectral"}),
    Call("DepthwiseConv2d", picture, {"channels": 6, "reparametrization": "weight"}),
    *(
        Call("MaskedConv2d", picture, six | {"out_channels": 4, "kernel_size": size, "kind": kind, "bias": size == 5})
        for kind, size in (("A", 5), ("B", 3), ("B", 1))
    ),
    *(
        Call("MaskedConv2d", picture, six | {"out_channels": 3, "kernel_size": 3, "kind": kind, "colours": 3})
        for kind in ("A", "B")
    ),
    *(
        Call("MaskedConv2d", picture, six | {"out_channels": 4, "kernel_size": 3, "kind": kind})
        for kind in ("vertical A", "vertical B")
    ),
    *(
        Call("MaskedConv2d", picture, six | {"out_channels": 4, "kernel_size": 3, "reparametrization": kind})
        for kind in BOUNDS
    ),
    Call("PixelShuffle", {"x": "batch 12 height width"}),
    Call("PixelShuffle", {"x": "batch 9 height width"}, {"factor": 3}),
    Call("PixelUnshuffle", picture, sizes={"height": 14, "width": 10}),
    Call("PixelUnshuffle", picture, {"factor": 3}, {"height": 9, "width": 12}),
    Call("BasicResidual", picture, six | {"out_channels": 6}),
    Call("BasicResidual", picture, six | {"out_channels": 4}),
    Call("BasicResidual", picture, six | {"out_channels": 6, "stride": 2}),
    Call("BottleneckResidual", {"x": "batch 8 height width"}, {"in_channels": 8, "out_channels": 8}),
    Call("BottleneckResidual", picture, six | {"out_channels": 8}),
    Call("BottleneckResidual", picture, six | {"out_channels": 8, "stride": 2}),
    Call("UpSample", picture),
    Call("UpSample", picture, {"factor": 3, "mode": "bilinear"}),
    Call("UpSample", picture, {"factor": 1}),
]

REFERENCES = {
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d", "DepthwiseConv2d"), convolved),
    **dict.fromkeys(("ConvTranspose1d", "ConvTranspose2d"), stamped),
    "MaskedConv2d": seen_before,
    "PixelShuffle": lambda p, s, x: shuffled(p, x),
    "PixelUnshuffle": lambda p, s, x: unshuffled(p, x),
    "BasicResidual": lambda p, s, x: residual(p, s, x, ("conv1", "bn1", 3, p["stride"]), ("conv2", "bn2", 3, 1)),
    "BottleneckResidual": lambda p, s, x: residual(
        p, s, x, ("conv1", "bn1", 1, 1), ("conv2", "bn2", 3, p["stride"]), ("conv3", "bn3", 1, 1)
    ),
    "UpSample": lambda p, s, x: up_sample(p, x),
}

steps = {"kernel_size": small, "stride": st.integers(1, 4), "dilation": st.integers(1, 3)}
sliding = steps | {
    "padding": st.none() | st.integers(0, 4),
    "padding_mode": st.sampled_from(MODES),
    "bias": flags,
}
grouped = {
    "in_channels": st.just(6),
    "out_channels": st.sampled_from([6, 12]),
    "groups": st.sampled_from([1, 2, 3, 6]),
}
stamping = grouped | steps | {"padding": st.integers(0, 4), "output_padding": st.integers(0, 3), "bias": flags}
STRATEGIES = {
    "Conv1d": fixed(series, **grouped, **sliding),
    "Conv2d": fixed(picture, **grouped, **sliding),
    "Conv3d": fixed({"x": "batch 6 frames height width"}, **grouped, **sliding),
    "DepthwiseConv2d": fixed(picture, channels=st.just(6), multiplier=small, **sliding),
    "ConvTranspose1d": fixed(series, **stamping),
    "ConvTranspose2d": fixed(picture, **stamping),
    "MaskedConv2d": fixed(
        picture,
        kind=st.sampled_from(["A", "B", "vertical A", "vertical B"]),
        in_channels=st.just(6),
        out_channels=st.sampled_from([6, 9]),
        kernel_size=st.sampled_from([1, 3, 5]),
        colours=st.sampled_from([1, 3]),
        bias=flags,
    ),
    "PixelShuffle": fixed({"x": "batch 12 height width"}, factor=small),
    "PixelUnshuffle": fixed(picture, factor=small),
    "BasicResidual": fixed(picture, in_channels=st.just(6), out_channels=st.sampled_from([6, 4]), stride=small),
    "BottleneckResidual": fixed(picture, in_channels=st.just(6), out_channels=st.sampled_from([8, 4]), stride=small),
    "UpSample": fixed(picture, factor=st.integers(1, 4), mode=st.sampled_from(["nearest", "bilinear"])),
}
