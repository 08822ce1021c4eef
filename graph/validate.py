"""Document → Report: a signal on every wire, every issue, and what the sizes must satisfy.

`validate` looks at a document once. A `Validator` keeps what it found and looks again only at what an edit has
touched and at what hangs on it. Neither raises for users' faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import Any

from blocks.shapes import Needs
from blocks.spec import Port
from graph import expressions, repetition
from graph.assembling import assemble
from graph.bypass import bypassed
from graph.causes import Causes
from graph.document import Document, Level, Node, Path, Wire
from graph.flow import Change, Flow
from graph.issues import LevelReport, NodeReport, Report, Signal
from graph.judge import Judgement, judge, title_of
from graph.reaching import follow_used
from graph.repairs import Scope

MOST_ROUNDS = 4096
"""How often a group may run in all, with the repetitions of the groups around it."""
LAYER = "layer"


def validate(document: Document) -> Report:
    """Look at a whole document."""
    return Validator(document).report()


def group_ports(level: Level) -> tuple[dict[str, str], dict[str, str]]:
    """The ports of a group: input name → the node inside that stands for it, and the same for outputs."""
    inputs: list[tuple[int, str, str]] = []
    outputs: list[tuple[int, str, str]] = []
    for id, node in level.nodes.items():
        if node.block in ("GroupInput", "GroupOutput"):
            port = node.params.get("port", "x")
            (inputs if node.block == "GroupInput" else outputs).append((node.order, id, str(port)))
    return {port: id for _, id, port in sorted(inputs)}, {port: id for _, id, port in sorted(outputs)}


@dataclass(eq=False)
class _Levels:
    """What is remembered of one level (of one round of a group, where rounds differ)."""

    flow: Flow = field(default_factory=Flow)
    nodes: dict[str, NodeReport] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    scope: Scope | None = None
    inside: dict[tuple[str, int], _Levels] = field(default_factory=dict)
    report: LevelReport | None = None
    judged: dict[str, _Judged] = field(default_factory=dict)
    former: dict[str, _Judged] = field(default_factory=dict)
    """What nodes were before they last changed: what is undone need not be judged again."""

    def forget(self, gone: frozenset[str]) -> None:
        """Nodes are not there any more."""
        for id in gone:
            for kept in (self.nodes, self.judged, self.former):
                kept.pop(id, None)
        self.inside = {key: value for key, value in self.inside.items() if key[0] not in gone}

    def settle(self, level: Level, change: Change, before: Mapping[str, NodeReport]) -> None:
        """All nodes are looked at: say what is known of the level now."""
        nodes, flow = self.nodes, self.flow
        if change.is_reordered:
            nodes = self.nodes = {id: nodes[id] for id in flow.order}
        doubtful = set(change.changed)
        for id in change.rewired | change.gone:
            for report in (before.get(id), nodes.get(id)):
                doubtful.update(wire.source for wire in report.wires) if report is not None else None
        for id, report in nodes.items():
            old = before.get(id)
            if report is not old and (report.node.muted or (old is not None and old.node.muted)):
                doubtful.update(wire.source for wire in report.wires)
        self.used = follow_used(level, nodes, flow.order, flow.place, self.used, doubtful)
        self.report = LevelReport(MappingProxyType(nodes), self.used)

    def judge(self, node: Node, wires: tuple[Wire, ...], scope: Scope, *, same_scope: bool) -> NodeReport:
        """Look at one node that is not a group; `same_scope` says that what was found before may still hold."""
        sources = tuple(self.nodes.get(wire.source) for wire in wires)
        now = self.judged.get(node.id)
        tries = (now, self.former.get(node.id)) if same_scope else ()
        known = next((one for one in tries if one is not None and one.holds(node, wires, sources)), None)
        if known is None:
            report = judge(node, wires, self.nodes, scope)
        else:
            report = known.report
            if report.wires is not wires or report.node is not node:
                report = replace(report, node=node, wires=wires)
        if now is not None and now is not known:
            self.former[node.id] = now
        self.judged[node.id] = _Judged(report, sources)
        return report


@dataclass(frozen=True, slots=True)
class _Judged:
    """A report on a node, and those on the nodes before it that it was made from."""

    report: NodeReport
    sources: tuple[NodeReport | None, ...]

    def holds(self, node: Node, wires: tuple[Wire, ...], sources: tuple[NodeReport | None, ...]) -> bool:
        """Whether judging the node again would say the same."""
        return (
            (self.report.node is node or looks_apart(self.report.node, node))
            and (self.report.wires is wires or self.report.wires == wires)
            and all(
                then is now or (_says_the_same(then, now) and now is not None and not now.node.is_dot)
                for then, now in zip(self.sources, sources, strict=True)
            )
        )


class Validator:
    """Keeps a document's report up to date at the cost of what changed."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._top = _Levels()
        self._variables: Mapping[str, Any] | None = None
        self._scope = Scope((), {}, {})
        self._last: Report | None = None
        self._causes = Causes()

    def report(self) -> Report:
        """The report on the document as it is now."""
        document = self._document
        if self._last is not None and self._last.revision == document.revision:
            return self._last
        if document.variables is not self._variables:
            self._scope = self._outermost(document.variables)
            self._variables = document.variables
        self._look(self._top, document.top, self._scope)
        assert self._top.report is not None
        report = assemble(document, self._top.report, self._scope)
        self._last = replace(report, issues=self._causes.settle(report.issues, document, self._tried))
        return self._last

    def _outermost(self, variables: Mapping[str, Any]) -> Scope:
        values, faults = expressions.resolve(variables)
        name = self._document.template.get("name", "")
        return Scope((), values, faults, variables, template=name if isinstance(name, str) else "")

    def _tried(self, variables: Mapping[str, Any]) -> Report:
        """The report on the document if its variables were these."""
        state, scope = _Levels(), self._outermost(variables)
        self._look(state, self._document.top, scope)
        assert state.report is not None
        return assemble(self._document, state.report, scope)

    def probe(self, at: Path, wire: Wire, *more: Wire) -> NodeReport | None:
        """What the wire's target would say if the wire, and more into the same node, were there; for dragged wires."""
        report = self.report().level(at)
        if report is None or wire.target not in report.nodes or wire.source not in report.nodes:
            return None
        target = report.nodes[wire.target]
        taken = {(w.input, w.order) for w in (wire, *more)}
        wires = (*(w for w in target.wires if (w.input, w.order) not in taken), wire, *more)
        return self.try_node(at, target.node, tuple(sorted(wires, key=lambda w: (w.input, w.order))))

    def try_node(
        self, at: Path, node: Node, wires: tuple[Wire, ...], brought: Mapping[str, Any] = MappingProxyType({})
    ) -> NodeReport | None:
        """What a node would say with these wires, whether or not it is on the level; for what is held over a wire.

        `brought` are variables that come with it; those of the document that have the same names stay.
        """
        state = self._state(at)
        if state is None or state.scope is None or state.report is None:
            return None
        scope = state.scope.with_more(brought)
        if node.is_group:
            return self._group(_Levels(), node, wires, state.report.nodes, scope)
        return judge(node, wires, state.report.nodes, scope)

    def _state(self, at: Path) -> _Levels | None:
        state: _Levels | None = self._top
        for id in at:
            state = state.inside.get((id, 0)) if state else None
        return state

    def _look(self, state: _Levels, level: Level, scope: Scope) -> None:
        """Bring what is remembered of a level up to date."""
        change = state.flow.follow(level)
        order, place = state.flow.order, state.flow.place
        before = state.nodes
        nodes = state.nodes = dict(before)
        if change.gone:
            state.forget(change.gone)
        same_scope = state.scope is not None and _same_scope(state.scope, scope)
        if same_scope:
            assert state.scope is not None
            scope = state.scope
        else:
            state.former = {}
        received_changed = not same_scope and (state.scope is None or state.scope.received != scope.received)
        state.scope = scope
        due = {*change.changed, *change.rewired, *state.flow.groups}
        if not same_scope:
            due.update(
                id for id, old in nodes.items() if old.uses or (received_changed and old.node.block == "GroupInput")
            )
        queue = [place[id] for id in due]
        heapify(queue)
        touched = bool(change) or state.report is None
        while queue:
            id = order[heappop(queue)]
            node, wires, old = level.nodes[id], level.incoming(id), nodes.get(id)
            if node.level is not None:
                new = self._group(state, node, wires, nodes, scope)
                if old is not None and _same_group(old, new):
                    continue
            else:
                new = state.judge(node, wires, scope, same_scope=same_scope)
            nodes[id] = new
            touched = True
            if node.is_dot or not _says_the_same(old, new):  # issues name what lies behind dots
                for target in level.net.succ[id]:
                    if target not in due:
                        due.add(target)
                        heappush(queue, place[target])
        if touched:
            state.settle(level, change, before)

    def _group(
        self, state: _Levels, node: Node, wires: tuple[Wire, ...], before: Mapping[str, NodeReport], scope: Scope
    ) -> NodeReport:
        assert node.level is not None
        case = Judgement(node, wires, before, scope)
        port_nodes, exits = group_ports(node.level)
        ports = {name: Port("...", dtype="any") for name in port_nodes}
        inputs, ready = case.gather(ports)
        rounds = self._rounds(case)
        ready = ready and not case.stuck
        received = {name: signals[0] for name, signals in inputs.items()}
        inside, uses = self._inside(state, node, received, rounds, scope)
        uses |= case.uses
        for _ in received if rounds > 1 else ():  # each time one more input may turn out to receive more
            carried = repetition.carried_bounds(received, exits, inside)
            if carried == received:
                break
            received = carried
            inside, _ = self._inside(state, node, received, rounds, scope)
        need = Needs()
        outputs = repetition.exits(case, exits, inside, received, rounds, need) if ready else {}
        broken = any(
            inner.nodes[id].state == "error" or any(issue.severity == "error" for issue in inner.nodes[id].issues)
            for inner in inside
            for id in inner.used
        )
        waiting = any(inner.nodes[id].state == "waiting" for inner in inside for id in inner.used)
        own_errors = sum(issue.severity == "error" for issue in case.issues) > case.unwired
        if ready and not own_errors and not broken and not exits:
            case.blame("It gives nothing back", "a group needs at least one Group output inside")
            own_errors = True
        report = NodeReport(
            node,
            wires,
            None,
            "error" if own_errors or (ready and broken) else "ok" if ready and not waiting else "waiting",
            {"repeat": rounds},
            {"repeat": "expression" if expressions.is_expression(node.repeat) else "set"},
            ports,
            {name: Port("...") for name in exits},
            inputs,
            {} if own_errors or waiting else outputs,
            tuple(case.issues),
            need.remainders,
            tuple(need.limits),
            frozenset(uses),
            rounds=rounds,
            inside=tuple(inside),
        )
        if not node.muted:
            return report
        return bypassed(report, scope.at, title_of(node), case.origins_of(next(iter(ports), "")))

    def _inside(
        self, state: _Levels, node: Node, received: Mapping[str, Signal], rounds: int, scope: Scope
    ) -> tuple[list[LevelReport], set[str]]:
        """The reports on the rounds of a group, or on one that stands for all, and the variables they mention."""
        assert node.level is not None
        inside: list[LevelReport] = []
        uses: set[str] = set()
        counts = rounds > 1 or node.repeat != 1
        for round in range(rounds):
            inner = state.inside.setdefault((node.id, round), _Levels())
            variables = {**scope.variables, LAYER: round} if counts else scope.variables
            within = replace(
                scope,
                at=(*scope.at, node.id),
                variables=variables,
                received=received,
                rounds=scope.rounds * rounds,
            )
            self._look(inner, node.level, within)
            assert inner.report is not None
            inside.append(inner.report)
            uses |= {name for report in inner.report.nodes.values() for name in report.uses}
            if LAYER not in uses:
                break
        return inside, uses - {LAYER} if counts else uses

    def _rounds(self, case: Judgement) -> int:
        value = case.read(case.node.repeat, "repeat")
        if case.stuck:
            return 1
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_ROUNDS:
            if not case.issues:
                raw = case.node.repeat
                nearest = min(max(1, round(value)), MOST_ROUNDS) if isinstance(value, int | float) else 1
                repair = case.repeat_repair(nearest)
                by = f" by `{raw}`" if expressions.is_expression(raw) and repair is None else ""
                case.blame(
                    f"It is to be repeated {value} times{by}",
                    f"it takes a whole number from 1 to {MOST_ROUNDS}",
                    param="repeat",
                    repair=repair,
                )
            return 1
        if value * case.scope.rounds > MOST_ROUNDS:
            case.blame(
                f"With the groups around it, it is to be repeated {value * case.scope.rounds:,} times",
                f"at most {MOST_ROUNDS} are possible",
                param="repeat",
            )
            return 1
        return value


