"""Nodes as a text for the clipboard, and a text as nodes again with identities of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Several
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Clip:
    """Nodes that were copied, as they were then.

    Args:
        nodes: by their ids.
        wires: those between them.
        outside: those that lead to them from elsewhere.
        variables: what they need of the document's.
        comments: frames and notes.
    """

    nodes: Mapping[str, Node]
    wires: Several[Wire]
    outside: Several[Wire]
    variables: Mapping[str, Any]
    comments: Mapping[str, comments.Comment]


def take(document: Document, at: Path, ids: Iterable[str], notes: Iterable[str] = ()) -> Clip:
    """Nodes, the wires between them, those from outside by name, and comments, to be pasted later."""
    level = document.level(at)
    chosen = set(ids)
    nodes = {id: node for id, node in level.nodes.items() if id in chosen}
    inner = [wire for id in nodes for wire in level.incoming(id)]
    return Clip(
        {id: fresh_copy(node) if node.is_group else node for id, node in nodes.items()},
        [wire for wire in inner if wire.source in chosen],
        [wire for wire in inner if wire.source not in chosen],
        _mentioned(document, nodes.values()),
        {id: level.comments[id] for id in notes if id in level.comments},
    )


def text_of(clip: Clip) -> str:
    """A clip as a JSON text for the clipboard."""
    data = {
        "format": CLIP,
        "nodes": [node_to_data(node) for node in clip.nodes.values()],
        "wires": [wire_to_data(wire) for wire in clip.wires],
        "outside": [wire_to_data(wire) for wire in clip.outside],
        "variables": dict(clip.variables),
    }
    if clip.comments:
        data["comments"] = comments_to_data(clip.comments)
    return json.dumps(data, ensure_ascii=False)


def copy(document: Document, at: Path, ids: Iterable[str], notes: Iterable[str] = ()) -> str:
    """Nodes, the wires between them, those from outside by name, and comments, as a JSON text for the clipboard."""
    return text_of(take(document, at, ids, notes))


def paste(
    document: Document,
    at: Path,
    copied: str | Clip,
    position: tuple[float, float] | None = None,
    *,
    keep_inputs: bool = False,
) -> tuple[Command, list[str]]:
    """Copied nodes with fresh ids and uids, their top left corner at `position`.

    Variables that they need and the document lacks come along; of those that both have, the document's stay.

    Args:
        document: where they go.
        at: the level they go to.
        copied: what `take` gave, or a text of the clipboard.
        position: None puts them 40 units beside where they were.
        keep_inputs: also lay the wires that came from outside, where those nodes exist on this level.

    Returns:
        The command and the ids that the nodes get.

    Raises:
        EditError: the text is no copied nodes; it says so in one sentence.
    """
    clip = copied if isinstance(copied, Clip) else read(copied)
    if not clip.nodes and not clip.comments:
        raise EditError("The clipboard holds no nodes.")
    wishes = [re.sub(r"_\d+$", "", id) for id in clip.nodes]
    ids = dict(zip(clip.nodes, document.fresh_ids(at, wishes), strict=True))
    corners = [thing.position for thing in (*clip.nodes.values(), *clip.comments.values())]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    shift = (position[0] - left, position[1] - top) if position else (40.0, 40.0)
    steps: list[Command] = [
        SetVariable(name, value) for name, value in clip.variables.items() if name not in document.variables
    ]
    for id, node in _with_free_ports(document.level(at), clip.nodes).items():
        place = (node.position[0] + shift[0], node.position[1] + shift[1])
        steps.append(AddNode(at, fresh_copy(node, id=ids[id], position=place)))
    steps.extend(Connect(at, Wire(ids[w.source], w.output, ids[w.target], w.input, w.order)) for w in clip.wires)
    if keep_inputs:
        here = document.level(at)
        kept = [wire for wire in clip.outside if wire.source in here and wire.target in ids]
        steps.extend(Connect(at, Wire(w.source, w.output, ids[w.target], w.input, w.order)) for w in kept)
    if clip.comments:
        steps.append(comments.pasted(document.level(at), at, clip.comments.values(), *shift))
    label = "Paste" if len(ids) + len(clip.comments) == 1 else f"Paste {len(ids)} nodes"
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


def fresh_copy(node: Node, **changes: Any) -> Node:
    """The node with new identities throughout, so that its weights are its own, and some fields changed."""
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
    return node.with_(uid=new_uid(), level=level, **changes)


def read(text: str) -> Clip:
    """What a text of the clipboard holds, read with the same suspicion as a file.

    Raises:
        EditError: it is no copied nodes; it says so in one sentence.
    """
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
    outside: list[Wire] = []
    for item in data.get("outside") or ():
        if isinstance(item, list) and len(item) >= 2 and all(isinstance(end, str) for end in item[:2]):
            source, _, output = item[0].partition(".")
            target, _, input = item[1].partition(".")
            order = item[2] if len(item) > 2 and isinstance(item[2], int) else 0
            outside.append(Wire(source, output, target, input, order))
    return _clip_of(drawing, outside)


def _clip_of(drawing: Document, outside: Several[Wire] = ()) -> Clip:
    level = drawing.top
    return Clip(level.nodes, level.wires(), outside, drawing.variables, level.comments)


def _whole(data: dict[str, Any]) -> Clip:
    """The top level of a drawing whose text was copied as it lies in its file."""
    try:
        drawing = document_from_data(data)
    except FileError as error:
        raise EditError(f"The copied drawing is damaged: {error}") from None
    return _clip_of(drawing)


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
