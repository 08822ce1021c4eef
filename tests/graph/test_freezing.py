"""A frozen document stays as it was, groups and wires too, whatever is edited afterwards."""

from __future__ import annotations

from graph import edits
from graph.commands import SetParam, SetVariable
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


def test_nodes_are_shared_and_not_copied() -> None:
    """So it costs next to nothing to freeze ten thousand of them."""
    document = find("gpt").build({"layers": 2})
    kept = frozen(document)
    assert all(kept.top.nodes[id] is node for id, node in document.top.nodes.items() if not node.is_group)
    level, inside = document.level(("decoder",)), kept.level(("decoder",))
    assert level.nodes and all(inside.nodes[id] is node for id, node in level.nodes.items())
