"""The dots of the grid, a row of them as one picture."""

from __future__ import annotations

from functools import lru_cache
from math import floor

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from app.canvas.ink import ink


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
