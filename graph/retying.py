"""Ties name a parameter by its path: nodes that move to another level take along what points at them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from graph.commands import Command, SetNode
from graph.document import Document, Level, Node, Path


def retied(node: Node, moves: Mapping[str, str]) -> Node:
    """The node, with its ties and those inside it pointing at where their targets have moved."""
    ties = {name: tie.__class__(_moved(tie.to, moves), tie.when) for name, tie in node.ties.items()}
    level = node.level
    if level is not None and any(inner is not retied(inner, moves) for inner in level.nodes.values()):
        inside = Level()
        for inner in level.nodes.values():
            inside._add(retied(inner, moves))
        for wire in level.wires():
            inside._connect(wire)
        inside.extra, inside.comments = level.extra, level.comments
        level = inside
    if level is node.level and ties == dict(node.ties):
        return node
    return node.with_(ties=MappingProxyType(ties), level=level)


def retie(document: Document, moves: Mapping[str, str], apart: Collection[Path]) -> list[Command]:
    """What lets the ties of all other nodes point at where their targets have moved.

    Args:
        document: as it is before the move.
        moves: old path of a node, joined by dots → new one.
        apart: the paths of nodes that are moved themselves, with all that is in them.
    """
    steps: list[Command] = []
    moved = set(apart)
    for path, node in document.walk():
        if not node.ties or any(path[:depth] in moved for depth in range(1, len(path) + 1)):
            continue
        ties = {name: tie.__class__(_moved(tie.to, moves), tie.when) for name, tie in node.ties.items()}
        if ties != dict(node.ties):
            steps.append(SetNode(path[:-1], path[-1], "ties", MappingProxyType(ties)))
    return steps


def _moved(to: str, moves: Mapping[str, str]) -> str:
    dot = to.find(".")
    while dot > 0:
        old = to[:dot]
        if old in moves:
            return moves[old] + to[dot:]
        dot = to.find(".", dot + 1)
    return to
