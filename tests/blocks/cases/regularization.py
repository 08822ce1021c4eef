from __future__ import annotations

from cases.call import Call
from cases.drawing import pointwise

CALLS = [Call("Dropout", {"x": "batch seq 5"})]

REFERENCES = {"Dropout": lambda p, s, x: x}

STRATEGIES = {"Dropout": pointwise()}
