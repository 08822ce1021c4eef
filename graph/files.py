"""Drawings on disk: JSON with a schema number, written atomically, read with suspicion, nothing lost.

Opening a file runs no code and checks before it builds. Blocks, parameters and keys that this version does not know
are kept and written again. Errors are one sentence that names the place.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any

import networkx as nx

from graph import bookmarks
from graph.comment_files import comments_from_data, comments_to_data
from graph.document import GROUP, ID_PATTERN, NOTHING, Document, Level, Node, Tie, Wire, id_fault, new_uid
from graph.json_text import FileError, read_json

FORMAT = "blockwright"
SCHEMA = 1
SUFFIX = ".json"
LARGEST_FILE = 64 * 2**20
MOST_NODES = 100_000
DEEPEST = 24
LONGEST_COLOUR = 40

_NODE_KEYS = (
    "id", "uid", "block", "title", "params", "position", "ties", "sample", "order", "repeat", "shared", "backwards",
    "level", "muted", "collapsed", "colour",
)  # fmt: skip
_LEVEL_KEYS = ("nodes", "wires", "comments")
_DOCUMENT_KEYS = ("format", "schema", "title", "seed", "variables", "weights", "template", "level")


def load(path: str | os.PathLike[str]) -> Document:
    """Read a drawing.

    Raises:
        FileError: it is missing, no drawing, damaged, or made by a newer version; the sentence says which and where.
    """
    file = FilePath(path)
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise FileError(f"{file.name} is larger than 64 MiB, which no drawing is.")
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FileError(f"There is no file {file}.") from None
    except UnicodeDecodeError:
        raise FileError(f"{file.name} is no drawing: it holds bytes that are not text.") from None
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror or error}.") from None
    try:
        return from_text(text)
    except FileError as error:
        raise FileError(f"{file.name}: {error}") from None


def save(document: Document, path: str | os.PathLike[str]) -> None:
    """Write a drawing so that a crash leaves either the old file or the new one.

    Raises:
        FileError: the place cannot be written; an old file there is as it was.
    """
    write_atomically(path, to_text(document).encode())


def write_atomically(path: str | os.PathLike[str], content: bytes) -> None:
    """Write bytes to a file beside the target, then put it in its place."""
    file = FilePath(path)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent or ".")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if file.exists():
            os.chmod(temporary, file.stat().st_mode & 0o777)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, file)
        temporary = None
    except OSError as error:
        raise FileError(f"{file} cannot be written: {error.strerror or error}.") from None
    finally:
        if temporary is not None:
            FilePath(temporary).unlink(missing_ok=True)


def to_text(document: Document) -> str:
    """The drawing as JSON text.

    Raises:
        FileError: it holds what no file can: a number that is not finite, or half a character.
    """
    try:
        text = json.dumps(document_to_data(document), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        text.encode()
    except UnicodeEncodeError:
        raise FileError("The drawing holds half a character, which no file can.") from None
    except ValueError:
        raise FileError("The drawing holds a number that is not finite, which no file can.") from None
    return text


def from_text(text: str) -> Document:
    """The drawing in a JSON text.

    Raises:
        FileError: the text is no drawing.
    """
    return document_from_data(read_json(text))


def document_to_data(document: Document) -> dict[str, Any]:
    """The drawing as plain values."""
    data: dict[str, Any] = {"format": FORMAT, "schema": SCHEMA, "title": document.title, "seed": document.seed}
    for key in ("variables", "weights", "template"):
        value = getattr(document, key)
        if value:
            data[key] = _plain(value)
    data["level"] = level_to_data(document.top)
    data.update(_plain(document.extra))
    return data


def document_from_data(data: Any) -> Document:
    """The drawing in plain values, checked.

    Raises:
        FileError: they are no drawing.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileError('it is no Blockwright drawing (a drawing says "format": "blockwright").')
    schema = data.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool) or schema < 1:
        raise FileError("its schema number is missing.")
    if schema > SCHEMA:
        raise FileError(f"it was made by a newer Blockwright (schema {schema}; this one reads up to {SCHEMA}).")
    document = Document(_typed(data.get("title", "untitled"), str, "title"))
    document.seed = _typed(data.get("seed", 0), int, "seed")
    document.variables = MappingProxyType(_variables(data.get("variables", {})))
    document.weights = _table(data.get("weights", {}), "weights")
    document.template = _table(data.get("template", {}), "template")
    document.extra = MappingProxyType({key: value for key, value in data.items() if key not in _DOCUMENT_KEYS})
    wrong = bookmarks.fault(document.extra.get(bookmarks.KEY))
    if wrong:
        raise FileError(f"{wrong}.")
    reader = _Reader()
    document.top = reader.level(data.get("level", {}), "", 0)
    return document


