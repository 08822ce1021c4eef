"""Wiring without aiming: what an output of a node may go to, and what may go into an input, the best first. No Qt."""

from __future__ import annotations

import time
from dataclasses import dataclass

import networkx as nx

from app.session import Session
from app.symbols import of_block
from blocks.shapes import spell
from blocks.spec import Port
from graph import edits
from graph.document import EditError, Node, Wire
from graph.issues import NodeReport, Signal
from graph.judge import title_of

MOST, LONGEST = 60, 0.04
"""So many wires are tried at most, and so many seconds long; those that are likeliest come first."""


@dataclass(frozen=True)
class Way:
    """A wire that could be laid.

    Args:
        wire: the wire.
        title: the other end, as people read it: "Linear, x".
        detail: what comes out of its target then, or what travels on it.
        category: the palette category of the block at the other end.
        instead: the title of what the input is fed by now, and would be no more.
        many: whether the input takes several.
        icon: the icon of that block.
    """

    wire: Wire
    title: str
    detail: str = ""
    category: str = ""
    instead: str = ""
    many: bool = False
    icon: str = ""


def ways_out(session: Session, id: str) -> list[Way]:
    """Where the outputs of a node may go: inputs that need a wire first, then free ones, then taken ones."""
    level, known = session.document.level(session.at), session.report.level(session.at)
    here = known.nodes.get(id) if known is not None else None
    if known is None or here is None:
        return []
    before = nx.ancestors(level.net, id) | {id}
    wishes: list[tuple[tuple[float, ...], Wire, Port]] = []
    for rank, output in enumerate(here.output_ports):
        signal = here.outputs.get(output)
        for other, report in known.nodes.items():
            if other in before:
                continue
            far = _distance(level.nodes[id], level.nodes[other])
            for place, (input, port) in enumerate(report.input_ports.items()):
                wire = Wire(id, output, other, input)
                wish = _wish(report, wire, port, signal)
                if wish is not None:
                    wishes.append(((wish, rank, far, place), wire, port))
    return _tried(session, wishes, outwards=True)


def ways_in(session: Session, id: str) -> list[Way]:
    """What may go into the inputs of a node: inputs that need a wire first, and what is nearest to it."""
    level, known = session.document.level(session.at), session.report.level(session.at)
    here = known.nodes.get(id) if known is not None else None
    if known is None or here is None:
        return []
    after = nx.descendants(level.net, id) | {id}
    wishes: list[tuple[tuple[float, ...], Wire, Port]] = []
    for place, (input, port) in enumerate(here.input_ports.items()):
        for other, report in known.nodes.items():
            if other in after:
                continue
            far = _distance(level.nodes[other], level.nodes[id])
            for rank, output in enumerate(report.output_ports):
                wire = Wire(other, output, id, input)
                wish = _wish(here, wire, port, report.outputs.get(output))
                if wish is not None:
                    wishes.append(((wish, place, far, rank), wire, port))
    return _tried(session, wishes, outwards=False)


def lay(session: Session, way: Way) -> bool:
    """Lay the wire; one that the input has gives way. What cannot be done is refused in words."""
    wire = way.wire
    try:
        command = edits.connect(
            session.document, session.at, wire.source, wire.output, wire.target, wire.input, many=way.many
        )
    except EditError as error:
        session.refuse(str(error))
        return False
    return session.do(command)


def _wish(report: NodeReport, wire: Wire, port: Port, signal: Signal | None) -> float | None:
    """How much an input wants a wire (less is more), or None where this one is there or cannot be."""
    taken = [old for old in report.wires if old.input == wire.input]
    if any((old.source, old.output) == (wire.source, wire.output) for old in taken):
        return None
    if signal is not None and port.dtype not in (None, "any", signal.dtype):
        return None
    other_kind = signal is not None and port.kind is not None and port.kind != signal.kind
    needs = not taken and not port.optional
    return (0 if needs else 1 if port.many or not taken else 2) + 3 * other_kind


def _tried(session: Session, wishes: list[tuple[tuple[float, ...], Wire, Port]], *, outwards: bool) -> list[Way]:
    level = session.document.level(session.at)
    known = session.report.level(session.at)
    assert known is not None
    found: list[Way] = []
    end = time.perf_counter() + LONGEST
    for _, wire, port in sorted(wishes, key=lambda wish: wish[0])[:MOST]:
        if found and time.perf_counter() > end:
            break
        report = known.nodes[wire.target]
        taken = [old for old in report.wires if old.input == wire.input]
        order = max((old.order for old in taken), default=-1) + 1 if port.many else 0
        trial = session.validator.probe(session.at, Wire(wire.source, wire.output, wire.target, wire.input, order))
        if trial is None or _worse(report, trial):
            continue
        other = level.nodes[wire.target if outwards else wire.source]
        if outwards:
            ends = report.input_ports
            signal = known.nodes[wire.source].outputs.get(wire.output)
            name, shapes = wire.input, [*trial.outputs.values(), *([signal] if signal is not None else [])]
        else:
            ends = known.nodes[wire.source].output_ports
            signal = known.nodes[wire.source].outputs.get(wire.output)
            name, shapes = wire.output, [signal] if signal is not None else []
        shape = spell(session.report.simplified(shapes[0]).shape) if shapes else ""
        into = f" into {wire.input}" if not outwards and len(report.input_ports) > 1 else ""
        title = title_of(other) if len(ends) == 1 else f"{title_of(other)}, {name}"
        instead = title_of(level.nodes[taken[0].source]) if taken and not port.many else ""
        arrow = "→ " if outwards and trial.outputs else ""
        block = known.nodes[other.id].block
        category, icon = of_block(block)
        found.append(Way(wire, title + into, arrow + shape, category, instead, port.many, icon))
    return found


def _worse(before: NodeReport, after: NodeReport) -> bool:
    old = {str(issue) for issue in before.issues}
    return any(issue.severity == "error" and str(issue) not in old for issue in after.issues)


def _distance(source: Node, target: Node) -> float:
    """How far it is to a node; back to the left is farther."""
    dx, dy = target.position[0] - source.position[0], target.position[1] - source.position[1]
    return abs(dx) + abs(dy) + (600.0 if dx < 0 else 0.0)
