from __future__ import annotations

import numpy as np
from cases.call import Call
from cases.drawing import flags, over_last, pointwise, small
from cases.numbers import affine, weight_of

BOUNDS = ("spectral", "weight")

CALLS = [
    Call("ClassToken", {"x": "batch seq 6"}, {"dim": 6}),
    Call("ClassToken", {"x": "batch seq 6"}, {"dim": 6, "count": 3, "init_std": 1.0}),
    Call("Embedding", {"tokens": "batch seq"}, {"vocab": 17, "dim": 12}),
    Call("Embedding", {"tokens": "batch"}, {"vocab": 3, "dim": 1, "init_std": 0.02}),
    Call("Linear", {"x": "batch seq 9"}, {"in_features": 9, "out_features": 5}),
    Call("Linear", {"x": "9"}, {"in_features": 9, "out_features": 1, "bias": False, "init_std": 0.5}),
    *(
        Call("Linear", {"x": "batch seq 9"}, {"in_features": 9, "out_features": 5, "reparametrization": kind})
        for kind in BOUNDS
    ),
]

REFERENCES = {
    "ClassToken": lambda p, s, x: np.concatenate([np.repeat(s["tokens"], len(x), 0), x], 1),
    "Linear": lambda p, s, x: affine(x, {"weight": weight_of(s)} | s, ""),
    "Embedding": lambda p, s, tokens: np.eye(p["vocab"])[tokens] @ s["weight"],
}

STRATEGIES = {
    "ClassToken": small.map(lambda count: ({"dim": 6, "count": count}, {"x": "batch seq 6"})),
    "Linear": over_last("in_features", out_features=small, bias=flags),
    "Embedding": pointwise().map(lambda drawn: ({"vocab": 5, "dim": 3}, {"tokens": drawn[1]["x"]})),
}
