"""What is written on nodes and wires: titles, counts, states, shapes. Read off the report, kept while it holds."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import compress
from itertools import count as count_from
from operator import is_not
from weakref import WeakKeyDictionary

import blocks
from app import numbers, theme
from app.canvas.geometry import LevelGeometry, Rows
from app.canvas.remembering import is_overfull
from app.symbols import OTHER, of_category
from blocks.remainders import Remainders
from blocks.shapes import spell
from graph.document import GROUP, Node, Path, Wire
from graph.issues import Issue, LevelReport, NodeReport, Report
from graph.judge import title_of
from graph.parameters import count
from graph.ties import holds


@dataclass(frozen=True)
class NodeLabel:
    """What a node says of itself.

    Args:
        title: its title.
        times: how often a group runs, as "× 12", or empty.
        category: the palette category, for its colour.
        state: ok, error, waiting (for something before it), unused, or muted (switched off).
        issues: its own and those of what is inside; of a node without a use only what is wrong with it.
        from_wire: the parameters that it reads off the wire.
        linked: whether its weights are those of another node, or another node's are its.
        port_kinds: (port, is input) → what travels there, "" while unknown.
        hungry: inputs that need a wire and have none.
        idle: inputs that have no wire and need none.
        tag: the name of its colour tag, or empty.
        computed: the parameters that are expressions.
        icon: what stands before the title.
    """

    title: str
    times: str
    category: str
    state: str
    issues: tuple[Issue, ...]
    from_wire: frozenset[str]
    linked: bool
    port_kinds: Mapping[tuple[str, bool], str]
    hungry: frozenset[str]
    idle: frozenset[str]
    tag: str = ""
    computed: frozenset[str] = frozenset()
    icon: str = OTHER

    @cached_property
    def severity(self) -> str:
        """The worst of its issues: error, warning, or empty."""
        return min((issue.severity for issue in self.issues), default="")

    @cached_property
    def heading(self) -> str:
        """Its title, and how often it runs."""
        return f"{self.title} {self.times}".rstrip()

    @cached_property
    def look(self) -> tuple[object, ...]:
        """All of it that is to be seen on the canvas; nodes that look alike can share a picture."""
        said = (self.severity, len(self.issues), self.from_wire, self.computed, frozenset(self.port_kinds.items()))
        return (self.title, self.times, self.category, self.state, self.linked, self.tag, self.hungry, self.idle, said)

    @cached_property
    def mark(self) -> tuple[str, str]:
        """What it is painted as from afar: its category, "tag" and its colour, or "error"; and its state."""
        if self.severity == "error":
            return "error", self.state
        return f"tag {self.tag}" if self.tag in theme.current().tags else self.category, self.state


class Labels:
    """The labels of one level under one report."""

    def __init__(self) -> None:
        self._report: Report | None = None
        self._level: LevelReport | None = None
        self._at: Path = ()
        self._nodes: dict[str, tuple[Node, NodeReport | None, bool, NodeLabel]] = {}
        self._shapes: dict[tuple[str, str], str] = {}
        self._linked: frozenset[str] = frozenset()
        self._remainders: Mapping[str, Remainders] = {}
        self._time_left = 0.0
        self._kinds: tuple[object, list[str | None]] = (None, [])
        self._marks_of: object = None
        self._marks: list[tuple[str, str]] = []
        self._marked: tuple[list[str], list[Node], list[NodeReport | None], frozenset[str]] = ([], [], [], frozenset())
        self.version = 0
        """Counts the reports that were followed."""
        self.is_complete = True
        """Whether every count that was asked for since `begin` could be made in time."""

    def follow(self, report: Report, at: Path) -> None:
        """Speak of another report or level."""
        if at != self._at:
            self._nodes.clear()
        if report is self._report and at == self._at:
            return
        same = report.remainders == self._remainders and report.top is getattr(self._report, "top", None)
        if at != self._at or not same:
            self._shapes.clear()
        self._report, self._at, self._remainders = report, at, report.remainders
        self._level = report.level(at)
        if self._level is not None and is_overfull(self._nodes, self._level.nodes):
            self._nodes = {id: known for id, known in self._nodes.items() if id in self._level.nodes}
        self.version += 1
        self._linked = linked_nodes(report, at)

    def begin(self, seconds: float = 0.008) -> None:
        """A picture begins: so long may parameters be counted that have not been counted yet."""
        self._time_left = seconds
        self.is_complete = True

    def node(self, node: Node) -> NodeLabel:
        """The label of a node of the level."""
        level, id = self._level, node.id
        report = level.nodes.get(id) if level is not None else None
        used = level is not None and id in level.used
        known = self._nodes.get(id)
        linked = id in self._linked
        is_same = known is not None and known[0] is node and known[1] is report and known[2] == used
        if known is not None and is_same and known[3].linked == linked:
            return known[3]
        label = self._make(node, report, used, linked)
        self._nodes[node.id] = (node, report, used, label)
        return label

    def count(self, node: Node) -> str:
        """How many parameters a node has, as people say it; empty for none and while it is unknown."""
        report = self._level.nodes.get(node.id) if self._level is not None else None
        total = self._parameters(report) if report is not None else None
        return numbers.count(total) if total else ""

    def port_text(self, id: str, port: str, *, is_input: bool) -> str:
        """A port in a line: its name, what it carries or needs, and what it is for."""
        assert self._report is not None
        report = self._report.node((*self._at, id))
        if report is None:
            return f"`{port}`"
        known = (report.input_ports if is_input else report.output_ports).get(port)
        signals = report.inputs.get(port, ()) if is_input else ()
        signal = signals[0] if signals else None if is_input else report.outputs.get(port)
        parts = [f"`{port}`"]
        if signal is not None:
            parts.append(str(self._report.simplified(signal)))
        elif known is not None and known.pattern != "...":
            parts.append(f"{'needs ' if is_input else ''}{spell(known.pattern)}")
        if known is not None and known.optional:
            parts.append("optional")
        if known is not None and known.many:
            parts.append("takes several")
        if known is not None and known.doc:
            parts.append(known.doc)
        return " · ".join(parts)

    def value_text(self, id: str, name: str) -> str:
        """A parameter in a line: its name, where its value comes from, and what it is for."""
        assert self._report is not None
        report = self._report.node((*self._at, id))
        if report is None or report.block is None:
            return f"`{name}`"
        param = next((param for param in report.block.params() if param.name == name), None)
        origin = report.origins.get(name, "default")
        raw = report.node.params.get(name)
        source = {"wire": "read off the wire", "expression": f"{raw}", "default": "its default"}.get(origin, "")
        return " · ".join(part for part in (f"`{name}`", source, param.rule.doc if param is not None else "") if part)

    def marks(self, geometry: LevelGeometry) -> list[tuple[str, str]]:
        """Of every row of a level: its category, "tag" and its colour, or "error"; and its state.

        The list is another one whenever a mark or a row has changed.
        """
        key = (geometry, geometry.rows_version, self.version)
        if self._marks_of != key:
            self._marks_of = key
            self._follow_marks(geometry)
        return self._marks

    def _follow_marks(self, geometry: LevelGeometry) -> None:
        """Look at the marks of what has changed since they were asked for last."""
        nodes, reports = geometry.nodes.copy(), geometry.reports.copy()
        used = self._level.used if self._level is not None else frozenset()
        old_ids, old_nodes, old_reports, old_used = self._marked
        self._marked = (geometry.ids, nodes, reports, used)
        if geometry.ids is not old_ids and geometry.ids != old_ids:
            self._marks = [self._mark(node) for node in nodes]
            return
        rows = {geometry.index[id] for id in used ^ old_used if id in geometry.index} if used is not old_used else set()
        rows.update(compress(count_from(0), map(is_not, nodes, old_nodes)))
        rows.update(compress(count_from(0), map(is_not, reports, old_reports)))
        found = {row: mark for row in rows if (mark := self._mark(nodes[row])) != self._marks[row]}
        if found:
            self._marks = self._marks.copy()
            for row, mark in found.items():
                self._marks[row] = mark

    def _mark(self, node: Node) -> tuple[str, str]:
        """The mark of a node; of all but groups it takes no label."""
        level = self._level
        report = level.nodes.get(node.id) if level is not None else None
        if level is None or report is None or report.block is None or report.inside:
            return self.node(node).mark
        used = node.id in level.used
        state = _state(report, used=used)
        told = report.issues if used or report.state == "error" else ()
        if any(issue.severity == "error" for issue in told):
            return "error", state
        return f"tag {node.colour}" if node.colour in theme.current().tags else report.block.category, state

    def kinds_of(self, geometry: LevelGeometry, rows: Rows) -> list[str]:
        """What travels on the wires of some rows, see `kind`; remembered."""
        key = (geometry, geometry.rows_version, self.version)
        if self._kinds[0] != key:
            self._kinds = key, [None] * len(geometry.wires)
        known, found = self._kinds[1], []
        for row in rows.tolist():
            if known[row] is None:
                known[row] = self.kind(geometry.wires[row])
            found.append(known[row])
        return found

    def shape(self, wire: Wire) -> str:
        """The shape on a wire, "batch × seq × 768", or empty while it is unknown."""
        key = (wire.source, wire.output)
        text = self._shapes.get(key)
        if text is None:
            assert self._report is not None
            signal = self._report.signal((*self._at, wire.source), wire.output)
            text = re.sub(r"\d{4,}", lambda found: numbers.exact(int(found[0])), str(signal)) if signal else ""
            self._shapes[key] = text
        return text

    def short_shape(self, wire: Wire) -> str:
        """The shape with its names cut to their first letters: "b × s × 768"."""
        return _shorter(self.shape(wire))

    def kind(self, wire: Wire) -> str:
        """What travels on a wire, "error" where it is what the target complains of, "" while unknown."""
        level = self._level
        if level is None:
            return ""
        target, source = level.nodes.get(wire.target), level.nodes.get(wire.source)
        if target is not None and self._is_blamed(target, wire):
            return "error"
        signal = source.outputs.get(wire.output) if source is not None else None
        return signal.kind if signal is not None else ""

    def _is_blamed(self, target: NodeReport, wire: Wire) -> bool:
        """Whether the target complains of this wire; of several into one input, those that differ from the first."""
        if not any(issue.port == wire.input and issue.severity == "error" for issue in target.issues):
            return False
        peers = [peer for peer in target.wires if peer.input == wire.input]
        return len(peers) == 1 or self.shape(wire) != self.shape(peers[0])

    def _make(self, node: Node, report: NodeReport | None, used: bool, linked: bool) -> NodeLabel:
        plain = plain_label(node)
        if report is None:
            return replace(plain, state="waiting")
        kinds = {(port, False): signal.kind for port, signal in report.outputs.items()}
        kinds |= {(port, True): signals[0].kind for port, signals in report.inputs.items() if signals}
        wired = {wire.input for wire in report.wires}
        issues = tuple(_issues(report)) if used or report.state == "error" else ()
        rounds = report.params.get("repeat")
        return NodeLabel(
            plain.title,
            _times(node, rounds) if plain.times and rounds is not None else plain.times,
            plain.category,
            _state(report, used=used),
            tuple(issue for issue in issues if issue.severity == "error") or issues,
            frozenset(name for name, origin in report.origins.items() if origin == "wire"),
            linked,
            kinds,
            frozenset(n for n, port in report.input_ports.items() if n not in wired and not port.optional),
            frozenset(n for n, port in report.input_ports.items() if n not in wired and port.optional),
            plain.tag,
            frozenset(name for name, origin in report.origins.items() if origin == "expression"),
            plain.icon,
        )

    def _parameters(self, report: NodeReport) -> int | None:
        """How many numbers a node learns; None while that is unknown."""
        if report in _counts:
            return _counts[report]
        if self._time_left <= 0.0:
            self.is_complete = False
            return None
        total: int | None = 0
        if report.node.muted:
            pass  # it is not there, so what it would learn does not count
        elif report.inside:
            parts = [self._parameters(inner) for level in report.inside for inner in level.nodes.values()]
            rounds = 1 if report.node.shared or len(report.inside) > 1 else report.rounds
            total = None if None in parts else sum(part or 0 for part in parts) * rounds
        elif report.block is not None and report.state == "ok":
            start = time.perf_counter()
            total = count(report.block, report.params)
            self._time_left -= time.perf_counter() - start
        if self.is_complete:
            _counts[report] = total
        return total


def _state(report: NodeReport, *, used: bool) -> str:
    """How a node is painted: ok, error, waiting, unused or muted."""
    state = report.state
    if state == "waiting" and report.issues:
        state = "ok"  # it waits for the user, who should see it plainly
    if report.node.muted and state != "error":
        state = "muted"
    return "unused" if state == "ok" and not used and (report.wires or report.state == "ok") else state


def _times(node: Node, rounds: object) -> str:
    return f"× {rounds} backwards" if node.backwards else f"× {rounds}"


def plain_label(node: Node) -> NodeLabel:
    """The label of a node of which nothing is known yet, such as one that is being dropped."""
    block = blocks.find(node.block)
    category = block.category if block is not None else "Structure" if node.block == GROUP else ""
    times = _times(node, str(node.repeat).removeprefix("=")) if node.is_group and node.repeat != 1 else ""
    nothing: frozenset[str] = frozenset()
    icon = of_category(category, block.role if block is not None else "")
    return NodeLabel(
        title_of(node), times, category, "ok", (), nothing, False, {}, nothing, nothing, node.colour, icon=icon
    )


_counts: WeakKeyDictionary[NodeReport, int | None] = WeakKeyDictionary()


def _issues(report: NodeReport) -> list[Issue]:
    """The issues of a node and of the used nodes inside it, each once."""
    found = {str(issue): issue for issue in report.issues}
    for level in report.inside if not report.node.muted else ():
        for id, inner in level.nodes.items():
            if id in level.used or inner.state == "error":
                found |= {str(issue): issue for issue in _issues(inner) if str(issue) not in found}
    return list(found.values())


@lru_cache(4096)
def _shorter(shape: str) -> str:
    return " × ".join(_short(part) for part in shape.split(" × "))


def _short(size: str) -> str:
    """A size with each name cut to its first letter."""
    letters: list[str] = []
    for place, letter in enumerate(size):
        if letter.isalpha() and place and (size[place - 1].isalpha() or size[place - 1] == "_"):
            continue
        if letter != "_":
            letters.append(letter)
    return "".join(letters)


def linked_nodes(report: Report, at: Path) -> frozenset[str]:
    """The nodes of a level that share a tensor with another node; remembered with the report."""
    known = _linked.setdefault(report, {})
    if at not in known:
        known[at] = _find_linked(report, at)
    return known[at]


_linked: WeakKeyDictionary[Report, dict[Path, frozenset[str]]] = WeakKeyDictionary()


def _find_linked(report: Report, at: Path) -> frozenset[str]:
    found: set[str] = set()

    def visit(level: LevelReport, here: Path) -> None:
        for id in level.notable:
            node_report = level.nodes[id]
            for tie in node_report.node.ties.values():
                if not holds(tie, report.variables):
                    continue
                for other in ((*here, id), tuple(tie.to.split(".")[:-1])):
                    if len(other) > len(at) and other[: len(at)] == at:
                        found.add(other[len(at)])
            if node_report.inside:
                visit(node_report.inside[0], (*here, id))

    visit(report.top, ())
    return frozenset(found)
