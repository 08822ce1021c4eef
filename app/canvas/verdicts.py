"""Whether a wire in the hand would fit at a port, and why not: found when first asked for. No Qt."""

from __future__ import annotations

import time
from dataclasses import replace

import networkx as nx
import numpy as np

from app.canvas.geometry import PortPlace
from app.canvas.insertion import new_issues
from app.session import Session
from graph.document import Wire
from graph.issues import Issue
from graph.judge import title_of


class Verdicts:
    """Whether a dragged wire would fit at each port, a slice of time a picture.

    Args:
        session: where.
        fixed: the port at the other end of the wire.
        lifted: the wires that are in the hand, which do not count where they were.
    """

    def __init__(self, session: Session, fixed: PortPlace, lifted: frozenset[Wire] = frozenset()) -> None:
        self._session = session
        self._fixed = fixed
        self._lifted = lifted
        self.wants_input = not fixed.is_input
        """Which side of a node the wire may go to."""
        self._known: dict[PortPlace, Issue | None] = {}
        self._time_left = np.inf
        self.is_complete = True
        net = session.document.level(session.at).net
        circle = nx.descendants(net, fixed.node) if fixed.is_input else nx.ancestors(net, fixed.node)
        self._circle = {*circle, fixed.node}

    def begin(self, seconds: float = 0.006) -> None:
        """A picture begins: so long may be spent on ports that were not asked for before."""
        self._time_left = seconds
        self.is_complete = True

    def get(self, place: PortPlace) -> bool | None:
        """Whether the wire would fit there; None for ports where it cannot end, and while it is unknown."""
        if place.is_input != self.wants_input:
            return None
        if place not in self._known and self._time_left <= 0.0:
            self.is_complete = False
            return None
        start = time.perf_counter()
        issue = self.issue(place)
        self._time_left -= time.perf_counter() - start
        return issue is None

    def issue(self, place: PortPlace) -> Issue | None:
        """Why the wire would not fit there, in four parts; None where it would."""
        if place not in self._known:
            self._known[place] = self._ask(place)
        return self._known[place]

    def fits(self, place: PortPlace) -> bool:
        """Whether the wire would fit there."""
        return self.issue(place) is None

    def _ask(self, place: PortPlace) -> Issue | None:
        source, target = (place, self._fixed) if self._fixed.is_input else (self._fixed, place)
        if place.node in self._circle:
            return circle(self._session, source.node, target)
        return trial(self._session, source, target, self._lifted)


class MovedVerdicts(Verdicts):
    """Whether all wires of a port would fit at another one."""

    def __init__(self, session: Session, old: PortPlace, wires: list[Wire]) -> None:
        super().__init__(session, old, frozenset(wires))
        self._wires = wires
        self.wants_input = old.is_input
        net = session.document.level(session.at).net
        others = {wire.source if old.is_input else wire.target for wire in wires}
        reached = nx.ancestors if old.is_input else nx.descendants
        self._circle = set(others).union(*(reached(net, other) for other in others))

    def _ask(self, place: PortPlace) -> Issue | None:
        first = self._wires[0]
        if place.node in self._circle:
            source, target = (first.source, place) if place.is_input else (place.node, _target_of(first))
            return circle(self._session, source, target)
        if place.is_input:
            many = takes_many(self._session, place)
            moved = [_ended(wire, place, step if many else 0) for step, wire in enumerate(self._wires)]
        else:
            moved = [replace(wire, source=place.node, output=place.port) for wire in self._wires]
        for target in dict.fromkeys(wire.target for wire in moved):
            issue = _found(self._session, [wire for wire in moved if wire.target == target])
            if issue is not None:
                return issue
        return None


def _target_of(wire: Wire) -> PortPlace:
    return PortPlace(wire.target, wire.input, wire.order, True, 0.0, 0.0)


def _ended(wire: Wire, place: PortPlace, step: int) -> Wire:
    return replace(wire, target=place.node, input=place.port, order=place.order + step)


def circle(session: Session, source: str, target: PortPlace) -> Issue:
    """What is wrong with a wire that would close a circle."""
    level = session.document.level(session.at)
    name, other = title_of(level.node(target.node)), title_of(level.node(source))
    where = f"{name}, input {target.port}"
    path = (*session.at, target.node)
    if source == target.node:
        return Issue("error", path, where, "This wire would close a circle")
    return Issue(
        "error", path, where, f"What it gives reaches {other}", "this wire would close a circle", joint="and"
    )  # fmt: skip


def trial(session: Session, source: PortPlace, target: PortPlace, lifted: frozenset[Wire]) -> Issue | None:
    """What a wire from one port to another would add to the complaints of the node that it reaches."""
    level = session.report.level(session.at)
    before = level.nodes.get(target.node) if level is not None else None
    order = target.order
    if before is not None and takes_many(session, target):
        taken = [w.order for w in before.wires if w.input == target.port and w not in lifted]
        order = order if order not in taken else max(taken) + 1
    return _found(session, [Wire(source.node, source.port, target.node, target.port, order)])


def _found(session: Session, wires: list[Wire]) -> Issue | None:
    """What wires into one node would add to its complaints."""
    level = session.report.level(session.at)
    before = level.nodes.get(wires[0].target) if level is not None else None
    after = session.validator.probe(session.at, *wires)
    if before is None or after is None:
        return None
    return next(iter(new_issues(before, after)), None)


def takes_many(session: Session, place: PortPlace) -> bool:
    """Whether an input takes any number of wires."""
    report = session.report.node((*session.at, place.node))
    port = report.input_ports.get(place.port) if report is not None else None
    return port is not None and port.many
