"""The drawing a user edits: a tree of levels over networkx, variables, and one stream of changes. No torch, no Qt."""

from __future__ import annotations

import keyword
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import networkx as nx
from psygnal import Signal

from graph.ordering import Ordering
from graph.records import changed

if TYPE_CHECKING:
    from graph.commands import Command
    from graph.comments import Comment

Path: TypeAlias = tuple[str, ...]
"""The ids of a node and of the groups around it, outermost first; () is the top level."""

GROUP = "Group"
REROUTE = "Reroute"
"""The block that is a dot on a wire."""
ID_PATTERN = re.compile(r"[a-z][a-z0-9_]*")
FROM_WIRE: Mapping[str, str] = MappingProxyType({"from": "wire"})
"""The parameter value that stands for "read it off the incoming wire"."""

NOTHING: Mapping[str, Any] = MappingProxyType({})


class EditError(Exception):
    """An edit that cannot be made; the text says why, and the document is as it was."""


def new_uid() -> str:
    """An identity that a node keeps through undo, renaming, grouping and moving."""
    return secrets.token_hex(8)


@dataclass(frozen=True)
class Tie:
    """One tensor under two names: this parameter is the one called `to` ("token_embedding.weight").

    `when` is True, False or an expression of variables such as "=tied".
    """

    to: str
    when: bool | str = True


@dataclass(frozen=True, eq=False)
class Node:
    """One box of the drawing; edits replace it, so identity tells whether it changed.

    Args:
        id: its name in paths, state_dict keys and files; matches `[a-z][a-z0-9_]*`.
        block: the name of its block, or "Group".
        params: parameter → plain value, "=expression" or FROM_WIRE; an absent one has its default.
        title: what the user calls it; empty means the block's own title.
        position: top left corner in canvas units.
        uid: random identity that seeds and keys its weights.
        ties: own parameter name → Tie.
        sample: for a source, what a run feeds it (see graph.samples).
        order: rank among the sources, outputs or ports of its level.
        level: for a group, the graph inside.
        repeat: for a group, how often it runs: a number or an expression.
        shared: for a repeated group, whether all rounds use one set of weights.
        backwards: for a repeated group, whether the last round runs first, as on the way back through a flow.
        extra: keys of the file that this version does not know, kept for the next save.
        muted: whether it is switched off: it passes its first input on (see graph.bypass).
        collapsed: whether only its title is drawn.
        colour: the name of a colour tag, or empty.
    """

    id: str
    block: str
    params: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    title: str = ""
    position: tuple[float, float] = (0.0, 0.0)
    uid: str = field(default_factory=new_uid)
    ties: Mapping[str, Tie] = field(default_factory=lambda: NOTHING)
    sample: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    order: int = 0
    level: Level | None = None
    repeat: int | str = 1
    shared: bool = False
    backwards: bool = False
    extra: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    muted: bool = False
    collapsed: bool = False
    colour: str = ""

    @property
    def is_group(self) -> bool:
        """Whether it holds a graph of its own."""
        return self.level is not None

    @property
    def is_dot(self) -> bool:
        """Whether it is but a dot that leads a wire."""
        return self.block == REROUTE

    def with_(self, **changes: Any) -> Node:
        """The same node with some fields changed."""
        return changed(self, **changes)


@dataclass(frozen=True, order=True)
class Wire:
    """From an output to an input of the same level; `order` ranks the wires of an input that takes many."""

    source: str
    output: str
    target: str
    input: str
    order: int = 0


@dataclass(frozen=True)
class Place:
    """What a node that was deleted comes back with: its rank among the nodes, and its number in the flow of wires."""

    rank: int
    number: int | None


