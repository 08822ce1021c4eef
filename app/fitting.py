"""Which blocks take what a wire carries, and wiring the one that was chosen."""

from __future__ import annotations

from types import MappingProxyType

import blocks
from app.session import Session
from blocks.spec import Block
from graph import edits
from graph.commands import AddNode, Connect, Sequence
from graph.document import Node, Wire
from graph.issues import Signal
from graph.judge import Scope, judge


def fits(session: Session, source: str, output: str) -> list[tuple[str, str]]:
    """The blocks that take a signal, the best first, each with the first input that does.

    Best are those made for just this kind, then those that fit in shape, then those that take anything.
    """
    report = session.report
    signal = report.signal((*session.at, source), output)
    level = report.level(session.at)
    if level is None:
        return []
    scope = Scope(session.at, {"layer": 0, **report.variables}, {})
    inside = bool(session.at)
    found: list[tuple[float, int, str, str]] = []
    for rank, (name, block) in enumerate(blocks.catalogue().items()):
        if block.role == "source" or (block.role.startswith("group") and not inside) or not block.inputs:
            continue
        if block.role == "output" and inside:
            continue
        node = edits.new_node(session.document, session.at, block, (0.0, 0.0))
        for place, port in enumerate(block.inputs):
            value = _value(block, port, signal)
            if value <= 0:
                continue
            trial = judge(node, (Wire(source, output, node.id, port),), MappingProxyType(dict(level.nodes)), scope)
            if any(issue.severity == "error" and issue.port == port for issue in trial.issues):
                continue
            if any(issue.severity == "error" for issue in trial.issues) and len(block.inputs) == 1:
                continue
            found.append((place - value, rank, name, port))
            break
    return [(name, port) for _, _, name, port in sorted(found)]


def feeders(session: Session, target: str, input: str) -> list[tuple[str, str]]:
    """The blocks whose first output may go into an input, those of its kind first, each with that output."""
    report = session.report.node((*session.at, target))
    wanted = report.input_ports.get(input) if report is not None else None
    found: list[tuple[float, int, str, str]] = []
    for rank, (name, block) in enumerate(blocks.catalogue().items()):
        if not block.outputs or (block.role == "source" and session.at):
            continue
        if block.role.startswith("group") and not session.at:
            continue
        output, port = next(iter(block.outputs.items()))
        if wanted is not None and port.dtype not in (None, "any", wanted.dtype) and wanted.dtype != "any":
            continue
        kind = 0.0 if wanted is not None and port.kind is not None and port.kind == wanted.kind else 1.0
        found.append((kind, rank, name, output))
    return [(name, output) for _, _, name, output in sorted(found)]


def attach(session: Session, source: str, output: str, node: Node, port: str) -> bool:
    """Add a node and lay a wire to it, as one step; what cannot be done is refused in words."""
    steps = (AddNode(session.at, node), Connect(session.at, Wire(source, output, node.id, port)))
    done = session.do(Sequence(steps, AddNode(session.at, node).label))
    if done:
        session.select([node.id])
    return done


def _value(block: type[Block], port: str, signal: Signal | None) -> float:
    """How well a port suits a kind of signal, before shapes are looked at; 0 is not at all."""
    declared = block.inputs[port]
    if signal is None:
        return 1.0
    if declared.dtype not in ("any", signal.dtype):
        return 0.0
    if declared.kind == signal.kind:
        return 3.0
    plain = declared.pattern.strip()
    if plain == "...":
        return 1.0 if block.role == "module" else 0.5
    return 2.0 if declared.kind is None else 0.3