def looks_apart(old: Node, new: Node) -> bool:
    """Whether two states of a node differ in no more than how it is drawn."""
    return (
        old.params is new.params
        and (old.id, old.block, old.title, old.muted) == (new.id, new.block, new.title, new.muted)
        and (old.order, old.repeat, old.shared, old.backwards) == (new.order, new.repeat, new.shared, new.backwards)
        and (old.uid, old.ties, old.sample, old.extra) == (new.uid, new.ties, new.sample, new.extra)
        and old.level is new.level
    )


def _same_scope(old: Scope, new: Scope) -> bool:
    return old is new or (
        old.at == new.at
        and old.variables == new.variables
        and old.faults == new.faults
        and old.received == new.received
        and old.rounds == new.rounds
    )


def _says_the_same(old: NodeReport | None, new: NodeReport | None) -> bool:
    """Whether two reports on a node are the same for those behind it."""
    if old is new:
        return True
    if old is None or new is None:
        return False
    return old.outputs == new.outputs and old.state == new.state and old.node.title == new.node.title


def _same_group(old: NodeReport, new: NodeReport) -> bool:
    return (
        old.node is new.node
        and old.wires is new.wires
        and old.state == new.state
        and old.outputs == new.outputs
        and old.inputs == new.inputs
        and old.issues == new.issues
        and old.rounds == new.rounds
        and len(old.inside) == len(new.inside)
        and all(a is b for a, b in zip(old.inside, new.inside, strict=True))
    )
