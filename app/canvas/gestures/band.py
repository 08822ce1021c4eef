"""Rubber band: select what a rectangle touches; Shift adds, Ctrl toggles. A click chooses the wire under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.ink import ink
from graph.comments import FRAME, Comment, inside
from graph.document import Wire

if TYPE_CHECKING:
    from app.canvas.view import Canvas


class Band(Gesture):
    """Draw a rectangle; a mere click chooses the wire that is under it, or nothing."""

    def __init__(self, canvas: Canvas, press: Pointer, wire: Wire | None = None) -> None:
        super().__init__(canvas, press)
        self._wire = wire
        self._before = canvas.session.selection
        self._rect = QRectF()
        self._hit: frozenset[str] = frozenset()

    def move(self, pointer: Pointer) -> None:
        if self._rect.isNull() and not self.has_left(pointer):
            return
        canvas = self.canvas
        old = self._rect
        self._rect = QRectF(self.press.scene, pointer.scene).normalized()
        area = old.united(self._rect)
        left, top, right, bottom = self._rect.getCoords()
        hit = frozenset(canvas.geometry_of.nodes_in(left, top, right, bottom))
        if hit != self._hit:
            canvas.looks.selected = self._chosen(hit, pointer)
            self._repaint(hit ^ self._hit)
            self._hit = hit
        canvas.update_scene(area.left(), area.top(), area.right(), area.bottom())

    def finish(self, pointer: Pointer) -> None:
        if self._rect.isNull():
            keeps = pointer.has(Qt.KeyboardModifier.ShiftModifier) or pointer.has(Qt.KeyboardModifier.ControlModifier)
            self.canvas.session.select(self._before if keeps else ())
            self.canvas.choose(None if keeps else self._wire)
        else:
            around = Comment("", FRAME).resized(*self._rect.getCoords())
            known = self.canvas.geometry_of.comments
            framed = inside(around, {id: comment.rect for id, comment in known.items()})
            self.canvas.session.select(self._chosen(self._hit, pointer), framed)
        self.canvas.looks.selected = self.canvas.session.selection
        self.canvas.update()

    def cancel(self) -> None:
        self.canvas.looks.selected = self.canvas.session.selection
        self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        if self._rect.isNull():
            return
        colour = QColor(ink().accent)
        pen = QPen(colour, 1.0)
        pen.setCosmetic(True)
        painter.setPen(pen)
        colour.setAlpha(28)
        painter.setBrush(colour)
        painter.drawRect(self._rect)

    def _chosen(self, hit: frozenset[str], pointer: Pointer) -> frozenset[str]:
        if pointer.has(Qt.KeyboardModifier.ControlModifier):
            return self._before ^ hit
        return self._before | hit if pointer.has(Qt.KeyboardModifier.ShiftModifier) else hit

    def _repaint(self, ids: frozenset[str]) -> None:
        bounds = self.canvas.geometry_of.bounds(ids)
        if bounds is not None:
            left, top, right, bottom = bounds
            self.canvas.update_scene(left - 10, top - 10, right + 10, bottom + 10)
