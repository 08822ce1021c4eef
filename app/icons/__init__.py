"""A handful of line icons, drawn in the colour of the text they stand beside."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZE = 16


def icon(name: str, colour: str) -> QIcon:
    """An icon in one colour, sharp on every screen."""
    result = QIcon()
    for ratio in (1, 2, 3):
        result.addPixmap(pixmap(name, colour, SIZE, ratio))
    return result


@lru_cache(256)
def pixmap(name: str, colour: str, size: int = SIZE, ratio: float = 1.0) -> QPixmap:
    """A picture of an icon, `size` logical pixels on a side."""
    text = resources.files("app.icons").joinpath(f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(text.replace("currentColor", colour).encode()))
    result = QPixmap(round(size * ratio), round(size * ratio))
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    renderer.render(painter, QRectF(0, 0, result.width(), result.height()))
    painter.end()
    result.setDevicePixelRatio(ratio)
    return result
