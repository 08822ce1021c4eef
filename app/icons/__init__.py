"""Line icons of the Lucide set, in a colour of the theme and with one width of line at every size."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZE = 16
LINE = 4 / 3
"""How wide lines are, in logical pixels: as the stems of the letters beside them, whatever the size of the icon."""
RATIOS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The densities of screens for which an icon brings a picture; for others Qt scales one."""
OWN = ("blockwright",)
VIEW, _STROKE = 24.0, 'stroke-width="2"'
"""Lucide draws on 24 units with lines of two."""


def icon(name: str, colour: str, size: int = SIZE) -> QIcon:
    """An icon in one colour, sharp on every screen."""
    result = QIcon()
    for ratio in RATIOS:
        result.addPixmap(pixmap(name, colour, size, ratio))
    return result


def text(name: str, colour: str, stroke: float) -> str:
    """An icon as SVG in a colour, with lines of so many of its 24 units."""
    folder = resources.files("app.icons")
    file = folder.joinpath(f"{name}.svg") if name in OWN else folder.joinpath("lucide", f"{name}.svg")
    drawing = file.read_text(encoding="utf-8")
    return drawing.replace("currentColor", colour).replace(_STROKE, f'stroke-width="{stroke:g}"')


@lru_cache(1024)
def pixmap(name: str, colour: str, size: int = SIZE, ratio: float = 1.0) -> QPixmap:
    """A picture of an icon, `size` logical pixels on a side."""
    result = drawn(name, colour, round(size * ratio), LINE * ratio)
    result.setDevicePixelRatio(ratio)
    return result


def drawn(name: str, colour: str, pixels: int, line: float) -> QPixmap:
    """An icon on so many pixels of the screen, with lines of so many pixels."""
    result = QPixmap(pixels, pixels)
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    _renderer(name, colour, round(line * VIEW / pixels, 1)).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return result


@lru_cache(256)
def _renderer(name: str, colour: str, stroke: float) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(text(name, colour, stroke).encode()))
