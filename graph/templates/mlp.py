"""Multilayer perceptron: linear layers with an activation between them."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import ROOM, Sketch

ACTIVATIONS = {
    "relu": "ReLU",
    "leaky_relu": "LeakyReLU",
    "gelu": "GELU",
    "silu": "SiLU",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
}


def draw(layers: int, activation: str) -> Document:
    """The drawing; Rumelhart et al. 1986, "Learning representations by back-propagating errors"."""
    document = Document("multilayer perceptron")
    top = Sketch(document)
    row = [top.add("features", "FeatureInput", title="Features", dim="=in_features", axes="batch")]
    if layers > 1:
        row.append(top.add("first", "Linear", row[-1], title="First layer", out_features="=hidden", bias="=bias"))
        row.append(top.add("activation", ACTIVATIONS[activation], row[-1]))
    if layers > 2:
        inside = top.group("hidden", "Hidden layer", repeat=layers - 2)
        inside.add("layer_input", "GroupInput", title="Layer input", port="x")
        inside.add("linear", "Linear", "layer_input", out_features="=hidden", bias="=bias")
        inside.add("activation", ACTIVATIONS[activation], "linear")
        inside.add("layer_output", "GroupOutput", "activation", title="Layer output", port="x")
        inside.row(0, 0, "layer_input", ROOM, "linear", "activation", ROOM, "layer_output")
        top.wire(row[-1], "hidden")
        row.append("hidden")
    row.append(top.add("last", "Linear", row[-1], title="Last layer", out_features="=out_features", bias="=bias"))
    row.append(top.add("result", "Output", "last", title="Result"))
    spaced: list[str | int] = [row[0]]
    for before, id in zip(row, row[1:], strict=False):
        spaced += [id] if id == "activation" else [ROOM, id] if before != "first" else [id]
    top.row(0, 0, *spaced)
    return document


TEMPLATE = Template(
    "mlp",
    "Multilayer perceptron",
    "Linear layers with an activation between them: the simplest deep network.",
    {
        "in_features": Variable(784, "features that come in"),
        "hidden": Variable(256, "features of each hidden layer"),
        "out_features": Variable(10, "features that come out"),
        "layers": Variable(3, "linear layers", structural=True),
        "activation": Variable("relu", "what bends between the layers", structural=True, options=tuple(ACTIVATIONS)),
        "bias": Variable(True, "add a learned number to each feature"),
    },
    draw,
    {
        "tiny": {"in_features": 64, "hidden": 64},
        "mnist": {},
        "exercise": {"in_features": 2, "hidden": 2, "out_features": 1, "layers": 2, "bias": False},
    },
    rank=60,
    family="Basics",
)
