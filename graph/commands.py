"""Edits as values. Applying one returns the edit that undoes it; a sequence is undone as one.

These are the primitives. Edits that people make (grouping, pasting, wiring onto a taken port) are sequences of them,
built in graph.edits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from graph.document import Document, EditError, Level, Node, Path, Place, Tie, Wire, id_fault

UNSET = MappingProxyType({"unset": True})
"""The value that takes a parameter or variable away, so that its default holds again."""


class Command(Protocol):
    """An edit."""

    @property
    def label(self) -> str:
        """What the user did, for the history list: "Move 3 nodes"."""
        ...

    @property
    def merge_key(self) -> tuple[Any, ...] | None:
        """Commands of one gesture with the same key become one step of the history; None never merges."""
        ...

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse; EditError leaves the document as it was."""
        ...


@dataclass(frozen=True)
class AddNode:
    """Put a node on a level, behind the others or, with the `place` that deleting it gave, where it was."""

    at: Path
    node: Node
    place: Place | None = None
    merge_key: None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Add {self.node.title or self.node.block}"

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        fault = id_fault(self.node.id)
        if fault:
            raise EditError(f"no node can be called {self.node.id!r}: {fault}")
        if self.node.id in level:
            raise EditError(f"there is a node {self.node.id!r} already")
        level._add(self.node, self.place)
        return RemoveNode(self.at, self.node.id)


@dataclass(frozen=True)
class RemoveNode:
    """Take a node off its level, with its wires."""

    at: Path
    id: str
    merge_key: None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Delete {self.id}"

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        node = level.node(self.id)
        wires = dict.fromkeys((*level.incoming(self.id), *level.outgoing(self.id)))
        for wire in wires:
            level._disconnect(wire)
        place = level._remove(self.id)
        return Sequence((AddNode(self.at, node, place), *(Connect(self.at, wire) for wire in wires)), self.label)


@dataclass(frozen=True)
class Connect:
    """Lay a wire."""

    at: Path
    wire: Wire
    merge_key: None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Connect {self.wire.source} to {self.wire.target}"

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level, wire = document.level(self.at), self.wire
        level.node(wire.source)
        level.node(wire.target)
        if any(w.input == wire.input and w.order == wire.order for w in level.incoming(wire.target)):
            raise EditError(f"input {wire.input} of {wire.target} has a wire already")
        if level.reaches(wire.target, wire.source):
            raise EditError(f"a wire from {wire.source} to {wire.target} would close a circle")
        level._connect(wire)
        return Disconnect(self.at, wire)


@dataclass(frozen=True)
class Disconnect:
    """Take a wire away."""

    at: Path
    wire: Wire
    merge_key: None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Disconnect {self.wire.target}"

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        level.node(self.wire.target)
        if self.wire not in level.incoming(self.wire.target):
            raise EditError(f"there is no wire from {self.wire.source} to {self.wire.target}")
        level._disconnect(self.wire)
        return Connect(self.at, self.wire)


@dataclass(frozen=True)
class SetParam:
    """Give a parameter a value: plain, "=expression", FROM_WIRE, or UNSET for its default."""

    at: Path
    id: str
    name: str
    value: Any
    place: int | None = None
    """Where among the others it comes back, for the inverse of taking it away."""

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Set {self.name} of {self.id}"

    @property
    def merge_key(self) -> tuple[Any, ...]:
        """Sliders merge."""
        return ("param", self.at, self.id, self.name)

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        node = level.node(self.id)
        params, old, place = _put(node.params, self.name, self.value, self.place)
        level._put(node.with_(params=params))
        return SetParam(self.at, self.id, self.name, old, place)


@dataclass(frozen=True)
class Move:
    """Put nodes elsewhere on their level; `positions` maps ids to top left corners."""

    at: Path
    positions: Mapping[str, tuple[float, float]]

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Move {next(iter(self.positions))}" if len(self.positions) == 1 else f"Move {len(self.positions)} nodes"

    @property
    def merge_key(self) -> tuple[Any, ...]:
        """Drags merge."""
        return ("move", self.at, frozenset(self.positions))

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        before = {id: level.node(id).position for id in self.positions}
        for id, position in self.positions.items():
            level._put(level.node(id).with_(position=(float(position[0]), float(position[1]))))
        return Move(self.at, before)


