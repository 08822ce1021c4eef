"""Which blocks take what a wire carries, or give what an input wants: the best first. No Qt."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import blocks
from app.session import Session
from blocks.shapes import REST, axes_of
from blocks.spec import Block
from graph import bounds, edits
from graph.document import EditError, Node, Wire
from graph.issues import Issue, NodeReport, Signal
from graph.judge import Scope, judge
from graph.library import OwnBlock, brought, placing
from graph.validate import group_ports

LONGEST = 0.03
"""So many seconds the user's own blocks are tried at most; those left after that are listed last, without a port."""
_FITTING = 2.0
"""What suits a signal so well or better fits it, and does not merely take anything."""
NOTHING: Mapping[str, int] = MappingProxyType({})


def fits(
    session: Session, source: str, output: str, uses: Mapping[str, int] = NOTHING, own: Iterable[OwnBlock] = ()
) -> list[tuple[str, str]]:
    """The blocks that take a signal, the best first, each with the first input that does.

    Each is tried: first come those that are content with just this wire, then those that still need another; among
    them those that fit in kind or shape, then those that take anything; of these those that are used most, and then
    those made for this kind of signal.

    Args:
        session: where.
        source: the node that the wire comes from.
        output: its port.
        uses: how often each block was used.
        own: blocks of the user, which are listed among the others by their clips.
    """
    report = session.report
    signal = report.signal((*session.at, source), output)
    level = report.level(session.at)
    if level is None:
        return []
    uses = _all_uses(session, uses)
    scope = Scope(session.at, {"layer": 0, **report.variables}, {})
    inside = bool(session.at)
    found: list[tuple[float, float, int, int, float, int, str, str]] = []
    for rank, (name, block) in enumerate(blocks.catalogue().items()):
        if block.role == "source" or (block.role.startswith("group") and not inside) or not block.inputs:
            continue
        if block.role == "output" and inside:
            continue
        kind = signal.kind if signal is not None else ""
        given = bounds.suiting(block, signal)
        node = edits.new_node(session.document, session.at, block, (0.0, 0.0), kind=kind, **given)
        for place, port in enumerate(block.inputs):
            value = _value(block, port, signal)
            if value <= 0:
                continue
            trial = judge(node, (Wire(source, output, node.id, port),), MappingProxyType(dict(level.nodes)), scope)
            if not _takes(trial, port):
                continue
            unfinished = float(trial.state != "ok") if signal is not None else 0.0
            found.append((unfinished, float(value < _FITTING), place, -uses[name], -value, rank, name, port))
            break
    end = time.perf_counter() + LONGEST
    for block in own:
        if time.perf_counter() > end:
            found.append((2.0, 0.0, 0, 0, 0.0, -1, block.clip, ""))
            continue
        taken = _own_input(session, block, Wire(source, output, "", ""))
        if taken is not None:
            node, trial, place, port = taken
            unfinished = float(trial.state != "ok") if signal is not None else 0.0
            found.append((unfinished, 0.0, place, -_groups(session, node), -_FITTING, -1, block.clip, port))
    return [(name, port) for *_, name, port in sorted(found)]


def feeders(
    session: Session, target: str, input: str, uses: Mapping[str, int] = NOTHING, own: Iterable[OwnBlock] = ()
) -> list[tuple[str, str]]:
    """The blocks whose first output may go into an input, those of its kind first, each with that output.

    Sources are tried, and left out where the node would complain; of equals those come first that are used most.
    """
    node_report = session.report.node((*session.at, target))
    wanted = node_report.input_ports.get(input) if node_report is not None else None
    uses = _all_uses(session, uses)
    found: list[tuple[float, int, int, str, str]] = []
    for rank, (name, block) in enumerate(blocks.catalogue().items()):
        if not block.outputs or (block.role == "source" and session.at):
            continue
        if block.role.startswith("group") and not session.at:
            continue
        output, port = next(iter(block.outputs.items()))
        if wanted is not None and port.dtype not in (None, "any", wanted.dtype) and wanted.dtype != "any":
            continue
        if block.role == "source" and node_report is not None and not _may_feed(session, block, node_report, input):
            continue
        kind = 0.0 if wanted is not None and port.kind is not None and port.kind == wanted.kind else 1.0
        found.append((kind, -uses[name], rank, name, output))
    for block in own:
        made = _placed(session, block)
        outputs = list(group_ports(made[0].level)[1]) if made is not None and made[0].level is not None else []
        if made is not None and outputs:
            found.append((1.0, -_groups(session, made[0]), -1, block.clip, outputs[0]))
    return [(name, output) for *_, name, output in sorted(found)]


