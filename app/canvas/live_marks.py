"""Above the nodes: while the engine runs where each stands, and afterwards, if one wants to see it, what each took."""

from __future__ import annotations

import time
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPen

from app import numbers
from app.canvas.geometry import ABOVE
from app.canvas.ink import faces, ink, mix
from app.canvas.looks import FAR, NEAR
from app.freshness import drawing_of
from app.icons.painting import paint_icon
from app.live import HOT, Timings

if TYPE_CHECKING:
    from app.canvas.surface import Surface
    from app.live import State
    from graph.document import Level

QUIET = 0.3
"""A run that is over sooner shows no states: they would only flicker."""
EVERY = 200
"""Milliseconds between two looks at where the run is."""
MOST = 3000
"""On a level of more nodes only the one that runs is marked."""
MIDDLE = -10.0
"""Of the line above a node, from its top."""
BAR, THICK, CHECK = 48.0, 3.0, 12
STALE = 0.55


class LiveMarks:
    """What is written above the nodes of a canvas."""

    def __init__(self, canvas: Surface) -> None:
        self._canvas = canvas
        self.states: dict[str, tuple[State, str]] = {}
        """Node → where it stands, and that in words, as it was shown last."""
        self._stale: tuple[int, bool] = (-1, False)
        self._later = QTimer(canvas)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self.refresh)

    def follow(self) -> None:
        """The run is elsewhere, has begun or ended."""
        live = self._canvas.session.live
        self._stale = (-1, False)
        if not live.is_running:
            self._later.stop()
            self.refresh()
            self._canvas.update()
        elif not self._later.isActive():
            self._later.start(max(EVERY, ceil(self._quiet_left() * 1000)))

    def refresh(self) -> None:
        """Look where the run is, and paint anew what has changed above the nodes."""
        canvas = self._canvas
        states = self._look()
        if canvas.session.live.is_running and self._quiet_left() > 0:
            self._later.start(ceil(self._quiet_left() * 1000))  # a timer may come a little early
        changed = {id for id in states.keys() | self.states.keys() if states.get(id) != self.states.get(id)}
        self.states = states
        geometry = canvas.geometry_of
        for id in changed:
            if id in geometry.index:
                left, top, right, _ = geometry.rects[geometry.index[id]].tolist()
                canvas.update_scene(left - 8, top - ABOVE, right + 8, top)

    def _quiet_left(self) -> float:
        """Seconds until the run counts as one that takes long."""
        return QUIET - (time.monotonic() - self._canvas.session.live.begun)

    def _look(self) -> dict[str, tuple[State, str]]:
        """Where each node of the level stands; nothing of those that never run by themselves."""
        canvas = self._canvas
        session, at = canvas.session, canvas.session.at
        live, report = session.live, canvas.session.report.level(at)
        if not live.is_running or not live.place or self._quiet_left() > 0 or report is None:
            return {}
        found: dict[str, tuple[State, str]] = {}
        waiting: set[str] = set()
        runs = live.running_at(at)
        is_large = len(report.nodes) > MOST
        some = {runs: report.nodes[runs]} if is_large and runs in report.nodes else {} if is_large else report.nodes
        for id, known in some.items():
            may_run = known.node.is_group or (known.block is not None and known.block.role == "module")
            if not may_run or id not in report.used or known.node.muted or known.node.is_dot:
                continue
            state = live.state((*at, id))
            if state == "running":
                turn = live.round((*at, id))
                found[id] = state, f"round {turn} of {known.rounds}" if turn is not None else "running"
            elif state == "done":
                found[id] = state, state
            elif state == "waiting":
                waiting.add(id)
        return found | self._waiting(set(found), waiting) if waiting else found

    def _waiting(self, begun: set[str], waiting: set[str]) -> dict[str, tuple[State, str]]:
        """The nodes that have not run yet; what leads to one that has is done, though a pass may have left it out."""
        session = self._canvas.session
        level, at, until = session.document.level(session.at), session.at, session.live.until
        before = _leading(level, begun)
        if len(until) > len(at) and until[: len(at)] == at:
            waiting = waiting & _leading(level, {until[len(at)]})  # nothing else is run
        return {id: ("done", "done") if id in before else ("waiting", "waiting") for id in waiting}

    # Painting

    def paint(self, painter: QPainter, area: tuple[float, float, float, float], zoom: float) -> None:
        """Paint what there is to say in an area of the scene."""
        canvas = self._canvas
        live = canvas.session.live
        shows_timings = Timings.is_on and bool(live.timings) and not self.states and zoom >= NEAR
        if not self.states and not shows_timings:
            return
        geometry, at = canvas.geometry_of, canvas.session.at
        rows = geometry.seen_nodes(area[0], area[1], area[2], area[3] + ABOVE).tolist()
        painter.save()
        if shows_timings and self._is_stale():
            painter.setOpacity(STALE)
        for row in rows:
            id, (left, top, right, _) = geometry.ids[row], geometry.rects[row].tolist()
            if id in self.states:
                state, words = self.states[id]
                if zoom >= NEAR:
                    _mark(painter, left, top + MIDDLE, state, words)
                elif state == "running":
                    _spot(painter, left, top, max(zoom, FAR))
            elif shows_timings:
                took = live.took((*at, id))
                if took is not None and not geometry.dots[row]:
                    share = 0.0 if self._is_stale() else live.share((*at, id))
                    _took(painter, left, top + MIDDLE, min(BAR, right - left - 60), took, share)
        painter.restore()

    def _is_stale(self) -> bool:
        """Whether the drawing is another one than that which ran."""
        session = self._canvas.session
        revision = session.document.revision
        if self._stale[0] != revision:
            self._stale = revision, session.live.drawing != drawing_of(session.document)
        return self._stale[1]


