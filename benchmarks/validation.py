"""How long a drawing of 1,000 nodes takes to validate: from nothing, after an edit, and for a wire that is dragged."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import blocks
from benchmarks._timing import best
from graph.commands import AddNode, Connect, SetNode, SetParam
from graph.document import FROM_WIRE, Document, Node, Wire
from graph.validate import Validator, validate

NODES = 1000


def run() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name, document, edit in (
        ("transformer", *transformer()),
        ("U-Nets", *unets()),
    ):
        count = len(document.top.nodes)
        if not validate(document).valid:
            raise AssertionError(f"the {name} drawing has errors: {validate(document).issues[0]}")
        rows.append(_row(f"{name}, {count:,} nodes: in full", best(lambda d=document: validate(d)), 50))
        validator = Validator(document)
        validator.report()
        rows.append(_row(f"{name}, {count:,} nodes: after an edit", best(validator.report, before=edit, rounds=40), 5))
        first, last = next(iter(document.top.nodes)), list(document.top.nodes)[-2]
        output = next(iter(validator.report().top.nodes[first].outputs))
        input = next(iter(validator.report().top.nodes[last].input_ports))
        wire = Wire(first, output, last, input)
        rows.append(
            _row(
                f"{name}, {count:,} nodes: a dragged wire over a port",
                best(lambda v=validator, w=wire: v.probe((), w)),
                1,
            )
        )
    return rows


def transformer(count: int = NODES) -> tuple[Document, Any]:
    """Pre-norm layers drawn out flat, and an edit of one in the middle."""
    pen = Pen()
    pen.add("tokens", "TokenInput", vocab=5000)
    last = pen.add("embedding", "Embedding", ("tokens",), vocab=5000, dim=256)
    layer = 0
    while len(pen.document.top.nodes) < count - 8:
        norm = pen.add(f"norm_{layer}", "LayerNorm", (last,))
        attention = pen.add(f"attention_{layer}", "MultiHeadAttention", (norm,), num_heads=8, causal=True)
        added = pen.add(f"add_{layer}", "Add", (last, attention))
        second = pen.add(f"second_norm_{layer}", "LayerNorm", (added,))
        wide = pen.add(f"wide_{layer}", "Linear", (second,), out_features=1024)
        bent = pen.add(f"bent_{layer}", "GELU", (wide,))
        narrow = pen.add(f"narrow_{layer}", "Linear", (bent,), out_features=256)
        last = pen.add(f"out_{layer}", "Add", (added, narrow))
        layer += 1
    last = pen.add("last_norm", "LayerNorm", (last,))
    last = pen.add("head", "Linear", (last,), out_features=5000)
    pen.add("logits", "Output", (last,))
    hidden = [1024]

    def edit() -> None:
        """Widen one feed-forward: two nodes see another shape."""
        hidden[0] = 1040 if hidden[0] == 1024 else 1024
        pen.document.apply(SetParam((), f"wide_{layer // 2}", "out_features", hidden[0]))

    return pen.document, edit


def unets(count: int = NODES) -> tuple[Document, Any]:
    """U-Nets one behind the other: symbolic heights through strides and skips, and an edit of a title."""
    pen = Pen()
    last = pen.add("image", "ImageInput", channels=3)
    unit = 0
    while len(pen.document.top.nodes) < count - 24:
        skips: list[str] = []
        for depth in range(3):
            last = pen.add(
                f"down_{unit}_{depth}", "Conv2d", (last,), out_channels=16 * 2**depth, kernel_size=3, padding=1
            )
            last = pen.add(f"down_relu_{unit}_{depth}", "ReLU", (last,))
            skips.append(last)
            last = pen.add(f"pool_{unit}_{depth}", "MaxPool2d", (last,), kernel_size=2, stride=2)
        for depth in reversed(range(3)):
            last = pen.add(
                f"up_{unit}_{depth}", "ConvTranspose2d", (last,), out_channels=16 * 2**depth, kernel_size=2, stride=2
            )
            last = pen.add(f"join_{unit}_{depth}", "Concat", (skips[depth], last), axis=1)
            last = pen.add(f"up_conv_{unit}_{depth}", "Conv2d", (last,), out_channels=16, kernel_size=3, padding=1)
            last = pen.add(f"up_relu_{unit}_{depth}", "ReLU", (last,))
        unit += 1
    pen.add("result", "Output", (last,))
    turn = [0]

    def edit() -> None:
        turn[0] += 1
        pen.document.apply(SetNode((), f"down_{unit // 2}_1", "title", f"Convolution {turn[0]}"))

    return pen.document, edit


class Pen:
    """Draws on the top level: a node, wired to others."""

    def __init__(self) -> None:
        self.document = Document()

    def add(self, id: str, block: str, after: tuple[str, ...] = (), **params: Any) -> str:
        """Put a block on the level, wired to others; returns its id."""
        cls = blocks.find(block)
        if cls is None:
            raise AssertionError(f"there is no block {block}")
        given = {param.name: FROM_WIRE for param in cls.params() if param.from_wire}
        self.document.apply(AddNode((), Node(id, block, MappingProxyType({**given, **params}))))
        inputs = list(cls.inputs.items())
        for place, source in enumerate(after):
            name, port = inputs[0 if inputs[0][1].many else place]
            source_block = blocks.find(self.document.top.nodes[source].block)
            assert source_block is not None
            output = next(iter(source_block.outputs))
            self.document.apply(Connect((), Wire(source, output, id, name, place if port.many else 0)))
        return id


def _row(what: str, value: float, goal: float) -> dict[str, Any]:
    return {"what": what, "value": value, "unit": "ms", "goal": goal}
