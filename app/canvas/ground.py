"""The dots of the grid, a row of them as one picture."""

from __future__ import annotations

from functools import lru_cache
from math import floor

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.canvas.camera import Camera
from app.canvas.ink import ink

DOTS = 24.0


def paint_grid(painter: QPainter, rect: QRect, camera: Camera, width: int, ratio: float) -> None:
    """Paint the dots of the grid within a rectangle of a widget that is so wide."""
    step = DOTS * camera.zoom
    while step < 18:
        step *= 2
    row = dot_row(step, camera.x % step, width, ratio, ink().theme.name)
    first = floor((rect.top() - 2 - camera.y) / step)
    y = camera.y + first * step
    while y < rect.bottom() + 2:
        painter.drawPixmap(QPointF(0, floor(y + 0.501) - 2), row)
        y += step


@lru_cache(16)
def dot_row(step: float, offset: float, width: int, ratio: float, theme_name: str) -> QPixmap:
    """One row of the grid's dots, all stamped alike, so that a moved picture equals a new one."""
    dot = _blank(4, 4, ratio)
    painter = QPainter(dot)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink().grid)
    painter.drawEllipse(QRectF(1, 1, 2, 2))
    painter.end()
    picture = _blank(width, 4, ratio)
    painter = QPainter(picture)
    x = offset - step
    while x < width + 2:
        painter.drawPixmap(QPointF(floor(x + 0.501) - 2, 0), dot)
        x += step
    painter.end()
    return picture


def _blank(width: int, height: int, ratio: float) -> QPixmap:
    picture = QPixmap(max(1, round(width * ratio)), max(1, round(height * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture
