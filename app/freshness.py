"""Whether a reading is still of the drawing: moving or renaming a node changes nothing that a run would see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from graph.document import Document, Level, Node

Drawing: TypeAlias = tuple[Any, ...]
"""All of a document that a run depends on; compare with ==, which is quick where little has changed."""


def drawing_of(document: Document) -> Drawing:
    """What a run of the document depends on."""
    return (document.seed, document.variables, document.weights, _level(document.top))


def _node(node: Node) -> Drawing:
    run = (node.id, node.uid, node.ties, node.repeat, node.shared, node.backwards, node.muted)
    return run if node.level is not None else (*run, node.block, node.params, node.sample, node.order)


def _level(level: Level) -> Drawing:
    nodes = tuple((*_node(node), _level(node.level)) if node.level else _node(node) for node in level.nodes.values())
    return (nodes, tuple(level.wires()))
