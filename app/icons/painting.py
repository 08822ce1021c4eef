"""Icons painted among other things, on whole pixels of whatever screen or zoom they are painted for."""

from __future__ import annotations

from functools import lru_cache
from math import floor

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPixmap

from app import icons

THINNEST = 1.25
"""Pixels of the screen; lines that are made smaller than that fade away."""


def paint_icon(painter: QPainter, name: str, colour: str, left: float, middle: float, size: float) -> None:
    """Paint an icon that begins at `left` and has its middle at a height; the painter may be moved and scaled.

    The picture has the size of whole pixels that is nearest, and lies on them: so it is as sharp while one zooms as it
    is at 100 %, and few sizes are ever drawn. The painter is left turned as it is, since turning it costs more than the
    picture.
    """
    screen = painter.deviceTransform()
    scale, right, down = screen.m11(), screen.dx(), screen.dy()
    pixels = max(1, floor(size * scale + 0.5))
    x = floor(scale * (left + size / 2) + right - pixels / 2 + 0.501)
    y = floor(scale * middle + down - pixels / 2 + 0.501)
    side = pixels / scale
    picture, whole = _picture(name, colour, pixels, pixels / size)
    painter.drawPixmap(QRectF((x - right) / scale, (y - down) / scale, side, side), picture, whole)


@lru_cache(2048)
def _picture(name: str, colour: str, pixels: int, scale: float) -> tuple[QPixmap, QRectF]:
    picture = icons.drawn(name, colour, pixels, max(icons.LINE * scale, THINNEST))
    return picture, QRectF(0, 0, pixels, pixels)
