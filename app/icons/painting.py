"""Icons painted among other things, on whole pixels of whatever screen or zoom they are painted for."""

from __future__ import annotations

from functools import lru_cache
from math import floor

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap

from app import icons

THINNEST = 1.25
"""Pixels of the screen; lines that are made smaller than that fade away."""


def paint_icon(painter: QPainter, name: str, colour: str, left: float, middle: float, size: float) -> None:
    """Paint an icon that begins at `left` and has its middle at a height; the painter may be moved and scaled.

    The picture has the size of whole pixels that is nearest, and lies on them: so it is as sharp while one zooms as it
    is at 100 %, and few sizes are ever drawn.
    """
    turned = painter.worldTransform()
    screen = painter.deviceTransform()
    x, y, scale = screen.m11() * left + screen.dx(), screen.m22() * middle + screen.dy(), screen.m11()
    ratio = scale / turned.m11()
    pixels = max(1, floor(size * scale + 0.5))
    painter.resetTransform()
    whole = painter.deviceTransform()
    corner = QPointF(
        (floor(x + (size * scale - pixels) / 2 + 0.501) - whole.dx()) / ratio,
        (floor(y - pixels / 2 + 0.501) - whole.dy()) / ratio,
    )
    painter.drawPixmap(corner, _picture(name, colour, pixels, pixels / size, round(ratio, 4)))
    painter.setWorldTransform(turned)


@lru_cache(2048)
def _picture(name: str, colour: str, pixels: int, scale: float, ratio: float) -> QPixmap:
    picture = icons.drawn(name, colour, pixels, max(icons.LINE * scale, THINNEST))
    picture.setDevicePixelRatio(ratio)
    return picture
