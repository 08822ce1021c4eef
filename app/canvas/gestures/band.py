"""Rubber band: select what a rectangle touches; Shift adds, Ctrl toggles. A click chooses the wire under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRegion

from app.canvas.geometry import SPARE
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.ink import ink
from graph.comments import FRAME, Comment, inside
from graph.document import Wire

if TYPE_CHECKING:
    from app.canvas.view import Canvas

EDGE = 3
"""So many pixels at its edge a rectangle may paint."""


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
        left, top, right, bottom = self._rect.getCoords()
        hit = frozenset(canvas.geometry_of.nodes_in(left, top, right, bottom))
        turned = hit ^ self._hit
        if turned:
            canvas.looks.selected = self._chosen(hit, pointer)
            self._hit = hit
        self._repaint(old, turned)

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

    def _repaint(self, old: QRectF, turned: frozenset[str]) -> None:
        """Paint anew what the rectangle has gained or lost, and the nodes there that are selected now, or no more."""
        canvas = self.canvas
        geometry, camera = canvas.geometry_of, canvas.camera
        places = geometry.rects[[geometry.index[id] for id in turned]]
        for rect in changed_between(*(camera.rect_to_screen(*rect.getCoords()) for rect in (old, self._rect))):
            left, top, right, bottom = camera.rect_to_scene(QRectF(rect))
            there = (places[:, 0] <= right) & (places[:, 2] >= left) & (places[:, 1] <= bottom) & (places[:, 3] >= top)
            if there.any():
                low, high = places[there, :2].min(axis=0), places[there, 2:].max(axis=0)
                left, top = min(left, low[0] - SPARE), min(top, low[1] - SPARE)
                right, bottom = max(right, high[0] + SPARE), max(bottom, high[1] + SPARE)
            canvas.update_scene(left, top, right, bottom)


def changed_between(old: QRectF, new: QRectF) -> list[QRect]:
    """The parts of a picture that change when an outlined rectangle becomes another; none where both are alike."""
    edge = (-EDGE, -EDGE, EDGE, EDGE)
    whole = QRegion(new.toAlignedRect().adjusted(*edge))
    if old.isNull():
        return [whole.boundingRect()]
    whole += QRegion(old.toAlignedRect().adjusted(*edge))
    inner = old.intersected(new)
    if not inner.isEmpty():
        sides = [EDGE if one != other else -EDGE for one, other in zip(old.getCoords(), new.getCoords(), strict=True)]
        whole -= QRegion(inner.toAlignedRect().adjusted(sides[0], sides[1], -sides[2], -sides[3]))
    return list(whole)
