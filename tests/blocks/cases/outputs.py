from __future__ import annotations

from cases.call import Call
from cases.drawing import pointwise

CALLS = [Call("Output", {"x": "batch seq 5"})]

REFERENCES = {"Output": lambda p, s, x: x}

STRATEGIES = {"Output": pointwise()}
