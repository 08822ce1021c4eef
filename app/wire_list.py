"""The wires that a node could have, as a list to choose from: how one wires without a mouse. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from app.canvas.geometry import PortPlace
from app.canvas.verdicts import takes_many, trial
from app.session import Session
from graph import edits
from graph.commands import Command, Disconnect
from graph.document import EditError, Wire
from graph.issues import NodeReport
from graph.judge import title_of

MOST = 160
"""So many pairs of ports are tried, those of near nodes first; more would hold the window."""


@dataclass(frozen=True)
class Choice:
    """A wire that could be laid, or one that could be taken away.

    Args:
        title: "y → Linear, x".
        detail: what would give way, or that it is there.
        category: the palette category of the other node.
        command: the edit.
    """

    title: str
    detail: str
    category: str
    command: Command


def choices(session: Session, id: str) -> list[Choice]:
    """Wires to lay, those to free inputs first, and then the wires there are, to take them away.

    Where it is not known yet what comes out of a node, its wires stand behind those that surely fit.
    """
    ranked: tuple[list[Choice], list[Choice], list[Choice]] = ([], [], [])
    for source, target in _pairs(session, id):
        if trial(session, source, target, frozenset()) is not None:
            continue
        choice = _choice(session, id, source, target)
        if choice is not None:
            is_known = session.report.signal((*session.at, source.node), source.port) is not None
            ranked[2 if choice.detail else 0 if is_known else 1].append(choice)
    return [*ranked[0], *ranked[1], *ranked[2], *_there(session, id)]


def _pairs(session: Session, id: str) -> Iterator[tuple[PortPlace, PortPlace]]:
    """The outputs and inputs that could be joined, of near nodes first."""
    level = session.document.level(session.at)
    report = session.report.level(session.at)
    if report is None or id not in report.nodes:
        return
    before, after = nx.ancestors(level.net, id), nx.descendants(level.net, id)
    x, y = level.node(id).position
    others = sorted(
        (node for node in level.nodes.values() if node.id != id and node.id in report.nodes),
        key=lambda node: abs(node.position[0] - x) + abs(node.position[1] - y),
    )
    count = 0
    for node in others:
        forth = [] if node.id in before else _joined(report.nodes[id], report.nodes[node.id])
        back = [] if node.id in after else _joined(report.nodes[node.id], report.nodes[id])
        for pair in (*forth, *back):
            yield pair
            count += 1
        if count >= MOST:
            return


def _joined(source: NodeReport, target: NodeReport) -> list[tuple[PortPlace, PortPlace]]:
    return [
        (
            PortPlace(source.node.id, output, 0, False, 0.0, 0.0),
            PortPlace(target.node.id, input, 0, True, 0.0, 0.0),
        )
        for output in source.output_ports
        for input in target.input_ports
    ]  # fmt: skip


def _choice(session: Session, id: str, source: PortPlace, target: PortPlace) -> Choice | None:
    level = session.document.level(session.at)
    many = takes_many(session, target)
    old = [] if many else [wire for wire in level.incoming(target.node) if wire.input == target.port]
    try:
        command = edits.connect(
            session.document, session.at, source.node, source.port, target.node, target.port, many=many
        )
    except EditError:
        return None  # it is there already
    detail = f"replaces {title_of(level.node(old[0].source))}" if old else ""
    is_source = source.node == id
    return Choice(_title(session, source, target, is_source), detail, _category(session, target, source, id), command)


def _there(session: Session, id: str) -> list[Choice]:
    """The wires that the node has."""
    level = session.document.level(session.at)
    found: list[Choice] = []
    for wire in (*level.incoming(id), *level.outgoing(id)):
        source, target = _ends(wire)
        title = _title(session, source, target, wire.source == id)
        found.append(
            Choice(f"Cut {title}", "is there", _category(session, target, source, id), Disconnect(session.at, wire))
        )
    return found


def _ends(wire: Wire) -> tuple[PortPlace, PortPlace]:
    return (
        PortPlace(wire.source, wire.output, 0, False, 0.0, 0.0),
        PortPlace(wire.target, wire.input, wire.order, True, 0.0, 0.0),
    )


def _title(session: Session, source: PortPlace, target: PortPlace, is_source: bool) -> str:
    level = session.document.level(session.at)
    other = target if is_source else source
    own, arrow = (source.port, "→") if is_source else (target.port, "←")
    return f"{own} {arrow} {title_of(level.node(other.node))}, {other.port}"


def _category(session: Session, target: PortPlace, source: PortPlace, id: str) -> str:
    import blocks

    other = target if source.node == id else source
    block = blocks.find(session.document.level(session.at).node(other.node).block)
    return block.category if block is not None else "Structure"
