"""A frozen document stays as it was, groups and wires too, whatever is edited afterwards."""

from __future__ import annotations

import time

from graph import edits
from graph.commands import AddNode, SetParam, SetVariable
from graph.document import Document, Node
from graph.files import document_to_data
from graph.freezing import frozen
from graph.templates import find


def test_it_is_what_the_document_was() -> None:
    document = find("gpt").build({"layers": 2})
    before = document_to_data(document)
    kept = frozen(document)
    assert document_to_data(kept) == before
    document.apply(SetParam(("decoder",), "attn", "num_heads", 4))
    document.apply(edits.remove(document, ("decoder",), ["mlp"]))
    document.apply(edits.remove(document, (), ["head"]))
    document.apply(SetVariable("dim", 96))
    assert document_to_data(document) != before
    assert document_to_data(kept) == before


def test_ten_thousand_nodes_are_frozen_without_holding_anything_up() -> None:
    document = Document()
    for count in range(10_000):
        AddNode((), Node(f"n{count}", "Linear", {"out_features": 64})).apply(document)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        frozen(document)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
