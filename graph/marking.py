"""Edits of how nodes are kept and drawn: switched off, collapsed, tagged with a colour. One step for all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import blocks
from graph.commands import Command, Sequence, SetNode
from graph.document import Document, EditError, Node, Path

TAGS = ("red", "orange", "yellow", "green", "blue", "purple")
"""The names of the colour tags; the theme says how they look."""


def switch(document: Document, at: Path, ids: Iterable[str]) -> Command:
    """Switch nodes off, or on again when all of them are off; inputs, outputs and ports are passed over.

    Raises:
        EditError: nothing among them can be switched off.
    """
    chosen = _chosen(document, at, ids)
    nodes = [node for node in chosen if node.muted or can_mute(node)]
    if not nodes:
        raise EditError("inputs, outputs and ports pass nothing on, so they cannot be switched off")
    return set_off(document, at, ids, not all(node.muted for node in nodes))


def set_off(document: Document, at: Path, ids: Iterable[str], off: bool) -> Command:
    """Switch nodes off or on; those that cannot be switched off are passed over.

    Raises:
        EditError: nothing is selected.
    """
    nodes = [node for node in _chosen(document, at, ids) if node.muted or can_mute(node)]
    return _set(at, nodes, "muted", off, "Switch off" if off else "Switch on")


def can_mute(node: Node) -> bool:
    """Whether it is a block or group that can be switched off at all."""
    block = blocks.find(node.block)
    return node.is_group or (block is not None and block.role == "module" and not node.is_dot)


def collapse(document: Document, at: Path, ids: Iterable[str]) -> Command:
    """Draw only the titles of nodes, or all of them again when all are collapsed.

    Raises:
        EditError: nothing is selected.
    """
    nodes = [node for node in _chosen(document, at, ids) if can_collapse(node)]
    if not nodes:
        raise EditError("a dot is as small as can be")
    return set_collapsed(document, at, ids, not all(node.collapsed for node in nodes))


def set_collapsed(document: Document, at: Path, ids: Iterable[str], small: bool) -> Command:
    """Draw only the titles of nodes, or all of them; dots are passed over.

    Raises:
        EditError: nothing is selected.
    """
    nodes = [node for node in _chosen(document, at, ids) if can_collapse(node)]
    return _set(at, nodes, "collapsed", small, "Collapse" if small else "Unfold")


def can_collapse(node: Node) -> bool:
    """Whether there is more to a node than its title."""
    return not node.is_dot


def tag(document: Document, at: Path, ids: Iterable[str], colour: str) -> Command:
    """Give nodes a colour tag, or none with an empty name.

    Raises:
        EditError: nothing is selected, or there is no such tag.
    """
    if colour and colour not in TAGS:
        raise EditError(f"there is no colour {colour!r}")
    return _set(at, _chosen(document, at, ids), "colour", colour, "Colour" if colour else "Take the colour off")


def _chosen(document: Document, at: Path, ids: Iterable[str]) -> list[Node]:
    level, wanted = document.level(at), set(ids)
    nodes = [node for id, node in level.nodes.items() if id in wanted]
    if not nodes:
        raise EditError("nothing is selected")
    return nodes


def _set(at: Path, nodes: list[Node], name: str, value: Any, verb: str) -> Command:
    steps = tuple(SetNode(at, node.id, name, value) for node in nodes if getattr(node, name) != value)
    what = nodes[0].title or nodes[0].id if len(nodes) == 1 else f"{len(nodes)} nodes"
    return Sequence(steps, f"{verb} {what}")
