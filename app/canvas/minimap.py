"""The whole level in a corner, with a frame around what is seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPen, QPixmap

from app.canvas.camera import Camera
from app.canvas.geometry import LevelGeometry
from app.canvas.ink import card, ink, mix
from app.canvas.labels import Labels
from app.canvas.looks import Looks

WIDE, HIGH = 160, 104
MARGIN = 12
INSET = 5.0
FEW = 200
"""So many nodes have round corners."""
VEIL = 0.5
"""How strongly what is out of sight is dimmed."""
LEAST = QSize(520, 320)
"""A canvas smaller than this has no room for it."""


class Minimap:
    """The minimap in the lower right corner; a press or drag on it moves the view."""

    def __init__(self) -> None:
        self.rect = QRectF()
        self._key: tuple[object, ...] = ()
        self._marks: list[tuple[str, str]] | None = None
        self._names: list[str] = []
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
        marks = labels.marks(geometry)
        if marks is not self._marks:
            self._marks, self._names = marks, [name for name, _ in marks]
        places = (geometry.rects.tobytes(), geometry.comments)
        key = (geometry, places, self._names, looks.selected, ink().theme.name, ratio)
        if key != self._key and not (is_still and self._key[:1] == key[:1]):
            self._key = key
            self._picture = self._draw(geometry, looks, ratio)
        painter.drawPixmap(self.rect.topLeft(), self._picture)
        inside = self.rect.adjusted(3, 3, -3, -3)
        frame = self.frame(camera, size).intersected(inside)
        if frame.width() > 2 and frame.height() > 2:
            around = QPainterPath()
            around.addRoundedRect(inside, 4.0, 4.0)
            around.addRoundedRect(frame.toAlignedRect().toRectF(), 3.0, 3.0)
            veil = QColor(ink().canvas)
            veil.setAlphaF(VEIL)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(veil)
            painter.drawPath(around)  # what lies in both is left out
            painter.setPen(QPen(ink().accent, 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            card(painter, frame.toAlignedRect().toRectF(), 3.0)

    def _draw(self, geometry: LevelGeometry, looks: Looks, ratio: float) -> QPixmap:
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
            self._nodes(painter, geometry, looks, ratio)
        painter.end()
        return picture

    def _nodes(self, painter: QPainter, geometry: LevelGeometry, looks: Looks, ratio: float) -> None:
        colours = ink()
        shown = (geometry.rects - np.array([self._left, self._top] * 2)) * self._scale
        for comment in geometry.comments.values():
            x, y, right, bottom = comment.rect
            hue = colours.theme.tag(comment.colour) or colours.faint
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(mix(hue, colours.canvas, 0.3))
            left, top = (x - self._left) * self._scale, (y - self._top) * self._scale
            painter.drawRect(QRectF(left, top, (right - x) * self._scale, (bottom - y) * self._scale))
        few = len(geometry.ids) < FEW
        shown[:, 2] = np.maximum(shown[:, 2] - shown[:, 0], 2.0)
        shown[:, 3] = np.clip(shown[:, 3] - shown[:, 1], 2.0, 6.0)
        known: dict[str, int] = {}
        codes = np.array([known.setdefault(name, len(known)) for name in self._names], np.intp)
        selected = known.setdefault("selected", len(known))
        codes[[geometry.index[id] for id in looks.selected if id in geometry.index]] = selected
        painter.setPen(Qt.PenStyle.NoPen)
        if not few:
            hues = np.array([_hue(name).rgb() for name in known], np.uint32)
            places = shown[codes != selected], shown[codes == selected]
            colour = hues[codes[codes != selected]], hues[codes[codes == selected]]
            _speckle(painter, np.concatenate(places), np.concatenate(colour), ratio)
            return
        for name, code in known.items():
            painter.setBrush(_hue(name))
            for rect in shown[codes == code].tolist():
                painter.drawRoundedRect(QRectF(*rect), 1.5, 1.5)


def _hue(name: str) -> QColor:
    colours = ink()
    hue = {"selected": colours.accent, "error": colours.error}.get(name)
    return hue or colours.theme.tag(name.removeprefix("tag ")) or colours.theme.category(name)


def _speckle(painter: QPainter, places: NDArray[np.float64], hues: NDArray[np.uint32], ratio: float) -> None:
    """Paint very many small rectangles, the later ones over the others, pixel by pixel in an array."""
    left, top, wide, high = np.maximum(np.round(places * ratio), 0).astype(np.intp).T
    picture = np.zeros((round(HIGH * ratio), round(WIDE * ratio)), np.uint32)
    for down in range(int(high.max())):
        for across in range(int(wide.max())):
            inside = (high > down) & (wide > across)
            y = np.minimum(top[inside] + down, picture.shape[0] - 1)
            x = np.minimum(left[inside] + across, picture.shape[1] - 1)
            picture[y, x] = hues[inside]
    image = QImage(picture.tobytes(), picture.shape[1], picture.shape[0], QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(0, 0, image)
