"""Stroke: draw across wires to cut them, or to lead each of them through a dot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.canvas.crossing import crossings
from app.canvas.curves import Point
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.ink import ink
from graph.document import Wire

if TYPE_CHECKING:
    from app.canvas.view import Canvas


class Stroke(Gesture):
    """Draw a line by hand and gather the wires that it crosses, each with the place where it is crossed first."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, canvas: Canvas, press: Pointer) -> None:
        super().__init__(canvas, press)
        self._line = [press.scene]
        self.crossed: dict[Wire, Point] = {}

    @property
    def colour(self) -> QColor:
        """The colour of the line."""
        raise NotImplementedError

    def show(self) -> None:
        """Mark what would be changed."""

    def move(self, pointer: Pointer) -> None:
        last = self._line[-1]
        if last == pointer.scene:
            return
        if len(self._line) == 1:
            self.canvas.drop_notes()
        self._line.append(pointer.scene)
        met = crossings(self.canvas.geometry_of, last.toTuple(), pointer.scene.toTuple())
        new = {wire: place for wire, place in met.items() if wire not in self.crossed}
        if new:
            self.crossed |= new
            self.show()
            self.canvas.update()
        area = QRectF(last, pointer.scene).normalized()
        self.canvas.update_scene(area.left() - 2, area.top() - 2, area.right() + 2, area.bottom() + 2)

    def finish(self, pointer: Pointer) -> None:
        self.move(pointer)
        self.cancel()
        if self.crossed:
            self.edit()

    def edit(self) -> None:
        """Change the wires that were crossed, as one step."""
        raise NotImplementedError

    def cancel(self) -> None:
        self.canvas.looks.struck = frozenset()
        self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        pen = QPen(self.colour, 1.5)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(self._line))


class Cut(Stroke):
    """Cut the wires that the line crosses."""

    @property
    def colour(self) -> QColor:
        return ink().error

    def show(self) -> None:
        self.canvas.looks.struck = frozenset(self.crossed)

    def edit(self) -> None:
        self.canvas.cut_wires(list(self.crossed))


class Bend(Stroke):
    """Put a dot on each wire that the line crosses; wires of one output get one together."""

    @property
    def colour(self) -> QColor:
        return ink().accent

    def edit(self) -> None:
        self.canvas.lay_dots(self.crossed)

    def paint(self, painter: QPainter) -> None:
        super().paint(painter)
        painter.setBrush(ink().accent)
        painter.setPen(ink().port_pen)
        seen: set[tuple[str, str]] = set()
        for wire, place in self.crossed.items():
            if (wire.source, wire.output) not in seen:
                seen.add((wire.source, wire.output))
                painter.drawEllipse(QPointF(*place), 5.0, 5.0)
