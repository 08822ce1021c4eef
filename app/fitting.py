"""Which blocks take what a wire carries, and wiring the one that was chosen."""

from __future__ import annotations

from types import MappingProxyType

import blocks
from app.session import Session
from blocks.spec import Block
from graph import edits
from graph.commands import AddNode, Connect, Sequence
from graph.document import EditError, Wire
from graph.issues import Signal
from graph.judge import judge
from graph.repairs import Scope

GAP = 16.0
"""How far above the drop point the corner of the new node lies, so that its first port is near the pointer."""


def fits(session: Session, source: str, output: str) -> list[tuple[str, str]]:
    """The blocks that take a signal, the best first, each with the first input that does.

    Best are those made for just this kind, then those that fit in shape, then those that take anything.
    """
    report = session.report
    signal = report.signal((*session.at, source), output)
    level = report.level(session.at)
    if level is None:
        return []
    scope = Scope(session.at, report.variables, {})
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


def attach(session: Session, source: str, output: str, name: str, port: str, position: tuple[float, float]) -> bool:
    """Add a block where a wire was dropped and lay the wire, as one step."""
    block = blocks.find(name)
    if block is None:
        return False
    node = edits.new_node(session.document, session.at, block, (position[0], position[1] - GAP))
    steps = (AddNode(session.at, node), Connect(session.at, Wire(source, output, node.id, port)))
    try:
        session.document.level(session.at).node(source)
    except EditError as error:
        session.refuse(str(error))
        return False
    if not session.do(Sequence(steps, f"Add {block.title}")):
        return False
    session.select([node.id])
    return True


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
