"""How long a drawing takes to be tidied: transformers, U-Nets and one with a mask for every block, drawn out flat."""

from __future__ import annotations

from typing import Any

import benchmarks.validation as drawings
from benchmarks._timing import best
from graph.document import Document
from graph.tidying import tidy


def run() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for count, goal in ((300, 150), (3000, 2000)):
        for name, document in (
            ("transformer", drawings.transformer(count)[0]),
            ("U-Nets", drawings.unets(count)[0]),
            ("one mask", _masked(count)),
        ):
            value = best(lambda d=document: tidy(d, ()), rounds=3)
            what = f"{name}, {len(document.top.nodes):,} nodes: all of it"
            rows.append({"what": what, "value": value, "unit": "ms", "goal": goal})
    return rows


def _masked(count: int) -> Document:
    """A long chain each block of which adds one and the same mask."""
    pen = drawings.Pen()
    pen.add("tokens", "TokenInput", vocab=5000)
    pen.add("mask", "FeatureInput", dim=64)
    last = pen.add("embedding", "Embedding", ("tokens",), vocab=5000, dim=64)
    for layer in range(count // 2):
        norm = pen.add(f"norm_{layer}", "LayerNorm", (last,))
        last = pen.add(f"add_{layer}", "Add", (norm, "mask"))
    return pen.document
