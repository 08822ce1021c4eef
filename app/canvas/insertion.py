"""Whether a node would fit into a wire: tried on the report, without touching the drawing. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from app.session import Session
from graph import edits
from graph.commands import Connect, Sequence
from graph.document import EditError, Node, Wire
from graph.issues import Issue, NodeReport
from graph.judge import judge
from graph.repairs import Scope

NOTHING: Mapping[str, Any] = MappingProxyType({})


def fits_in(session: Session, node: Node, wire: Wire, brought: Mapping[str, Any] = NOTHING) -> bool:
    """Whether a node, put into a wire, would be content, and what comes after it no worse than before.

    `brought` are the variables that come with it where the drawing lacks them.
    """
    report = session.report
    level = report.level(session.at)
    if level is None:
        return False
    target = level.nodes.get(wire.target)
    ends = _wires_through(session, node, wire)
    if target is None or ends is None:
        return False
    inwards, outwards = ends
    scope = Scope(session.at, {"layer": 0, **report.variables}, {})
    if node.is_group:
        tried = session.validator.try_node(session.at, node, (inwards,), brought)
        if tried is None:
            return False
        trial = tried
    else:
        trial = judge(node, (inwards,), level.nodes, scope)
    if trial.state != "ok" and level.nodes[wire.source].state == "ok":
        return False
    signal, before = trial.outputs.get(outwards.output), level.nodes[wire.source].outputs.get(wire.output)
    if signal is None:
        return before is None
    if target.node.is_group:
        return before is not None and (signal.shape, signal.dtype) == (before.shape, before.dtype)
    wires = tuple(outwards if old == wire else old for old in target.wires)
    return not new_issues(target, judge(target.node, wires, {**level.nodes, node.id: trial}, scope))


def new_issues(before: NodeReport, after: NodeReport) -> list[Issue]:
    """What a trial adds to the complaints of a node."""
    known = {str(issue) for issue in _errors(before)}
    return [issue for issue in _errors(after) if str(issue) not in known]


def _errors(report: NodeReport) -> Iterator[Issue]:
    """What is wrong with a node, and with what is in use inside a group."""
    yield from (issue for issue in report.issues if issue.severity == "error")
    for level in report.inside:
        for id, inner in level.nodes.items():
            if id in level.used:
                yield from _errors(inner)


def _wires_through(session: Session, node: Node, wire: Wire) -> tuple[Wire, Wire] | None:
    try:
        command = edits.insert_on_wire(session.document, session.at, node, wire, add=False)
    except EditError:
        return None
    assert isinstance(command, Sequence)
    laid = [step.wire for step in command.steps if isinstance(step, Connect)]
    return laid[0], laid[1]
