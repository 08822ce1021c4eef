"""Nodes as a text for the clipboard, and a text as nodes again with identities of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from graph import comments
from graph.commands import AddNode, Command, Connect, Sequence, SetVariable
from graph.comment_files import comments_to_data
from graph.document import Document, EditError, Level, Node, Path, Wire, new_uid
from graph.expressions import is_expression, names
from graph.files import FORMAT, FileError, document_from_data, node_to_data, read_json, wire_to_data

CLIP = "blockwright-clip"
GROUP_PORTS = ("GroupInput", "GroupOutput")


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


def _clip(text: str) -> tuple[Level, Mapping[str, Any]]:
    """The nodes of a clipboard text and the variables that they need, read with the same suspicion as a file."""
    try:
        data = read_json(_bare(text))
    except FileError as error:
        if CLIP in text:
            raise EditError(f"The copied nodes are damaged: {error}") from None
        raise EditError("The clipboard holds no nodes, but some other text.") from None
    if isinstance(data, dict) and data.get("format") == FORMAT:
        return _whole(data)
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


def _whole(data: dict[str, Any]) -> tuple[Level, Mapping[str, Any]]:
    """The top level of a drawing whose text was copied as it lies in its file."""
    try:
        drawing = document_from_data(data)
    except FileError as error:
        raise EditError(f"The copied drawing is damaged: {error}") from None
    drawing.top.extra = MappingProxyType({})
    return drawing.top, drawing.variables


def _bare(text: str) -> str:
    """A text without what messages put around it: words before and after, a fence of marks, signs of quotation."""
    if text.lstrip().startswith("{") or FORMAT not in text:
        return text
    text = "\n".join(line.lstrip("> ") for line in text.splitlines())
    return text[text.find("{") : text.rfind("}") + 1]


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
