"""Wires laid without aiming: each of some nodes to the next one at its right, at the ports that fit best. No Qt."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from app.canvas.geometry import LevelGeometry, PortPlace
from app.canvas.verdicts import circle, takes_many, trial
from app.session import Session
from graph import edits
from graph.commands import Command, Sequence
from graph.document import EditError, Level
from graph.issues import Issue

MOST, TRIES = 24, 4
"""So many nodes are joined at once, and so many are tried for each; more would hold the window."""


def join(session: Session, geometry: LevelGeometry, ids: Iterable[str]) -> None:
    """Wire nodes one to the next, from left to right, as one step; what cannot be is refused in words."""
    corners = {id: geometry.rects[geometry.index[id], :2].tolist() for id in ids if id in geometry.index}
    chosen = sorted(corners, key=corners.__getitem__)
    if _is_column(geometry, chosen):
        chosen.sort(key=lambda id: corners[id][1])
    if len(chosen) < 2:
        session.refuse("Select two blocks or more to connect them")
        return
    if len(chosen) > MOST:
        session.refuse(f"{len(chosen)} blocks are too many to connect without aiming: select at most {MOST}")
        return
    gesture, joined = object(), 0
    why = "these are connected already, or have no free ports"
    for place, id in enumerate(chosen):
        for other in _next_ones(geometry, chosen, place)[:TRIES]:
            made, fault = _wire(session, geometry, id, other)
            why = fault or why
            if made is None:
                continue
            label = made.label if len(chosen) == 2 else f"Connect {len(chosen)} nodes"
            if session.do(Sequence((made,), label, ("join", session.at)), gesture):
                joined += 1
                break
    if not joined:
        session.refuse(why)


def _is_column(geometry: LevelGeometry, chosen: list[str]) -> bool:
    """Whether no node begins right of the middle of another."""
    rects = geometry.rects[[geometry.index[id] for id in chosen]]
    return bool(len(rects) and rects[:, 0].max() < (rects[:, 0] + rects[:, 2]).min() / 2)


def _next_ones(geometry: LevelGeometry, chosen: list[str], place: int) -> list[str]:
    """The nodes that one may lead to: those that begin right of its middle; in one column, those below it."""
    if _is_column(geometry, chosen):
        return chosen[place + 1 :]
    left, _, right, _ = geometry.rects[geometry.index[chosen[place]]].tolist()
    return [id for id in chosen if geometry.rects[geometry.index[id], 0] >= (left + right) / 2]


def _wire(session: Session, geometry: LevelGeometry, id: str, other: str) -> tuple[Command | None, str]:
    """The best wire from one node to another, or why there is none."""
    level = session.document.level(session.at)
    if any(wire.target == other for wire in level.outgoing(id)):
        return None, ""
    outputs = [place for place in geometry.ports_of(id) if not place.is_input]
    inputs = [place for place in geometry.ports_of(other) if place.is_input and not _is_taken(level, place)]
    if not outputs or not inputs:
        return None, ""
    if nx.has_path(level.net, other, id):
        return None, circle(session, id, inputs[0]).message.rstrip(".")
    best: tuple[float, PortPlace, PortPlace] | None = None
    fault: Issue | None = None
    for output in outputs:
        for input in inputs:
            issue = trial(session, output, input, frozenset())
            fault = fault or issue
            cost = _cost(session, output, input)
            if issue is None and (best is None or cost < best[0]):
                best = cost, output, input
    if best is None:
        return None, f"{fault.where}: {fault.message}" if fault is not None else ""
    _, output, input = best
    many = takes_many(session, input)
    try:
        return edits.connect(session.document, session.at, id, output.port, other, input.port, many=many), ""
    except EditError as error:
        return None, str(error)


def _cost(session: Session, output: PortPlace, input: PortPlace) -> float:
    """How far two ports are from being made for each other; of equals the first pair is taken."""
    signal = session.report.signal((*session.at, output.node), output.port)
    report = session.report.node((*session.at, input.node))
    port = report.input_ports.get(input.port) if report is not None else None
    if port is None:
        return 0.0
    other_kind = signal is not None and port.kind is not None and port.kind != signal.kind
    return 4.0 * port.optional + 2.0 * other_kind + (port.pattern == "...")


def _is_taken(level: Level, place: PortPlace) -> bool:
    return any((wire.input, wire.order) == (place.port, place.order) for wire in level.incoming(place.node))
