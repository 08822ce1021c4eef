from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import channels_first, fixed, flags, over_last
from cases.numbers import affine, normalised, per_channel, silu
from hypothesis import strategies as st

PICTURE = {"x": "batch 6 height width"}
CONDITIONED = {"x": "batch seq 6", "condition": "batch 10"}
STYLED = PICTURE | {"style": "batch 10"}


ONE = {"weight": np.ones(6), "bias": np.zeros(6)}


def scaled(s, x):
    return x * per_channel(s["weight"], x) + per_channel(s["bias"], x)


def modulated(p, s, x, condition):
    """Shift, scale and perhaps a gate out of one linear layer, in this order."""
    shift, scale, *gate = np.split(affine(silu(condition), s, "modulation."), 3 if p["gate"] else 2, -1)
    y = normalised(x, -1, p["eps"]) * (1 + scale[:, None]) + shift[:, None]
    return (y, gate[0][:, None]) if gate else y


def styled(p, s, x, style):
    scale, shift = np.split(affine(style, s, "modulation."), 2, -1)
    return normalised(x, (2, 3), p["eps"]) * (1 + scale[..., None, None]) + shift[..., None, None]


CALLS = [
    Call("LayerNorm", {"x": "batch seq 11"}, {"dim": 11}),
    Call("LayerNorm", {"x": "batch height width 11"}, {"dim": 11, "bias": False, "eps": 0.1}),
    Call("RMSNorm", {"x": "batch seq 11"}, {"dim": 11}),
    Call("RMSNorm", {"x": "11"}, {"dim": 11, "eps": 0.1}),
    Call("GroupNorm", PICTURE, {"num_groups": 3, "num_channels": 6}),
    Call("GroupNorm", {"x": "batch 6"}, {"num_groups": 2, "num_channels": 6}),
    Call("GroupNorm", {"x": "batch 6 seq"}, {"num_groups": 6, "num_channels": 6, "eps": 0.1}),
    Call("BatchNorm", PICTURE, {"num_features": 6}),
    Call("BatchNorm", {"x": "batch 6"}, {"num_features": 6, "eps": 0.1}),
    Call("BatchNorm", {"x": "batch 6 seq"}, {"num_features": 6}),
    Call("InstanceNorm", PICTURE, {"num_features": 6}),
    Call("InstanceNorm", {"x": "batch 6 length"}, {"num_features": 6, "affine": False, "eps": 0.1}),
    Call("InstanceNorm", {"x": "batch 2 depth height width"}, {"num_features": 2}),
    Call("AdaptiveLayerNorm", CONDITIONED, {"dim": 6, "condition_dim": 10}),
    Call("AdaptiveLayerNorm", CONDITIONED, {"dim": 6, "condition_dim": 10, "gate": False, "eps": 0.1}),
    Call("AdaptiveInstanceNorm", STYLED, {"num_features": 6, "style_dim": 10}),
    Call("AdaptiveInstanceNorm", STYLED, {"num_features": 6, "style_dim": 10, "eps": 0.1}),
]

REFERENCES = {
    "LayerNorm": lambda p, s, x: normalised(x, -1, p["eps"]) * s["weight"] + s.get("bias", 0),
    "RMSNorm": lambda p, s, x: normalised(x, -1, p["eps"], center=False) * s["weight"],
    "GroupNorm": lambda p, s, x: scaled(
        s, normalised(x.reshape(len(x), p["num_groups"], -1), -1, p["eps"]).reshape(x.shape)
    ),
    "BatchNorm": lambda p, s, x: scaled(
        s, (x - per_channel(s["running_mean"], x)) / np.sqrt(per_channel(s["running_var"], x) + p["eps"])
    ),
    "InstanceNorm": lambda p, s, x: scaled(s if p["affine"] else ONE, normalised(x, tuple(range(2, x.ndim)), p["eps"])),
    "AdaptiveLayerNorm": modulated,
    "AdaptiveInstanceNorm": styled,
}

STRATEGIES = {
    "LayerNorm": over_last("dim", bias=flags),
    "RMSNorm": over_last("dim"),
    "GroupNorm": channels_first("num_channels", num_groups=st.sampled_from([1, 2, 3, 6])),
    "BatchNorm": channels_first("num_features"),
    "InstanceNorm": channels_first("num_features", affine=flags),
    "AdaptiveLayerNorm": fixed(CONDITIONED, dim=st.just(6), condition_dim=st.just(10), gate=flags),
    "AdaptiveInstanceNorm": fixed(STYLED, num_features=st.just(6), style_dim=st.just(10)),
}
