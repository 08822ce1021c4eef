from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import channels_first, flags, over_last
from cases.numbers import normalised, per_channel
from hypothesis import strategies as st

PICTURE = {"x": "batch 6 height width"}


def scaled(s, x):
    return x * per_channel(s["weight"], x) + per_channel(s["bias"], x)


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
}

STRATEGIES = {
    "LayerNorm": over_last("dim", bias=flags),
    "RMSNorm": over_last("dim"),
    "GroupNorm": channels_first("num_channels", num_groups=st.sampled_from([1, 2, 3, 6])),
    "BatchNorm": channels_first("num_features"),
}
