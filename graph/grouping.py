"""Putting nodes into a group of their own, and a group's inside in its place."""

from __future__ import annotations

from collections.abc import Iterable

import blocks
from graph import comments
from graph.commands import AddNode, Command, Connect, Move, RemoveNode, Sequence
from graph.document import GROUP, Document, EditError, Level, Node, Path, Wire
from graph.retying import retie, retied
from graph.unfolding import unfolded


def group(
    document: Document, at: Path, ids: Iterable[str], title: str = "", notes: Iterable[str] = ()
) -> tuple[Command, str]:
    """Put nodes and comments into a new group; wires that cross its border become ports.

    Returns the command and the group's id.

    Raises:
        EditError: a path leaves the selection and comes back, or a source or output is among it.
    """
    from graph.interface import border_names  # here, for validation reads this module

    level = document.level(at)
    wanted = set(ids)
    chosen = [id for id in level.nodes if id in wanted]
    if not chosen:
        raise EditError("nothing is selected")
    _check_groupable(level, chosen)
    group_id = document.fresh_id(at, title or "group")
    moves = {".".join((*at, id)): ".".join((*at, group_id, id)) for id in chosen}
    inside = Level()
    for id in chosen:
        inside._add(retied(level.nodes[id], moves))
    members = set(chosen)
    left = min(level.nodes[id].position[0] for id in chosen)
    right = max(level.nodes[id].position[0] for id in chosen)
    top = min(level.nodes[id].position[1] for id in chosen)
    steps: list[Command] = []
    inner_wires: list[Wire] = [w for w in level.wires() if w.source in members and w.target in members]
    outer_wires: list[Wire] = []
    inputs: dict[tuple[str, str], str] = {}
    outputs: dict[tuple[str, str], str] = {}
    arriving = [w for w in level.wires() if w.target in members and w.source not in members]
    leaving = [w for w in level.wires() if w.source in members and w.target not in members]
    into, out = border_names(arriving, leaving)
    for wire in level.wires():
        if wire.target in members and wire.source not in members:
            name = inputs.setdefault((wire.source, wire.output), into[wire.source, wire.output])
            inner_wires.append(Wire(f"input_{name}", "x", wire.target, wire.input, wire.order))
        elif wire.source in members and wire.target not in members:
            name = outputs.setdefault((wire.source, wire.output), out[wire.source, wire.output])
            outer_wires.append(Wire(group_id, name, wire.target, wire.input, wire.order))
    for order, ((source, output), name) in enumerate(inputs.items()):
        place = (left - 240.0, top + 80.0 * order)
        inside._add(Node(f"input_{name}", "GroupInput", {"port": name}, position=place, order=order))
        outer_wires.append(Wire(source, output, group_id, name))
    for order, ((source, output), name) in enumerate(outputs.items()):
        place = (right + 280.0, top + 80.0 * order)
        inside._add(Node(f"output_{name}", "GroupOutput", {"port": name}, position=place, order=order))
        inner_wires.append(Wire(source, output, f"output_{name}", "x"))
    for wire in inner_wires:
        inside._connect(wire)
    written = {id: level.comments[id] for id in notes if id in level.comments}
    if written:
        inside._annotate(written)
        steps.append(comments.remove(level, at, written))
    position = (left + (right - left) / 2, top)
    steps.extend(RemoveNode(at, id) for id in chosen)
    steps.append(AddNode(at, Node(group_id, GROUP, title=title or "Group", position=position, level=inside)))
    steps.extend(Connect(at, wire) for wire in outer_wires)
    steps.extend(retie(document, moves, [(*at, id) for id in chosen]))
    return Sequence(tuple(steps), f"Group {len(chosen)} nodes"), group_id


def ungroup(document: Document, at: Path, id: str) -> tuple[Command, list[str]]:
    """Put the inside of a group in its place. Returns the command and the ids that the nodes get.

    Raises:
        EditError: it is no group, or it is repeated.
    """
    level = document.level(at)
    node = level.node(id)
    inside = node.level
    if inside is None:
        raise EditError(f"{id} is no group")
    if node.repeat != 1:
        raise EditError("a repeated group stands for several copies; set its repetition to 1 first")
    ids: dict[str, str] = {}
    steps: list[Command] = [RemoveNode(at, id)]
    inner = {i: n for i, n in inside.nodes.items() if n.block not in ("GroupInput", "GroupOutput")}
    places, room = unfolded(level, node, inner)
    taken: set[str] = set()
    for inner_id in inner:
        free = (inner_id not in level or inner_id == id) and inner_id not in taken
        ids[inner_id] = inner_id if free else document.fresh_id(at, inner_id, taken)
        taken.add(ids[inner_id])
    moves = {".".join((*at, id, old)): ".".join((*at, new)) for old, new in ids.items()}
    for inner_id, fresh in ids.items():
        moved = retied(inner[inner_id], moves)
        steps.append(AddNode(at, moved.with_(id=fresh, position=places[inner_id])))
    if inside.comments:
        first = next(iter(inner.values()), node)
        goal = places.get(first.id, node.position)
        shift = (goal[0] - first.position[0], goal[1] - first.position[1])
        steps.append(comments.pasted(level, at, inside.comments.values(), *shift))
    arriving = {wire.input: wire for wire in level.incoming(id)}
    entry = {i: str(n.params.get("port", "x")) for i, n in inside.nodes.items() if n.block == "GroupInput"}
    leaving = {str(n.params.get("port", "x")): i for i, n in inside.nodes.items() if n.block == "GroupOutput"}

    def origin(wire: Wire) -> tuple[str, str] | None:
        """Where a wire of the inside comes from, seen from outside."""
        if wire.source in entry:
            outer = arriving.get(entry[wire.source])
            return (outer.source, outer.output) if outer else None
        return ids[wire.source], wire.output

    for wire in inside.wires():
        start = origin(wire)
        if wire.target in ids and start:
            steps.append(Connect(at, Wire(*start, ids[wire.target], wire.input, wire.order)))
    for wire in level.outgoing(id):
        feeds = inside.incoming(leaving[wire.output]) if wire.output in leaving else ()
        start = origin(feeds[0]) if feeds else None
        if start:
            steps.append(Connect(at, Wire(*start, wire.target, wire.input, wire.order)))
    steps.extend(retie(document, moves, [(*at, id)]))
    if room:
        steps.append(Move(at, room))
    return Sequence(tuple(steps), f"Ungroup {node.title or id}"), list(ids.values())


def _check_groupable(level: Level, chosen: list[str]) -> None:
    members = set(chosen)
    for id in chosen:
        block = blocks.find(level.nodes[id].block)
        if block is not None and block.role != "module":
            raise EditError(f"{level.nodes[id].title or block.title} belongs on its level and cannot go into a group")
    frontier = [w.target for id in chosen for w in level.outgoing(id) if w.target not in members]
    seen: set[str] = set()
    while frontier:
        id = frontier.pop()
        if id in seen:
            continue
        seen.add(id)
        for wire in level.outgoing(id):
            if wire.target in members:
                raise EditError(f"a path leaves the selection through {id} and comes back; select {id} too")
            frontier.append(wire.target)
