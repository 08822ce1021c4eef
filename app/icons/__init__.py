"""Line icons of the Lucide set, in a colour of the theme and with one width of line at every size."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import resources

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPaintDevice, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

SIZE = 16
LINE = 4 / 3
"""How wide lines are, in logical pixels: as the stems of the letters beside them, whatever the size of the icon."""
RATIOS = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""The densities of screens for which an icon brings a picture; for others Qt scales one."""
OWN = ("blockwright",)
LARGEST_FITTED = 24
SHIFTS = (0.0, 1 / 3, -1 / 3)
"""Pixels, the best first where it makes no difference; a line is wider than one, so thirds are near enough."""
VIEW, _STROKE = 24.0, 'stroke-width="2"'
"""Lucide draws on 24 units with lines of two."""
_ALPHA = 3 if sys.byteorder == "little" else 0
"""Where the opacity of a pixel is in its four bytes."""


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
    stroke = round(line * VIEW / pixels, 1)
    _render(result, _renderer(name, colour, stroke), *_fitted(name, pixels, stroke))
    return result


@lru_cache(4096)
def _fitted(name: str, pixels: int, stroke: float) -> tuple[float, float]:
    """How far a small icon is moved so that more of its lines lie on whole pixels, instead of half on two each."""
    if pixels > LARGEST_FITTED:
        return 0.0, 0.0
    renderer = _renderer(name, "black", stroke)
    right = max(SHIFTS, key=lambda shift: _sharpness(renderer, pixels, shift, 0.0))
    return right, max(SHIFTS, key=lambda shift: _sharpness(renderer, pixels, right, shift))


def _sharpness(renderer: QSvgRenderer, pixels: int, right: float, down: float) -> int:
    """How much of what is painted covers its pixels wholly."""
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    _render(image, renderer, right, down)
    return sum(alpha * alpha for alpha in image.constBits().tobytes()[_ALPHA::4])


def _render(device: QPaintDevice, renderer: QSvgRenderer, right: float, down: float) -> None:
    painter = QPainter(device)
    renderer.render(painter, QRectF(right, down, device.width(), device.height()))
    painter.end()


@lru_cache(256)
def _renderer(name: str, colour: str, stroke: float) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(text(name, colour, stroke).encode()))
