"""Wire: drag from a port to another; drag a wire off its input to move or remove it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.canvas.geometry import PortPlace
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.ink import ink
from app.canvas.insertion import new_errors
from app.canvas.notes import Note
from app.canvas.routes import Lanes, Span, route
from app.session import Session
from graph import edits
from graph.commands import Command, Disconnect, Sequence
from graph.document import EditError, Wire

if TYPE_CHECKING:
    from app.canvas.view import Canvas

SNAP = 20.0
"""A wire snaps to a port that is so many pixels away."""
CIRCLE = "This wire would close a circle."
TIP_WIDTH = 300.0


class Verdicts:
    """Whether a dragged wire would fit at each port, found when first asked for, a slice of time a picture."""

    def __init__(self, session: Session, fixed: PortPlace, lifted: Wire | None) -> None:
        self._session = session
        self._fixed = fixed
        self._lifted = lifted
        self._known: dict[PortPlace, str] = {}
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
        if place.is_input == self._fixed.is_input:
            return None
        if place not in self._known and self._time_left <= 0.0:
            self.is_complete = False
            return None
        start = time.perf_counter()
        why_not = self.why_not(place)
        self._time_left -= time.perf_counter() - start
        return not why_not

    def why_not(self, place: PortPlace) -> str:
        """Why the wire would not fit there, in words; empty where it would."""
        if place not in self._known:
            self._known[place] = self._ask(place)
        return self._known[place]

    def is_circle(self, node: str) -> bool:
        """Whether a wire to that node would close a circle."""
        return node in self._circle

    def _ask(self, place: PortPlace) -> str:
        if place.node in self._circle:
            return CIRCLE
        source, target = (place, self._fixed) if self._fixed.is_input else (self._fixed, place)
        at = self._session.at
        level = self._session.report.level(at)
        before = level.nodes.get(target.node) if level is not None else None
        order = target.order
        if before is not None and _takes_many(self._session, target):
            taken = [w.order for w in before.wires if w.input == target.port and w != self._lifted]
            order = order if order not in taken else max(taken) + 1
        wire = Wire(source.node, source.port, target.node, target.port, order)
        after = self._session.validator.probe(at, wire)
        if before is None or after is None:
            return ""
        return next(iter(new_errors(before, after)), "")


class DragWire(Gesture):
    """Hold a wire by one end. `fixed` is the port at the other end."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, canvas: Canvas, press: Pointer, place: PortPlace) -> None:
        super().__init__(canvas, press)
        self._place = place
        self._lifted = self._wire_at(place)
        self._fixed = place
        if self._lifted is not None:
            source = canvas.geometry_of.port(self._lifted.source, self._lifted.output, is_input=False)
            self._fixed = source or place
        self._verdicts: Verdicts | None = None
        self._end = press.scene
        self._aim: PortPlace | None = None

    def move(self, pointer: Pointer) -> None:
        canvas = self.canvas
        if self._verdicts is None:
            if not self.has_left(pointer):
                return
            self._verdicts = Verdicts(canvas.session, self._fixed, self._lifted)
            canvas.drop_notes()
            canvas.looks.fits, canvas.looks.lifted = self._verdicts, self._lifted
        self._aim = self._target(pointer)
        self._end = QPointF(self._aim.x, self._aim.y) if self._aim else pointer.scene
        canvas.looks.aim = self._aim
        canvas.tip = None
        why = self._verdicts.why_not(self._aim) if self._aim and self._aim != self._place else ""
        if why:
            canvas.tip = Note(why, tone="error", width=TIP_WIDTH)
            canvas.tip.place_at(pointer.view, canvas.size())
        canvas.update()

    def finish(self, pointer: Pointer) -> None:
        canvas, session = self.canvas, self.canvas.session
        dragged = self._verdicts is not None
        if dragged:
            self.move(pointer)
        self.cancel()
        if not dragged or self._aim == self._place:
            return
        at = session.at
        lift: tuple[Command, ...] = () if self._lifted is None else (Disconnect(at, self._lifted),)
        if self._aim is None:
            if lift:
                session.do(lift[0])
            elif canvas.geometry_of.node_at(pointer.scene.x(), pointer.scene.y()) is not None:
                session.refuse(f"This block has no {'output' if self._fixed.is_input else 'input'} that is free")
            else:
                side = "input" if self._fixed.is_input else "output"
                canvas.wire_dropped.emit((*at, self._fixed.node), self._fixed.port, side, pointer.scene, pointer.screen)
            return
        source, target = (self._aim, self._fixed) if self._fixed.is_input else (self._fixed, self._aim)
        try:
            command = edits.connect(
                session.document, at, source.node, source.port, target.node, target.port,
                many=_takes_many(session, target),
            )  # fmt: skip
        except EditError as error:
            session.refuse(str(error))
            return
        session.do(Sequence((*lift, command), command.label) if lift else command)

    def cancel(self) -> None:
        looks = self.canvas.looks
        looks.fits = looks.aim = looks.lifted = None
        self.canvas.tip = None
        self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        if self._verdicts is None:
            return
        canvas, colours = self.canvas, ink()
        fixed, end = (self._fixed.x, self._fixed.y), (self._end.x(), self._end.y())
        start, stop = (end, fixed) if self._fixed.is_input else (fixed, end)
        line = route(Span(start, stop, 0, 0), np.zeros((1, 4)), Lanes(0)).points
        refused = self._aim is not None and self._aim != self._place and self._verdicts.why_not(self._aim)
        pen = QPen(colours.error if refused else colours.accent, max(2.0, 1.5 / canvas.camera.zoom))
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(pen.color())
        painter.drawEllipse(self._end, 4.5, 4.5)
        if not self._verdicts.is_complete:
            canvas.paint_again()

    def _wire_at(self, place: PortPlace) -> Wire | None:
        """The wire that a press on an input takes hold of."""
        if not place.is_input:
            return None
        session = self.canvas.session
        wires = session.document.level(session.at).incoming(place.node)
        return next((w for w in wires if (w.input, w.order) == (place.port, place.order)), None)

    def _target(self, pointer: Pointer) -> PortPlace | None:
        """The port that the wire would go to: one close by, or the best of the block under the pointer."""
        geometry, x, y = self.canvas.geometry_of, pointer.scene.x(), pointer.scene.y()
        wants_input = not self._fixed.is_input
        place = geometry.port_at(x, y, min(SNAP / self.canvas.camera.zoom, 32.0), inputs=wants_input)
        if place is not None and (place.node != self._fixed.node or geometry.node_at(x, y) == self._fixed.node):
            return place if place.node != self._fixed.node else None
        node = geometry.node_at(x, y)
        if node is None or node == self._fixed.node:
            return None
        assert self._verdicts is not None
        places = [p for p in geometry.ports_of(node) if p.is_input == wants_input]
        free = [p for p in places if self._wire_at(p) in (None, self._lifted)]
        fitting = [p for p in free if not self._verdicts.why_not(p)]
        return next(iter(fitting or free or places), None)


def _takes_many(session: Session, place: PortPlace) -> bool:
    report = session.report.node((*session.at, place.node))
    port = report.input_ports.get(place.port) if report is not None else None
    return port is not None and port.many
