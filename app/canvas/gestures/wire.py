"""Wire: drag from a port to another; drag a wire off its input to move or remove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from app.canvas.geometry import PortPlace
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.in_hand import Loose, paint_in_hand, say, say_why
from app.canvas.verdicts import Verdicts, takes_many
from graph import edits
from graph.commands import Command, Disconnect, Sequence
from graph.document import EditError, Wire

if TYPE_CHECKING:
    from app.canvas.view import Canvas

SNAP = 20.0
"""A wire snaps to a port that is so many pixels away."""


class DragWire(Gesture):
    """Hold a wire by one end. `fixed` is the port at the other end."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, canvas: Canvas, press: Pointer, place: PortPlace) -> None:
        super().__init__(canvas, press)
        self._place = place
        self._lifted = self._wire_at(place)
        self._in_hand = frozenset() if self._lifted is None else frozenset((self._lifted,))
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
            self._verdicts = Verdicts(canvas.session, self._fixed, self._in_hand)
            canvas.drop_notes()
            canvas.looks.fits, canvas.looks.lifted = self._verdicts, self._in_hand
        self._aim = self._target(pointer)
        self._end = QPointF(self._aim.x, self._aim.y) if self._aim else pointer.scene
        canvas.looks.aim = self._aim
        canvas.looks.lifted = self._in_hand | self._replaced()
        say_why(canvas, pointer, self._verdicts.issue(self._aim) if self._aim and self._aim != self._place else None)
        if self._aim is None and (sentence := self._dead_end(pointer)):
            say(canvas, pointer, sentence)
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
            elif sentence := self._dead_end(pointer):
                session.refuse(sentence)
            else:
                side = "input" if self._fixed.is_input else "output"
                canvas.hang(Loose((self._fixed.x, self._fixed.y), pointer.scene.toTuple(), self._fixed.is_input))
                canvas.wire_dropped.emit((*at, self._fixed.node), self._fixed.port, side, pointer.scene, pointer.screen)
            return
        source, target = (self._aim, self._fixed) if self._fixed.is_input else (self._fixed, self._aim)
        try:
            command = edits.connect(
                session.document, at, source.node, source.port, target.node, target.port,
                many=takes_many(session, target),
            )  # fmt: skip
        except EditError as error:
            session.refuse(str(error))
            return
        session.do(Sequence((*lift, command), command.label) if lift else command)

    def cancel(self) -> None:
        looks = self.canvas.looks
        looks.fits = looks.aim = None
        looks.lifted = frozenset()
        self.canvas.tip = None
        self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        if self._verdicts is None:
            return
        refused = self._aim is not None and self._aim != self._place and not self._verdicts.fits(self._aim)
        fixed, end = (self._fixed.x, self._fixed.y), (self._end.x(), self._end.y())
        start, stop = (end, fixed) if self._fixed.is_input else (fixed, end)
        paint_in_hand(painter, self.canvas, [(start, stop)], self._end, refused=refused)
        if not self._verdicts.is_complete:
            self.canvas.paint_again()

    def _dead_end(self, pointer: Pointer) -> str:
        """Why a wire cannot end on the block under the pointer, which has no port for it."""
        id = self.canvas.node_at(pointer.scene)
        if id is None:
            return ""
        if id == self._fixed.node:
            return "" if self._is_near_home(pointer) else "A block cannot feed itself"
        return f"This block has no {'output' if self._fixed.is_input else 'input'}"

    def _is_near_home(self, pointer: Pointer) -> bool:
        way = self.canvas.map_from_scene(QPointF(self._fixed.x, self._fixed.y)) - pointer.view
        return way.manhattanLength() < 2 * SNAP

    def _replaced(self) -> frozenset[Wire]:
        """The wire that gives way at the port that is aimed at."""
        if self._aim is None or self._aim == self._place:
            return frozenset()
        wire = self._wire_at(self._aim)
        return frozenset() if wire is None or takes_many(self.canvas.session, self._aim) else frozenset((wire,))

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
        fitting = [p for p in free if self._verdicts.fits(p)]
        return next(iter(fitting or free or places), None)