def _leading(level: Level, ids: set[str]) -> set[str]:
    """Some nodes and all that leads to them."""
    stack, found = [id for id in ids if id in level], set(ids)
    while stack:
        for wire in level.incoming(stack.pop()):
            if wire.source not in found:
                found.add(wire.source)
                stack.append(wire.source)
    return found


def _mark(painter: QPainter, left: float, middle: float, state: State, words: str) -> None:
    """A sign of where a node stands; only of the one that runs it is said in words, too."""
    colours, small = ink(), faces().small
    x = left + 6.0
    if state == "running":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.accent)
        painter.drawEllipse(QPointF(x, middle), 3.5, 3.5)
        painter.setPen(colours.text_pen)
        painter.setFont(small.font)
        small.draw(painter, x + 8, middle, words)
    elif state == "done":
        paint_icon(painter, "check", colours.good.name(), x - 5.5, middle, CHECK)
    else:
        painter.setPen(QPen(colours.faint, 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, middle), 3.0, 3.0)


def _spot(painter: QPainter, left: float, top: float, zoom: float) -> None:
    """The sign of the node that runs, from afar: of one size on the screen."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink().accent)
    painter.drawEllipse(QPointF(left, top), 5 / zoom, 5 / zoom)


def _took(painter: QPainter, left: float, middle: float, room: float, milliseconds: float, share: float) -> None:
    """How long a node took; of one that took much also its part of the whole, in words and as a bar."""
    colours, set_in = ink(), faces()
    hot = share >= HOT
    face = set_in.small
    text = numbers.duration(milliseconds / 1e3) + (f" · {numbers.percent(share)}" if hot else "")
    painter.setFont(face.font)
    painter.setPen(colours.text_pen if hot else colours.faint_pen)
    face.draw(painter, left + 2, middle, text)
    if hot and room > 12:
        x, wide = left + 2 + face.width(text) + 8, room
        painter.setPen(Qt.PenStyle.NoPen)
        for part, strength in ((1.0, 0.15), (share, 0.6)):
            painter.setBrush(mix(colours.text, colours.canvas, strength))
            painter.drawRoundedRect(QRectF(x, middle - THICK / 2, max(THICK, wide * part), THICK), 1.5, 1.5)
