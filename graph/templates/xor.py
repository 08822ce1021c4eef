"""XOR: the smallest network that a single layer cannot replace, with its weights in the drawing."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template
from graph.templates.sketch import ROOM, Sketch

LINE = 120


def draw() -> Document:
    """The drawing: y = relu(a + b) - 2 relu(a + b - 1), after Goodfellow et al. 2016, "Deep Learning", section 6.1."""
    document = Document("xor")
    top = Sketch(document)
    table = {"kind": "table", "text": "0 0\n0 1\n1 0\n1 1"}
    top.add("points", "FeatureInput", title="Two truth values", dim=2, axes="batch", sample=table)
    _weight(top, "first_weight", "Weights 1", "2, 2", "1, 1, 1, 1")
    _weight(top, "first_bias", "Biases 1", "2", "0, -1")
    _weight(top, "last_weight", "Weights 2", "2, 1", "1, -2")
    top.add("first", "MatMul", "points", "first_weight", title="First layer")
    top.add("shift", "Add", "first", "first_bias")
    top.add("relu", "ReLU", "shift")
    top.add("last", "MatMul", "relu", "last_weight", title="Last layer")
    top.add("result", "Output", "last", title="Either, not both")
    top.row(0, 0, "points", ROOM, "first", "shift", "relu", ROOM, "last", ROOM, "result")
    for below, weight in (("points", "first_weight"), ("first", "first_bias"), ("relu", "last_weight")):
        top.row(top.left(below), LINE, weight)
    return document


def _weight(top: Sketch, id: str, title: str, shape: str, entries: str) -> None:
    """A weight that starts at given numbers and can be trained on from there."""
    top.add(id, "Constant", title=title, shape=shape, entries=entries, learned=True, init_std=0.0)


TEMPLATE = Template(
    "xor",
    "XOR",
    "Two layers that compute exclusive or exactly, which no single layer can.",
    {},
    draw,
    {"tiny": {}},
    rank=61,
    family="Basics",
)
