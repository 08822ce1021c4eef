"""Edits as people make them, built from commands: wire onto a taken port, paste, group, ungroup, delete and heal.

Each function reads the document and returns one command, which is one step of the history. None changes anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import blocks
from blocks.spec import Block
from graph import comments
from graph.commands import AddNode, Command, Connect, Disconnect, Move, RemoveNode, Sequence, SetVariable
from graph.comment_files import comments_to_data
from graph.document import FROM_WIRE, GROUP, Document, EditError, Level, Node, Path, Wire, new_uid
from graph.expressions import is_expression, names
from graph.files import FORMAT, FileError, document_from_data, node_to_data, read_json, wire_to_data
from graph.retying import retie, retied
from graph.rewiring import bridges
from graph.unfolding import unfolded

CLIP = "blockwright-clip"
GROUP_PORTS = ("GroupInput", "GroupOutput")


def new_node(
    document: Document, at: Path, block: type[Block], position: tuple[float, float], *, kind: str = "", **params: Any
) -> Node:
    """A node as a user drops it: parameters that can be read off the wire are, the rest have their defaults.

    `kind` is what travels on the wire behind which it is put, if on any.
    """
    id = document.fresh_id(at, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", block.__name__))
    given = {param.name: FROM_WIRE for param in block.params() if param.from_wire} | dict(block.behind(kind))
    order = 0
    if block.role in ("source", "output", "group_input", "group_output"):
        level = document.level(at)
        peers = [n for n in level.nodes.values() if (b := blocks.find(n.block)) is not None and b.role == block.role]
        order = max((n.order for n in peers), default=-1) + 1
        if block.role in ("group_input", "group_output") and "port" not in params:
            taken = {n.params.get("port", "x") for n in peers}
            free = ("x", *(f"x{count}" for count in range(2, len(taken) + 3)))
            params["port"] = next(name for name in free if name not in taken)
    return Node(id, block.__name__, MappingProxyType({**given, **params}), position=position, order=order)


def connect(document: Document, at: Path, source: str, output: str, target: str, input: str, *, many: bool) -> Command:
    """Lay a wire; one that is there already gives way, unless the input takes many.

    Raises:
        EditError: the wire would close a circle, or is there already.
    """
    level = document.level(at)
    if level.reaches(target, source):
        raise EditError("this wire would close a circle")
    old = [wire for wire in level.incoming(target) if wire.input == input]
    if any(wire.source == source and wire.output == output for wire in old) and not many:
        raise EditError("these two are connected already")
    if many:
        order = max((wire.order for wire in old), default=-1) + 1
        return Connect(at, Wire(source, output, target, input, order))
    wire = Connect(at, Wire(source, output, target, input))
    return Sequence((*(Disconnect(at, w) for w in old), wire), wire.label) if old else wire


def remove(document: Document, at: Path, ids: Iterable[str], *, heal: bool = False) -> Command:
    """Delete nodes with their wires; `heal` reconnects what ran through nodes of one wire coming in, dots always do."""
    level = document.level(at)
    doomed = list(dict.fromkeys(ids))
    steps: list[Command] = [RemoveNode(at, id) for id in doomed]
    healed = doomed if heal else [id for id in doomed if level.node(id).is_dot]
    steps.extend(Connect(at, wire) for wire in bridges(level, doomed, healed))
    return Sequence(tuple(steps), f"Delete {doomed[0]}" if len(doomed) == 1 else f"Delete {len(doomed)} nodes")


def insert_on_wire(document: Document, at: Path, node: Node, wire: Wire, *, add: bool = True) -> Command:
    """Put a node into a wire, through its first input and first output."""
    ports = ports_through(node)
    if ports is None:
        raise EditError(f"{node.block} has no input or no output to be put into a wire")
    input, output = ports
    steps: list[Command] = [AddNode(at, node)] if add else []
    steps.append(Disconnect(at, wire))
    steps.append(Connect(at, Wire(wire.source, wire.output, node.id, input)))
    steps.append(Connect(at, Wire(node.id, output, wire.target, wire.input, wire.order)))
    return Sequence(tuple(steps), f"Insert {node.title or node.block}")


def copy(document: Document, at: Path, ids: Iterable[str], notes: Iterable[str] = ()) -> str:
    """Nodes, the wires between them, those from outside by name, and comments, as a JSON text for the clipboard."""
    level = document.level(at)
    chosen = set(ids)
    inner = [wire for wire in level.wires() if wire.target in chosen]
    data = {
        "format": CLIP,
        "nodes": [node_to_data(node) for id, node in level.nodes.items() if id in chosen],
        "wires": [wire_to_data(wire) for wire in inner if wire.source in chosen],
        "outside": [wire_to_data(wire) for wire in inner if wire.source not in chosen],
        "variables": _mentioned(document, [level.nodes[id] for id in chosen]),
    }
    written = {id: level.comments[id] for id in notes if id in level.comments}
    if written:
        data["comments"] = comments_to_data(written)
    return json.dumps(data, ensure_ascii=False)


def paste(
    document: Document, at: Path, text: str, position: tuple[float, float] | None = None, *, keep_inputs: bool = False
) -> tuple[Command, list[str]]:
    """Nodes of a clipboard text with fresh ids and uids, their top left corner at `position`.

    Variables that they need and the document lacks come along; of those that both have, the document's stay.

    Args:
        document: where they go.
        at: the level they go to.
        text: what `copy` gave.
        position: None puts them 40 units beside where they were.
        keep_inputs: also lay the wires that came from outside, where those nodes exist on this level.

    Returns:
        The command and the ids that the nodes get.

    Raises:
        EditError: the text is no copied nodes; it says so in one sentence.
    """
    level, variables = _clip(text)
    if not level.nodes and not level.comments:
        raise EditError("The clipboard holds no nodes.")
    taken: set[str] = set()
    ids: dict[str, str] = {}
    for id in level.nodes:
        fresh = document.fresh_id(at, re.sub(r"_\d+$", "", id), taken)
        taken.add(fresh)
        ids[id] = fresh
    corners = [thing.position for thing in (*level.nodes.values(), *level.comments.values())]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    shift = (position[0] - left, position[1] - top) if position else (40.0, 40.0)
    steps: list[Command] = [
        SetVariable(name, value) for name, value in variables.items() if name not in document.variables
    ]
    for id, node in _with_free_ports(document.level(at), level.nodes).items():
        place = (node.position[0] + shift[0], node.position[1] + shift[1])
        steps.append(AddNode(at, fresh_copy(node).with_(id=ids[id], position=place)))
    steps.extend(Connect(at, Wire(ids[w.source], w.output, ids[w.target], w.input, w.order)) for w in level.wires())
    if keep_inputs:
        here = document.level(at)
        for source, output, target, input, order in level.extra.get("outside", ()):
            if source in here and target in ids:
                steps.append(Connect(at, Wire(source, output, ids[target], input, order)))
    if level.comments:
        steps.append(comments.pasted(document.level(at), at, level.comments.values(), *shift))
    label = "Paste" if len(ids) + len(level.comments) == 1 else f"Paste {len(ids)} nodes"
    return Sequence(tuple(steps), label), list(ids.values())


def _with_free_ports(level: Level, nodes: Mapping[str, Node]) -> dict[str, Node]:
    """The nodes, those that are ports of a group under names that no port of the level has."""
    here = [node for node in level.nodes.values() if node.block in GROUP_PORTS]
    taken = {(node.block, str(node.params.get("port", "x"))) for node in here}
    result: dict[str, Node] = {}
    for id, node in nodes.items():
        if node.block in GROUP_PORTS:
            wish = str(node.params.get("port", "x"))
            name, count = wish, 1
            while (node.block, name) in taken:
                count += 1
                name = f"{wish}{count}"
            taken.add((node.block, name))
            node = node.with_(params=MappingProxyType({**node.params, "port": name}))
        result[id] = node
    return result


def fresh_copy(node: Node) -> Node:
    """The node with new identities throughout, so that its weights are its own."""
    level = node.level
    if level is not None:
        inside = Level()
        for inner in level.nodes.values():
            inside._add(fresh_copy(inner))
        for wire in level.wires():
            inside._connect(wire)
        inside.extra = level.extra
        inside._annotate(level.comments)
        level = inside
    return node.with_(uid=new_uid(), level=level)


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
    chosen = [id for id in level.nodes if id in set(ids)]
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
    for inner_id in inner:
        free = inner_id not in level or inner_id == id
        fresh = (
            inner_id if free and inner_id not in ids.values() else document.fresh_id(at, inner_id, set(ids.values()))
        )
        ids[inner_id] = fresh
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


def _clip(text: str) -> tuple[Level, Mapping[str, Any]]:
    """The nodes of a clipboard text and the variables that they need, read with the same suspicion as a file."""
    try:
        data = read_json(text)
    except FileError as error:
        if CLIP in text:
            raise EditError(f"The copied nodes are damaged: {error}") from None
        raise EditError("The clipboard holds no nodes, but some other text.") from None
    if not isinstance(data, dict) or data.get("format") != CLIP:
        raise EditError("The clipboard holds no nodes, but some other text.")
    try:
        inside = {key: data.get(key) or [] for key in ("wires", "comments")} | {"nodes": data.get("nodes")}
        variables = data.get("variables") or {}
        drawing = document_from_data({"format": FORMAT, "schema": 1, "variables": variables, "level": inside})
    except FileError as error:
        raise EditError(f"The copied nodes are damaged: {error}") from None
    outside: list[tuple[str, str, str, str, int]] = []
    for item in data.get("outside") or ():
        if isinstance(item, list) and len(item) >= 2 and all(isinstance(end, str) for end in item[:2]):
            source, _, output = item[0].partition(".")
            target, _, input = item[1].partition(".")
            order = item[2] if len(item) > 2 and isinstance(item[2], int) else 0
            outside.append((source, output, target, input, order))
    level = drawing.top
    level.extra = MappingProxyType({"outside": outside})
    return level, drawing.variables


def variables_of(document: Document, node: Node) -> dict[str, Any]:
    """The variables of a document that a node needs, inside too."""
    return _mentioned(document, [node])


def _mentioned(document: Document, nodes: Iterable[Node]) -> dict[str, Any]:
    """The variables that nodes need, inside groups too, and those that these are made of."""
    found: set[str] = set()
    todo = [name for node in nodes for name in _names(node)]
    while todo:
        name = todo.pop()
        if name in document.variables and name not in found:
            found.add(name)
            todo += _names_in(document.variables[name])
    return {name: value for name, value in document.variables.items() if name in found}


def _names(node: Node) -> list[str]:
    values = [*node.params.values(), node.repeat, *(tie.when for tie in node.ties.values())]
    inside = node.level.nodes.values() if node.level is not None else ()
    return [name for value in values for name in _names_in(value)] + [name for one in inside for name in _names(one)]


def _names_in(value: Any) -> frozenset[str]:
    return names(value) if is_expression(value) else frozenset()


def ports_through(node: Node) -> tuple[str, str] | None:
    """The first input and the first output of a node, if it has both."""
    if node.level is not None:
        from graph.validate import group_ports

        inputs, outputs = group_ports(node.level)
    else:
        block = blocks.find(node.block)
        if block is None:
            return None
        inputs, outputs = block.inputs, block.outputs
    return (next(iter(inputs)), next(iter(outputs))) if inputs and outputs else None


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