def _own_input(session: Session, block: OwnBlock, wire: Wire) -> tuple[Node, NodeReport, int, str] | None:
    """An own block with its first input that takes a wire: the group, what it would say, the input's place and name."""
    made = _placed(session, block)
    if made is None or made[0].level is None:
        return None
    node, variables = made
    assert node.level is not None
    for place, port in enumerate(group_ports(node.level)[0]):
        trial = session.validator.try_node(session.at, node, (replace(wire, target=node.id, input=port),), variables)
        if trial is not None and not any(issue.severity == "error" for issue in _complaints(trial, port)):
            return node, trial, place, port
    return None


def _complaints(report: NodeReport, port: str) -> list[Issue]:
    """What a group that has but one wire says against what comes in by it; other inputs may be wired later."""
    entry = group_ports(report.node.level)[0] if report.node.level is not None else {}
    own = [issue for issue in report.issues if issue.port in ("", port) or issue.port not in entry]
    inner = [issue for level in report.inside for one in level.nodes.values() if one.node.id in level.used
             for issue in _complaints(one, "")]  # fmt: skip
    return own + inner


def _placed(session: Session, block: OwnBlock) -> tuple[Node, dict[str, Any]] | None:
    """An own block as it would lie on the level, and the variables that it would bring; None where it cannot."""
    try:
        steps, node = placing(session.document, session.at, block.clip)
    except EditError:
        return None
    return node, brought(steps)


def _groups(session: Session, node: Node) -> int:
    """How many groups of the drawing are called like one."""
    return sum(other.is_group and other.title == node.title for _, other in session.document.walk())


def _all_uses(session: Session, uses: Mapping[str, int]) -> Counter[str]:
    """How often each block was used, in this drawing too: one goes on as one has begun."""
    return Counter(uses) + Counter(node.block for _, node in session.document.walk())


def _takes(trial: NodeReport, port: str) -> bool:
    """Whether a block that was tried has nothing against what comes into one of its inputs."""
    errors = [issue for issue in trial.issues if issue.severity == "error"]
    return not any(issue.port == port or trial.block is None or len(trial.block.inputs) == 1 for issue in errors)


def _may_feed(session: Session, block: type[Block], target: NodeReport, input: str) -> bool:
    """Whether a node would have nothing new against what a source gives, as it is when it is new."""
    level = session.report.level(session.at)
    if level is None or target.node.is_group:
        return True
    scope = Scope(session.at, {"layer": 0, **session.report.variables}, {})
    given = bounds.giving(block, target, input)
    new = edits.new_node(session.document, session.at, block, (0.0, 0.0), **given)
    source = judge(new, (), level.nodes, scope)
    wire = Wire(source.node.id, next(iter(block.outputs)), target.node.id, input)
    kept = tuple(w for w in target.wires if w.input != input)
    after = judge(target.node, (*kept, wire), {**level.nodes, source.node.id: source}, scope)
    known = {str(issue) for issue in target.issues}
    return not any(i.severity == "error" and i.port == input and str(i) not in known for i in after.issues)


def _value(block: type[Block], port: str, signal: Signal | None) -> float:
    """How well a port suits a kind of signal, before shapes are looked at; 0 is not at all."""
    declared = block.inputs[port]
    if signal is None:
        return 1.0
    if declared.dtype not in ("any", signal.dtype):
        return 0.0
    axes = axes_of(declared.pattern)  # while another input is missing, validation does not look at shapes
    if REST not in axes and len(axes) != len(signal.shape):
        return 0.0
    if declared.kind == signal.kind:
        return 1.5 * _FITTING
    plain = declared.pattern.strip()
    if plain == "...":
        return 1.0 if block.role == "module" else 0.5
    return _FITTING if declared.kind is None else 0.3
