"""A node put into a wire has room: it lies between its neighbours, in their row, and what comes after moves on."""

from __future__ import annotations

from collections.abc import Mapping

from graph import edits
from graph.commands import Command, Move, Sequence
from graph.comments import FRAME, Comment, change, inside
from graph.document import Document, Level, Node, Path, Wire
from graph.layout import GRID, Box, measure

GAP = 48
"""Between a node that is put into a wire and its neighbours."""
IN_LINE = 12.0
"""Ports whose heights differ by less are in one row."""


def insert_with_room(document: Document, at: Path, node: Node, wire: Wire, *, add: bool = True) -> Command:
    """Put a node into a wire near its position and let what is to the right make room.

    Args:
        document: where.
        at: the level.
        node: what is put in, at the position that was wished.
        wire: what it is put into.
        add: whether it is new; else it is on the level already.

    Raises:
        EditError: it has no input or no output.
    """
    level = document.level(at)
    node = node.with_(position=_between(level, node, wire))
    insertion = edits.insert_on_wire(document, at, node, wire, add=add)
    steps: list[Command] = [] if add else [Move(at, {node.id: node.position})]
    moved = _pushed(level, node, wire)
    if moved:
        steps.append(Move(at, moved))
        shifted = _annotations(level, moved, level.node(wire.target).position[0])
        if shifted:
            steps.append(change(at, shifted, "Move"))
    return Sequence((*steps, insertion), insertion.label) if steps else insertion


def _between(level: Level, node: Node, wire: Wire) -> tuple[float, float]:
    """The place between both ends of the wire that is nearest to the wished one, in line with them if they are."""
    x, y = node.position
    box = measure(node, level.incoming(node.id) if node.id in level else ())
    source, target = level.node(wire.source), level.node(wire.target)
    before, after = _box(level, source), _box(level, target)
    gap = _gap(node)
    first, last = source.position[0] + before.width + gap, target.position[0] - gap - box.width
    if target.position[0] >= source.position[0] + before.width:
        x = max(first, min(x, last))
    out, into = before.output(wire.output), after.input(wire.input, wire.order)
    if out is not None and into is not None and box.inputs:
        height = source.position[1] + out.y
        wished = height - box.inputs[0].y
        if abs(height - target.position[1] - into.y) <= IN_LINE and abs(wished - y) <= 2 * IN_LINE:
            y = wished
    return float(-(-x // GRID) * GRID), float(round(y / GRID) * GRID)


def _pushed(level: Level, node: Node, wire: Wire) -> dict[str, tuple[float, float]]:
    """New places of what lies to the right, if the node would touch the target; columns stay as they are."""
    source, target = level.node(wire.source), level.node(wire.target)
    edge = target.position[0]
    short = node.position[0] + measure(node).width + _gap(node) - edge
    if short <= 0 or edge < source.position[0] + _box(level, source).width:
        return {}
    step = float(-(-short // GRID) * GRID)
    return {
        id: (other.position[0] + step, other.position[1])
        for id, other in level.nodes.items()
        if other.position[0] >= edge and id != node.id
    }


def _annotations(level: Level, moved: Mapping[str, tuple[float, float]], edge: float) -> list[Comment]:
    """Frames and notes that go with what has moved; a frame around some that have and some that have not grows."""
    id, (x, _) = next(iter(moved.items()))
    step = x - level.node(id).position[0]
    rects = {id: _rect(level, node) for id, node in level.nodes.items()}
    found: list[Comment] = []
    for comment in level.comments.values():
        left, top, right, bottom = comment.rect
        members = inside(comment, rects) if comment.kind == FRAME else []
        count = sum(id in moved for id in members)
        if (members and count == len(members)) or (not members and left >= edge):
            found.append(comment.moved(step, 0.0))
        elif count:
            found.append(comment.resized(left, top, right + step, bottom))
    return found


def _rect(level: Level, node: Node) -> tuple[float, float, float, float]:
    box = _box(level, node)
    return (*node.position, node.position[0] + box.width, node.position[1] + box.height)


def _gap(node: Node) -> float:
    """The room beside a node; a dot is part of the wire and needs next to none."""
    return float(GRID if node.is_dot else GAP)


def _box(level: Level, node: Node) -> Box:
    return measure(node, level.incoming(node.id))
