"""Lead: take all wires of a port at once, with Ctrl held, and lead them to another port of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from app.canvas.geometry import PortPlace
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.wire import SNAP
from app.canvas.in_hand import paint_in_hand, say_why
from app.canvas.verdicts import MovedVerdicts, takes_many
from graph.document import EditError
from graph.rewiring import lead_elsewhere, wires_of

if TYPE_CHECKING:
    from app.canvas.view import Canvas


class LeadWires(Gesture):
    """Hold the ends of all wires of a port."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, canvas: Canvas, press: Pointer, place: PortPlace) -> None:
        super().__init__(canvas, press)
        self._place = place
        level = canvas.session.document.level(canvas.session.at)
        self._wires = wires_of(level, place.node, place.port, is_input=place.is_input)
        self._verdicts: MovedVerdicts | None = None
        self._aim: PortPlace | None = None
        self._end = press.scene

    def move(self, pointer: Pointer) -> None:
        canvas = self.canvas
        if self._verdicts is None:
            if not self._wires or not self.has_left(pointer):
                return
            self._verdicts = MovedVerdicts(canvas.session, self._place, self._wires)
            canvas.drop_notes()
            canvas.looks.fits, canvas.looks.lifted = self._verdicts, frozenset(self._wires)
        self._aim = self._target(pointer)
        self._end = QPointF(self._aim.x, self._aim.y) if self._aim else pointer.scene
        canvas.looks.aim = self._aim
        say_why(canvas, pointer, self._verdicts.issue(self._aim) if self._aim and not self._is_home() else None)
        canvas.update()

    def finish(self, pointer: Pointer) -> None:
        session = self.canvas.session
        if self._verdicts is not None:
            self.move(pointer)
        self.cancel()
        aim = self._aim
        if self._verdicts is None or aim is None or self._is_home():
            return
        many = aim.is_input and takes_many(session, aim)
        old, new = (self._place.node, self._place.port), (aim.node, aim.port)
        try:
            command = lead_elsewhere(session.document, session.at, old, new, is_input=aim.is_input, many=many)
        except EditError as error:
            session.refuse(str(error))
            return
        session.do(command)

    def cancel(self) -> None:
        looks = self.canvas.looks
        looks.fits = looks.aim = None
        looks.lifted = frozenset()
        self.canvas.tip = None
        self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        if self._verdicts is None:
            return
        geometry = self.canvas.geometry_of
        ends: list[tuple[tuple[float, float], tuple[float, float]]] = []
        hand = (self._end.x(), self._end.y())
        for wire in self._wires:
            x, y, far, low = geometry.ends[geometry.wire_row(wire)].tolist()
            ends.append(((x, y), hand) if self._place.is_input else (hand, (far, low)))
        refused = self._aim is not None and not self._is_home() and not self._verdicts.fits(self._aim)
        paint_in_hand(painter, self.canvas, ends, self._end, refused=refused)
        if not self._verdicts.is_complete:
            self.canvas.paint_again()

    def _is_home(self) -> bool:
        """Whether the wires would go where they are."""
        return self._aim is not None and (self._aim.node, self._aim.port) == (self._place.node, self._place.port)

    def _target(self, pointer: Pointer) -> PortPlace | None:
        """The port close by, or the first of the block under the pointer that fits."""
        geometry, x, y = self.canvas.geometry_of, pointer.scene.x(), pointer.scene.y()
        reach = min(SNAP / self.canvas.camera.zoom, 32.0)
        place = geometry.port_at(x, y, reach, inputs=self._place.is_input)
        node = geometry.node_at(x, y)
        if place is not None or node is None:
            return place
        assert self._verdicts is not None
        places = [p for p in geometry.ports_of(node) if p.is_input == self._place.is_input]
        return next((p for p in places if self._verdicts.fits(p)), next(iter(places), None))
