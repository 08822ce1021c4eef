"""Numbers as colours: 256-entry tables for 8-bit pictures, made from the anchors in the theme."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtGui import QColor, QImage

from app import theme

Table = tuple[int, ...]
"""256 colours as QImage wants them."""


def sequential(gamma: float = 1.0) -> Table:
    """From little to much; a `gamma` below 1 lifts what is little, for weights of which few are large."""
    last = len(theme.RAMP) - 1
    return _between(tuple(((place / last) ** (1 / gamma), colour) for place, colour in enumerate(theme.RAMP)))


def diverging(low: float, high: float) -> Table:
    """For values on both sides of zero: zero is the ground, further is stronger, the two signs differ in hue."""
    colours = theme.current()
    reach = max(-low, high, 1e-30)
    zero = min(max(-low / max(high - low, 1e-30), 0.0), 1.0)
    stops: list[tuple[float, str]] = []
    if zero > 0:
        stops.append((0.0, _mix(colours.canvas, colours.accent, -low / reach)))
    stops.append((zero, colours.canvas))
    if zero < 1:
        stops.append((1.0, _mix(colours.canvas, colours.warning, high / reach)))
    return _between(tuple(stops))


def table_for(low: float, high: float) -> Table:
    """The table that suits values between these bounds."""
    return diverging(low, high) if low < 0 < high else sequential()


def picture(values: np.ndarray, table: Table) -> QImage:
    """An 8-bit picture in the colours of a table; it owns its pixels."""
    pixels = np.ascontiguousarray(values, dtype=np.uint8)
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width, QImage.Format.Format_Indexed8)
    image.setColorTable(table)
    return image.convertToFormat(QImage.Format.Format_RGB32)


@lru_cache(64)
def _between(stops: tuple[tuple[float, str], ...]) -> Table:
    places = [place for place, _ in stops]
    shades = np.array([QColor(colour).getRgb()[:3] for _, colour in stops], dtype=float)
    at = np.linspace(0, 1, 256)
    red, green, blue = (np.interp(at, places, shades[:, channel]).round().astype(int) for channel in range(3))
    return tuple(int(colour) for colour in (0xFF << 24) | (red << 16) | (green << 8) | blue)


def _mix(ground: str, colour: str, share: float) -> str:
    start, end = QColor(ground).getRgbF(), QColor(colour).getRgbF()
    mixed = [a + (b - a) * min(max(share, 0.0), 1.0) for a, b in zip(start[:3], end[:3], strict=True)]
    return QColor.fromRgbF(*mixed).name()


def picture_row(table: Table) -> QImage:
    """The table itself, as a picture one pixel high."""
    return picture(np.arange(256, dtype=np.uint8)[None], table)
