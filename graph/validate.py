"""Document → Report: a signal on every wire, every issue, and what the sizes must satisfy.

`validate` looks at a document once. A `Validator` keeps what it found and looks again only at what an edit has
touched and at what hangs on it. Neither raises for users' faults.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from types import MappingProxyType
from typing import Any

import blocks
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
from graph.records import changed
from graph.repairs import Scope
from graph.sameness import is_same_scope, looks_apart, same_group, says_the_same

MOST_ROUNDS = 4096
"""How often a group may run in all, with the repetitions of the groups around it."""
LAYER = "layer"
MOST_ALIKE = 2048
"""So many kinds of nodes are remembered on a level."""


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
    alike: dict[Hashable, NodeReport] = field(default_factory=dict)
    """What was said of sound nodes: of others of the same block that receive the same it can be said too."""

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
        sources = tuple([self.nodes.get(wire.source) for wire in wires])
        now = self.judged.get(node.id)
        known = now if same_scope and now is not None and now.holds(node, wires, sources) else None
        if known is None and same_scope:
            former = self.former.get(node.id)
            known = former if former is not None and former.holds(node, wires, sources) else None
        if known is None:
            report = self._judge_alike(node, wires, sources, scope)
        else:
            report = known.report
            if report.wires is not wires or report.node is not node:
                report = changed(report, node=node, wires=wires)
        if same_scope and now is not None and now is not known:  # what another scope said holds in that one only
            self.former[node.id] = now
        self.judged[node.id] = _Judged(report, sources)
        return report

    def _judge_alike(
        self, node: Node, wires: tuple[Wire, ...], sources: tuple[NodeReport | None, ...], scope: Scope
    ) -> NodeReport:
        """Look at a node for the first time, unless another one of which there is nothing to complain is like it."""
        arrived = [
            (wire.input, wire.order, source.outputs.get(wire.output) if source is not None else None)
            for wire, source in zip(wires, sources, strict=True)
        ]
        key = (blocks.find(node.block), node.muted, str(dict(node.params)), *arrived)
        twin = self.alike.get(key)
        if twin is not None:
            return changed(twin, node=node, wires=wires)
        report = judge(node, wires, self.nodes, scope)
        if report.state == "ok" and not report.issues and all(signal is not None for _, _, signal in arrived):
            if len(self.alike) >= MOST_ALIKE:
                self.alike.clear()
            self.alike[key] = report
        return report


@dataclass(frozen=True, slots=True)
class _Judged:
    """A report on a node, and those on the nodes before it that it was made from."""

    report: NodeReport
    sources: tuple[NodeReport | None, ...]

    def holds(self, node: Node, wires: tuple[Wire, ...], sources: tuple[NodeReport | None, ...]) -> bool:
        """Whether judging the node again would say the same."""
        if self.report.node is not node and not looks_apart(self.report.node, node):
            return False
        if self.report.wires is not wires and self.report.wires != wires:
            return False
        return self.sources == sources or all(
            then is now or (says_the_same(then, now) and now is not None and not now.node.is_dot)
            for then, now in zip(self.sources, sources, strict=True)
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
        same_scope = state.scope is not None and is_same_scope(state.scope, scope)
        if same_scope:
            assert state.scope is not None
            scope = state.scope
        else:
            state.former, state.alike = {}, {}
        received_changed = not same_scope and (state.scope is None or state.scope.received != scope.received)
        state.scope = scope
        due = {*change.changed, *change.rewired, *state.flow.groups}
        if not same_scope:
            due.update(
                id
                for id, old in nodes.items()
                if old.uses or old.issues or (received_changed and old.node.block == "GroupInput")
            )
        queue = [place[id] for id in due]
        heapify(queue)
        touched = bool(change) or state.report is None
        while queue:
            id = order[heappop(queue)]
            node, wires, old = level.nodes[id], level.incoming(id), nodes.get(id)
            if node.level is not None:
                new = self._group(state, node, wires, nodes, scope)
                if old is not None and same_group(old, new):
                    continue
            else:
                new = state.judge(node, wires, scope, same_scope=same_scope)
            nodes[id] = new
            touched = True
            if node.is_dot or not says_the_same(old, new):  # issues name what lies behind dots
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