def level_to_data(level: Level) -> dict[str, Any]:
    """A level as plain values: nodes in their order, wires as [from, to] or [from, to, order]."""
    data: dict[str, Any] = {
        "nodes": [node_to_data(node) for node in level.nodes.values()],
        "wires": [wire_to_data(wire) for wire in level.wires()],
    }
    if level.comments:
        data["comments"] = comments_to_data(level.comments)
    return {**data, **_plain(level.extra)}


def node_to_data(node: Node) -> dict[str, Any]:
    """A node as plain values; what is at its default is left out."""
    data: dict[str, Any] = {"id": node.id, "uid": node.uid, "block": node.block}
    if node.title:
        data["title"] = node.title
    if node.params:
        data["params"] = _plain(node.params)
    data["position"] = [_short(node.position[0]), _short(node.position[1])]
    if node.ties:
        data["ties"] = {name: {"to": tie.to, "when": tie.when} for name, tie in node.ties.items()}
    if node.sample:
        data["sample"] = _plain(node.sample)
    if node.order:
        data["order"] = node.order
    for key in ("muted", "collapsed", "colour"):
        if getattr(node, key):
            data[key] = getattr(node, key)
    if node.level is not None:
        data["repeat"] = node.repeat
        if node.shared:
            data["shared"] = True
        if node.backwards:
            data["backwards"] = True
        data["level"] = level_to_data(node.level)
    data.update(_plain(node.extra))
    return data


def wire_to_data(wire: Wire) -> list[Any]:
    """A wire as ["source.output", "target.input"], with its order where that is not 0."""
    ends: list[Any] = [f"{wire.source}.{wire.output}", f"{wire.target}.{wire.input}"]
    return [*ends, wire.order] if wire.order else ends