class Level:
    """One graph: the top of a document or the inside of a group.

    Read it freely; only commands change it. `revision` counts its own changes and `structure` those of nodes
    coming, going or being wired, so that readers see cheaply whether they are up to date.
    """

    def __init__(self) -> None:
        self.net = nx.MultiDiGraph()
        self.revision = 0
        self.structure = 0
        self.extra: Mapping[str, Any] = NOTHING
        self.comments: Mapping[str, Comment] = NOTHING
        """Frames and notes by their ids, those behind first; replaced when one of them changes."""
        self._incoming: dict[str, tuple[Wire, ...]] = {}
        self._nodes: dict[str, Node] = {}
        self._ordering = Ordering(self.net)
        self._places: dict[str, int] = {}
        self._next = 0
        self._is_in_order = True

    def __contains__(self, id: str) -> bool:
        return id in self._nodes

    @property
    def nodes(self) -> dict[str, Node]:
        """The nodes by their ids, in their order."""
        if not self._is_in_order:
            self._nodes = {id: self._nodes[id] for id in sorted(self._nodes, key=self._places.__getitem__)}
            self._is_in_order = True
        return self._nodes

    def node(self, id: str) -> Node:
        """The node called `id`; EditError when there is none."""
        try:
            return self._nodes[id]
        except KeyError:
            raise EditError(f"there is no node {id!r} here") from None

    def wires(self) -> list[Wire]:
        """All wires, by target and order."""
        return [wire for id in self.nodes for wire in self._incoming[id]]

    def incoming(self, id: str) -> tuple[Wire, ...]:
        """The wires into a node, by input and order; the tuple is replaced when one of them changes."""
        return self._incoming[id]

    def outgoing(self, id: str) -> list[Wire]:
        """The wires out of a node."""
        edges = (self.net.get_edge_data(id, target) for target in self.net.successors(id))
        return [data["wire"] for several in edges for data in several.values()]

    def reaches(self, start: str, goal: str) -> bool:
        """Whether a path of wires leads from one node to another; a node reaches itself."""
        return self._ordering.reaches(start, goal)

    # Only graph.commands calls what follows.

    def _add(self, node: Node, place: Place | None = None) -> None:
        self.net.add_node(node.id)
        self._nodes[node.id] = node
        self._incoming[node.id] = ()
        self._ordering.add(node.id, place.number if place else None)
        rank = self._places[node.id] = place.rank if place else self._next
        self._is_in_order = self._is_in_order and rank >= self._next
        self._next = max(self._next, rank + 1)
        self._changed(structure=True)

    def _remove(self, id: str) -> Place:
        """Take a node away; returns what puts it where it was."""
        self.net.remove_node(id)
        del self._nodes[id], self._incoming[id]
        self._changed(structure=True)
        return Place(self._places.pop(id), self._ordering.remove(id))

    def _put(self, node: Node) -> None:
        self._nodes[node.id] = node
        self._changed(structure=False)

    def _connect(self, wire: Wire) -> None:
        self.net.add_edge(wire.source, wire.target, (wire.output, wire.input, wire.order), wire=wire)
        self._ordering.lay(wire.source, wire.target)
        self._incoming[wire.target] = tuple(sorted((*self._incoming[wire.target], wire), key=_wire_rank))
        self._changed(structure=True)

    def _disconnect(self, wire: Wire) -> None:
        self.net.remove_edge(wire.source, wire.target, (wire.output, wire.input, wire.order))
        self._incoming[wire.target] = tuple(w for w in self._incoming[wire.target] if w != wire)
        self._changed(structure=True)

    def _relabel(self, old: str, new: str) -> None:
        """Call a node otherwise, in its place among the others."""
        nodes = {new if id == old else id: node for id, node in self.nodes.items()}
        self._places[new] = self._places.pop(old)
        wires = [_renamed(wire, old, new) for wire in self.wires()]
        nodes[new] = nodes[new].with_(id=new)
        self.net.clear()
        self._ordering.forget()
        self.net.add_nodes_from(nodes)
        self._nodes = nodes
        self._incoming = dict.fromkeys(nodes, ())
        for wire in wires:
            self._connect(wire)
        self._changed(structure=True)

    def _annotate(self, comments: Mapping[str, Comment]) -> None:
        self.comments = MappingProxyType(dict(comments)) if comments else NOTHING
        self._changed(structure=False)

    def _changed(self, *, structure: bool) -> None:
        self.revision += 1
        self.structure += structure