@dataclass(frozen=True)
class SetNode:
    """Change one other field of a node: its title, repetition, sample, order, ties, how it is drawn, and the like."""

    at: Path
    id: str
    name: str
    value: Any

    FIELDS = (
        "title",
        "repeat",
        "shared",
        "backwards",
        "sample",
        "order",
        "ties",
        "extra",
        "muted",
        "collapsed",
        "colour",
    )

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Set {self.name} of {self.id}"

    @property
    def merge_key(self) -> tuple[Any, ...]:
        """Typing merges."""
        return ("node", self.at, self.id, self.name)

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        if self.name not in self.FIELDS:
            raise EditError(f"{self.name} of a node is not set this way")
        level = document.level(self.at)
        node = level.node(self.id)
        level._put(node.with_(**{self.name: self.value}))
        return SetNode(self.at, self.id, self.name, getattr(node, self.name))


@dataclass(frozen=True)
class Rename:
    """Give a node another id; wires and ties follow."""

    at: Path
    id: str
    to: str
    merge_key: None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Rename {self.id} to {self.to}"

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        level = document.level(self.at)
        level.node(self.id)
        fault = id_fault(self.to)
        if fault:
            raise EditError(f"no node can be called {self.to!r}: {fault}")
        if self.to in level:
            raise EditError(f"there is a node {self.to!r} already")
        level._relabel(self.id, self.to)
        _retarget(document, ".".join((*self.at, self.id)), ".".join((*self.at, self.to)))
        return Rename(self.at, self.to, self.id)


@dataclass(frozen=True)
class SetVariable:
    """Give a variable of the document a value, or UNSET to take it away."""

    name: str
    value: Any
    place: int | None = None
    """Where among the others it comes back, for the inverse of taking it away."""

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Set {self.name}"

    @property
    def merge_key(self) -> tuple[Any, ...]:
        """Sliders merge."""
        return ("variable", self.name)

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        if not self.name.isidentifier():
            raise EditError(f"a variable cannot be called {self.name!r}: use letters, digits and _")
        document.variables, old, place = _put(document.variables, self.name, self.value, self.place)
        return SetVariable(self.name, old, place)


@dataclass(frozen=True)
class SetDocument:
    """Change a field of the document itself: title, seed, weights, template or extra."""

    name: str
    value: Any

    FIELDS = ("title", "seed", "weights", "template", "extra")

    @property
    def label(self) -> str:
        """What the user did."""
        return f"Set {self.name}"

    @property
    def merge_key(self) -> tuple[Any, ...]:
        """Typing merges."""
        return ("document", self.name)

    def apply(self, document: Document) -> Command:
        """Make the edit, return its inverse."""
        if self.name not in self.FIELDS:
            raise EditError(f"{self.name} of a document is not set this way")
        old = getattr(document, self.name)
        setattr(document, self.name, self.value)
        return SetDocument(self.name, old)


@dataclass(frozen=True)
class Sequence:
    """Several edits that users count as one step; all of them happen or none."""

    steps: tuple[Command, ...]
    label: str = ""
    merge_key: tuple[Any, ...] | None = None

    def apply(self, document: Document) -> Command:
        """Make the edits in order, return the inverse of all."""
        done: list[Command] = []
        try:
            for step in self.steps:
                inverse = step.apply(document)
                done.append(inverse)
        except EditError:
            for inverse in reversed(done):
                inverse.apply(document)
            raise
        return Sequence(tuple(reversed(done)), self.label, self.merge_key)


def _put(
    table: Mapping[str, Any], name: str, value: Any, place: int | None
) -> tuple[Mapping[str, Any], Any, int | None]:
    """The table with one entry changed in its place, what was there before, and where that was if it is taken away."""
    old = table.get(name, UNSET)
    if value is not UNSET and place is None:
        return MappingProxyType({**table, name: value}), old, None
    rest = [(key, kept) for key, kept in table.items() if key != name]
    if value is UNSET:
        return MappingProxyType(dict(rest)), old, list(table).index(name) if name in table else None
    return MappingProxyType(dict([*rest[:place], (name, value), *rest[place:]])), old, None


def _retarget(document: Document, old: str, new: str) -> None:
    """Let ties that point at or into a renamed node point at its new name."""

    def visit(level: Level) -> None:
        for node in list(level.nodes.values()):
            if node.level is not None:
                visit(node.level)
            moved = {
                name: Tie(new + tie.to[len(old) :], tie.when) if tie.to.startswith(f"{old}.") else tie
                for name, tie in node.ties.items()
            }
            if moved != dict(node.ties):
                level._put(node.with_(ties=MappingProxyType(moved)))

    visit(document.top)
