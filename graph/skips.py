"""A way around what is selected: the sum of what goes in and what comes out, or both side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import networkx as nx

from graph.commands import AddNode, Command, Connect, Disconnect, Move, Sequence
from graph.document import Document, EditError, Level, Node, Path, Wire
from graph.edits import new_node, ports_through
from graph.layout import GRID, measure

GAP = 48
"""Between the selection, the block that joins both ways, and what comes after it."""


def skip_around(
    document: Document, at: Path, ids: Iterable[str], join: str = "Add", params: Mapping[str, Any] | None = None
) -> tuple[Command, list[str]]:
    """Lead what goes into nodes around them and join it with what comes out, before anything else reads that.

    With Add the nodes become the inside of a residual block, with Concat of a long skip as in a U-Net. What goes in is
    what the first of them receives at its first wire.

    Args:
        document: where.
        at: the level.
        ids: the nodes; one result must leave them.
        join: the block that takes both: Add or Concat.
        params: of that block.

    Returns:
        The command, and the nodes with the new one: grouped, they are a block that can be repeated.

    Raises:
        EditError: nothing comes in, or not just one result leaves.
    """
    import blocks

    level = document.level(at)
    members = set(ids)
    position = {id: index for index, id in enumerate(level.nodes)}
    chosen = [id for id in nx.lexicographical_topological_sort(level.net, key=position.__getitem__) if id in members]
    if not chosen:
        raise EditError("nothing is selected")
    source = _first_wire(level, chosen)
    leaving = _result(level, chosen)
    block = blocks.find(join)
    assert block is not None, join
    before = level.node(leaving[0])
    x = before.position[0] + measure(before, level.incoming(before.id)).width + GAP
    node = new_node(document, at, block, (-(-x // GRID) * GRID, before.position[1]), **(params or {}))
    port, output = next(iter(block.inputs)), next(iter(block.outputs))
    readers = [wire for wire in level.outgoing(leaving[0]) if wire.output == leaving[1] and wire.target not in members]
    steps: list[Command] = [AddNode(at, node)]
    steps.extend(Disconnect(at, wire) for wire in readers)
    steps.append(Connect(at, Wire(*leaving, node.id, port, 0)))
    steps.append(Connect(at, Wire(source.source, source.output, node.id, port, 1)))
    steps.extend(Connect(at, Wire(node.id, output, wire.target, wire.input, wire.order)) for wire in readers)
    moved = _make_room(level, members, node)
    if moved:
        steps.append(Move(at, moved))
    label = f"Skip around {chosen[0]}" if len(chosen) == 1 else f"Skip around {len(chosen)} nodes"
    return Sequence(tuple(steps), label), [*chosen, node.id]


def _first_wire(level: Level, chosen: list[str]) -> Wire:
    """The wire that the first of the nodes receives from outside."""
    for id in chosen:
        for wire in level.incoming(id):
            if wire.source not in chosen:
                return wire
    raise EditError("nothing comes into the selection that could go around it")


def _result(level: Level, chosen: list[str]) -> tuple[str, str]:
    """The one output that leaves the nodes; where nothing reads them yet, that of the last."""
    leaving = dict.fromkeys(
        (wire.source, wire.output) for id in chosen for wire in level.outgoing(id) if wire.target not in chosen
    )
    if not leaving:
        ends = [id for id in chosen if not level.outgoing(id)]
        through = {id: ports_through(level.node(id)) for id in ends}
        leaving = dict.fromkeys((id, ports[1]) for id, ports in through.items() if ports is not None)
    if len(leaving) != 1:
        many = f"{len(leaving)} results leave" if leaving else "no result leaves"
        raise EditError(f"{many} the selection; a way around it needs one to join")
    return next(iter(leaving))


def _make_room(level: Level, members: set[str], node: Node) -> dict[str, tuple[float, float]]:
    """New places for what lies to the right in the same row, so that the new node has room before it."""
    box = measure(node)
    left, top = node.position
    right, bottom = left + box.width + GAP, top + box.height
    row: dict[str, tuple[float, float]] = {}
    for other in level.nodes.values():
        x, y = other.position
        if other.id in members or x + measure(other, level.incoming(other.id)).width <= left:
            continue
        if y < bottom and top < y + measure(other, level.incoming(other.id)).height:
            row[other.id] = other.position
    shift = max((right - x for x, _ in row.values()), default=0.0)
    return {id: (x + -(-shift // GRID) * GRID, y) for id, (x, y) in row.items()} if shift > 0 else {}