@dataclass(frozen=True)
class Change:
    """What subscribers hear: the command that was applied and the revision it led to."""

    command: Command
    revision: int


class Document:
    """A drawing with its variables; `apply` is the only way to change it."""

    changed: ClassVar[Signal] = Signal(Change)

    def __init__(self, title: str = "untitled") -> None:
        self.title = title
        self.seed = 0
        self.variables: Mapping[str, Any] = NOTHING
        self.weights: Mapping[str, Any] = NOTHING
        self.template: Mapping[str, Any] = NOTHING
        self.extra: Mapping[str, Any] = NOTHING
        self.top = Level()
        self.revision = 0

    def apply(self, command: Command) -> Command:
        """Make an edit and return the one that undoes it.

        Raises:
            EditError: the edit is impossible; nothing has changed.
        """
        inverse = command.apply(self)
        self.revision += 1
        self.changed.emit(Change(command, self.revision))
        return inverse

    def level(self, at: Path) -> Level:
        """The level inside the group at that path; () is the top."""
        level = self.top
        for depth, id in enumerate(at, start=1):
            inner = level.node(id).level
            if inner is None:
                raise EditError(f"{'/'.join(at[:depth])} is no group")
            level = inner
        return level

    def node(self, path: Path) -> Node:
        """The node at that path."""
        if not path:
            raise EditError("the top level is no node")
        return self.level(path[:-1]).node(path[-1])

    def walk(self, at: Path = ()) -> Iterator[tuple[Path, Node]]:
        """Every node with its path, groups before what is in them."""
        for id, node in self.level(at).nodes.items():
            yield (*at, id), node
            if node.level is not None:
                yield from self.walk((*at, id))

    def fresh_id(self, at: Path, wish: str, taken: Iterable[str] = ()) -> str:
        """An id like the wish that is free on that level: attention, attention_2, attention_3 ..."""
        return self.fresh_ids(at, [wish], taken)[0]

    def fresh_ids(self, at: Path, wishes: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
        """Ids like the wishes, each free on that level and another one than those before it."""
        level, given = self.level(at), set(taken)
        found: list[str] = []
        counts: dict[str, int] = {}
        for wish in wishes:
            base = re.sub(r"[^a-z0-9_]+", "_", wish.lower()).strip("_") or "node"
            if not base[0].isalpha():
                base = f"n_{base}"
            count = counts.get(base, 1)
            candidate = base if count == 1 else f"{base}_{count}"
            while candidate in level or candidate in given or id_fault(candidate):
                count += 1
                candidate = f"{base}_{count}"
            counts[base] = count
            given.add(candidate)
            found.append(candidate)
        return found


def id_fault(id: str) -> str | None:
    """Why a text cannot be a node's id, or None when it can."""
    if not ID_PATTERN.fullmatch(id) or len(id) > 100:
        return "an id is lower-case letters, digits and _ and begins with a letter"
    if keyword.iskeyword(id):
        return f"{id!r} is a word of Python"
    if id in _module_attributes():
        return f"{id!r} means something to a torch module"
    return None


def _module_attributes() -> frozenset[str]:
    global _reserved
    if _reserved is None:
        from torch import fx  # here, so that the data model itself needs no torch

        _reserved = frozenset(dir(fx.GraphModule)) | {"training", "graph", "code"}
    return _reserved


_reserved: frozenset[str] | None = None


def _wire_rank(wire: Wire) -> tuple[str, int]:
    return (wire.input, wire.order)


def _renamed(wire: Wire, old: str, new: str) -> Wire:
    source = new if wire.source == old else wire.source
    target = new if wire.target == old else wire.target
    return replace(wire, source=source, target=target)
