"""The whole level in a corner, with a frame around what is seen."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap

from app.canvas.camera import Camera
from app.canvas.geometry import LevelGeometry
from app.canvas.ink import card, ink, mix
from app.canvas.labels import Labels
from app.canvas.looks import Looks

WIDE, HIGH = 160, 104
MARGIN = 12
INSET = 5.0
LEAST = QSize(520, 320)
"""A canvas smaller than this has no room for it."""


class Minimap:
    """The minimap in the lower right corner; a press or drag on it moves the view."""

    def __init__(self) -> None:
        self.rect = QRectF()
        self._key: tuple[object, ...] = ()
        self._picture = QPixmap()
        self._scale, self._left, self._top = 1.0, 0.0, 0.0

    def place(self, size: QSize, geometry: LevelGeometry) -> None:
        """Find its corner; it is away on a small canvas and where there is nothing to get lost in."""
        self.rect = QRectF()
        if size.width() >= LEAST.width() and size.height() >= LEAST.height() and len(geometry.ids) > 1:
            self.rect = QRectF(size.width() - WIDE - MARGIN, size.height() - HIGH - MARGIN, WIDE, HIGH)

    def to_scene(self, point: QPointF) -> QPointF:
        """The place of the level under a point of the widget."""
        return QPointF(
            (point.x() - self.rect.x()) / self._scale + self._left,
            (point.y() - self.rect.y()) / self._scale + self._top,
        )

    def frame(self, camera: Camera, size: QSize) -> QRectF:
        """What is seen, on the widget; it may reach beyond the minimap."""
        left, top, right, bottom = camera.rect_to_scene(QRectF(QPointF(0, 0), size.toSizeF()))
        return QRectF(
            self.rect.x() + (left - self._left) * self._scale,
            self.rect.y() + (top - self._top) * self._scale,
            (right - left) * self._scale,
            (bottom - top) * self._scale,
        )

    def paint(
        self,
        painter: QPainter,
        geometry: LevelGeometry,
        labels: Labels,
        looks: Looks,
        camera: Camera,
        size: QSize,
        *,
        is_still: bool = False,
    ) -> None:
        """Paint it, in widget coordinates; `is_still` leaves out what a drag is changing."""
        if self.rect.isEmpty():
            return
        ratio = painter.device().devicePixelRatioF()
        key = (geometry, geometry.places_version, labels.version, looks.selected, ink().theme.name, ratio)
        if key != self._key and not (is_still and self._key[:1] == key[:1]):
            self._key = key
            self._picture = self._draw(geometry, labels, looks, ratio)
        painter.drawPixmap(self.rect.topLeft(), self._picture)
        frame = self.frame(camera, size).intersected(self.rect.adjusted(3, 3, -3, -3))
        if frame.width() > 2 and frame.height() > 2:
            painter.setPen(QPen(ink().accent, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            card(painter, frame.toAlignedRect().toRectF(), 3.0)

    def _draw(self, geometry: LevelGeometry, labels: Labels, looks: Looks, ratio: float) -> QPixmap:
        colours = ink()
        picture = QPixmap(round(WIDE * ratio), round(HIGH * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colours.line, 1.0))
        painter.setBrush(mix(colours.panel, colours.canvas, 0.7))
        card(painter, QRectF(0, 0, WIDE, HIGH), 6.0)
        bounds = geometry.bounds()
        if bounds is not None:
            left, top, right, bottom = bounds
            air = 0.06 * max(right - left, bottom - top, 400.0)
            wide, high = right - left + 2 * air, bottom - top + 2 * air
            self._scale = min((WIDE - 2 * INSET) / wide, (HIGH - 2 * INSET) / high)
            self._left = (left + right) / 2 - WIDE / 2 / self._scale
            self._top = (top + bottom) / 2 - HIGH / 2 / self._scale
            self._nodes(painter, geometry, labels, looks)
        painter.end()
        return picture

    def _nodes(self, painter: QPainter, geometry: LevelGeometry, labels: Labels, looks: Looks) -> None:
        colours = ink()
        shown = (geometry.rects - np.array([self._left, self._top] * 2)) * self._scale
        for comment in geometry.comments.values():
            x, y, right, bottom = comment.rect
            hue = colours.theme.tag(comment.colour) or colours.faint
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(mix(hue, colours.canvas, 0.3))
            left, top = (x - self._left) * self._scale, (y - self._top) * self._scale
            painter.drawRect(QRectF(left, top, (right - x) * self._scale, (bottom - y) * self._scale))
        by_name: dict[str, list[QRectF]] = {}
        for id, (name, _), (x, y, right, bottom) in zip(
            geometry.ids, labels.marks(geometry), shown.tolist(), strict=True
        ):
            place = QRectF(x, y, max(2.0, right - x), max(2.0, min(bottom - y, 6.0)))
            by_name.setdefault("selected" if id in looks.selected else name, []).append(place)
        painter.setPen(Qt.PenStyle.NoPen)
        few = len(geometry.ids) < 200
        for name, rects in by_name.items():
            hue = {"selected": colours.accent, "error": colours.error}.get(name)
            hue = hue or colours.theme.tag(name.removeprefix("tag ")) or colours.theme.category(name)
            painter.setBrush(hue)
            if few:
                for rect in rects:
                    painter.drawRoundedRect(rect, 1.5, 1.5)
            else:
                painter.drawRects(rects)