class _Reader:
    """Builds levels and counts as it goes."""

    def __init__(self) -> None:
        self.nodes = 0
        self.uids: set[str] = set()

    def level(self, data: Any, where: str, depth: int) -> Level:
        if depth > DEEPEST:
            raise FileError(f"groups are nested more than {DEEPEST} deep{_in(where)}.")
        data = _typed(data, dict, f"level{_in(where)}")
        level = Level()
        for item in _typed(data.get("nodes", []), list, f"nodes{_in(where)}"):
            self.nodes += 1
            if self.nodes > MOST_NODES:
                raise FileError(f"it has more than {MOST_NODES:,} nodes.")
            node = self.node(item, where, depth)
            if node.id in level:
                raise FileError(f"two nodes are called {node.id!r}{_in(where)}.")
            level._add(node)
        for item in _typed(data.get("wires", []), list, f"wires{_in(where)}"):
            level._connect(self.wire(item, level, where))
        if not nx.is_directed_acyclic_graph(level.net):
            raise FileError(f"its wires close a circle{_in(where)}.")
        if "comments" in data:
            level._annotate(comments_from_data(data["comments"], where))
        level.extra = MappingProxyType({key: value for key, value in data.items() if key not in _LEVEL_KEYS})
        return level

    def node(self, data: Any, where: str, depth: int) -> Node:
        data = _typed(data, dict, f"a node{_in(where)}")
        id = _typed(data.get("id"), str, f"the id of a node{_in(where)}")
        if not ID_PATTERN.fullmatch(id) or id_fault(id):
            raise FileError(f"a node{_in(where)} is called {id[:60]!r}: {id_fault(id)}.")
        place = f"{where}/{id}" if where else id
        uid = _typed(data.get("uid", new_uid()), str, f"uid of {place}")
        if not uid or len(uid) > 64 or uid in self.uids:
            uid = new_uid()
        self.uids.add(uid)
        block = _typed(data.get("block"), str, f"block of {place}")
        position = _typed(data.get("position", [0, 0]), list, f"position of {place}")
        if len(position) != 2 or not all(_is_number(value) and abs(value) < 1e7 for value in position):
            raise FileError(f"position of {place} must be two numbers.")
        repeat = data.get("repeat", 1)
        if isinstance(repeat, bool) or not isinstance(repeat, int | str):
            raise FileError(f"repeat of {place} must be a number or an expression.")
        inside = self.level(data.get("level"), place, depth + 1) if block == GROUP else None
        known = (
            _NODE_KEYS
            if block == GROUP
            else tuple(key for key in _NODE_KEYS if key not in ("repeat", "shared", "backwards", "level"))
        )
        return Node(
            id,
            block,
            _table(data.get("params", {}), f"params of {place}"),
            _typed(data.get("title", ""), str, f"title of {place}"),
            (float(position[0]), float(position[1])),
            uid,
            MappingProxyType({name: _tie(tie, place) for name, tie in _table(data.get("ties", {}), place).items()}),
            _table(data.get("sample", {}), f"sample of {place}"),
            _typed(data.get("order", 0), int, f"order of {place}"),
            inside,
            repeat if inside is not None else 1,
            _typed(data.get("shared", False), bool, f"shared of {place}") if inside is not None else False,
            _typed(data.get("backwards", False), bool, f"backwards of {place}") if inside is not None else False,
            MappingProxyType({key: value for key, value in data.items() if key not in known}),
            _typed(data.get("muted", False), bool, f"muted of {place}"),
            _typed(data.get("collapsed", False), bool, f"collapsed of {place}"),
            _colour(data, place),
        )

    def wire(self, data: Any, level: Level, where: str) -> Wire:
        if not isinstance(data, list) or len(data) not in (2, 3) or not all(isinstance(end, str) for end in data[:2]):
            raise FileError(f'a wire{_in(where)} must read ["node.output", "node.input"].')
        order = _typed(data[2], int, f"order of a wire{_in(where)}") if len(data) == 3 else 0
        ends = [end.partition(".") for end in data[:2]]
        for id, dot, port in ends:
            if not dot or not port:
                raise FileError(f'a wire{_in(where)} must read ["node.output", "node.input"].')
            if id not in level:
                raise FileError(f"a wire{_in(where)} is tied to {id[:60]!r}, and there is no such node.")
        wire = Wire(ends[0][0], ends[0][2], ends[1][0], ends[1][2], order)
        if any(w.input == wire.input and w.order == wire.order for w in level.incoming(wire.target)):
            raise FileError(f"two wires end at {data[1]}{_in(where)}.")
        return wire


def _colour(data: Mapping[str, Any], place: str) -> str:
    """The name of a colour tag; one that this version does not know is kept, and drawn as none."""
    colour = _typed(data.get("colour", ""), str, f"colour of {place}")
    if len(colour) > LONGEST_COLOUR:
        raise FileError(f"colour of {place} must be the name of a colour.")
    return colour


def _tie(data: Any, place: str) -> Tie:
    data = _typed(data, dict, f"a tie of {place}")
    when = data.get("when", True)
    if not isinstance(when, bool | str):
        raise FileError(f"a tie of {place} must be on, off or an expression.")
    return Tie(_typed(data.get("to"), str, f"the target of a tie of {place}"), when)


def _variables(data: Any) -> dict[str, Any]:
    table = _typed(data, dict, "variables")
    for name, value in table.items():
        if not name.isidentifier():
            raise FileError(f"a variable is called {name[:60]!r}: use letters, digits and _.")
        if not isinstance(value, bool | int | float | str):
            raise FileError(f"the variable {name} must be a number, a text, true or false.")
    return table


def _table(data: Any, where: str) -> Mapping[str, Any]:
    data = _typed(data, dict, where)
    return MappingProxyType(data) if data else NOTHING


def _typed(value: Any, kind: type, where: str) -> Any:
    words = {dict: "a table", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise FileError(f"{where} must be {words[kind]}.")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _in(where: str) -> str:
    return f" in {where}" if where else ""


def _short(value: float) -> float | int:
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
