"""Where one looks: the zoom and place of a level's view."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QTransform

SMALLEST, LARGEST = 0.04, 4.0
SIDE, ABOVE, BELOW = 48.0, 72.0, 64.0
"""What stays free around a fitted drawing; breadcrumbs and the line of facts lie there."""


@dataclass
class Camera:
    """Screen = scene × zoom + (x, y); x and y are whole pixels, so that what was painted can be moved and stays sharp.

    `is_untouched` while it is still as it was fitted by itself, and may be fitted again when the window changes.
    """

    zoom: float = 1.0
    x: int = 0
    y: int = 0
    is_untouched: bool = True
    wished: float = 0.0
    """The zoom that was asked for where the actual size was so near that it is shown instead; 0 otherwise."""
    _held: tuple[QPointF, tuple[float, int, int], QPointF] | None = field(default=None, repr=False, compare=False)
    """Where the last zoom was, what it led to, and which place of the drawing was kept."""

    def to_scene(self, point: QPointF) -> QPointF:
        """A point of the widget in scene coordinates."""
        return QPointF((point.x() - self.x) / self.zoom, (point.y() - self.y) / self.zoom)

    def to_screen(self, point: QPointF) -> QPointF:
        """A point of the scene on the widget."""
        return QPointF(point.x() * self.zoom + self.x, point.y() * self.zoom + self.y)

    def rect_to_screen(self, left: float, top: float, right: float, bottom: float) -> QRectF:
        """A rectangle of the scene on the widget."""
        return QRectF(
            left * self.zoom + self.x, top * self.zoom + self.y, (right - left) * self.zoom, (bottom - top) * self.zoom
        )

    def rect_to_scene(self, rect: QRectF) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, in the scene, of a rectangle of the widget."""
        corner, far = self.to_scene(rect.topLeft()), self.to_scene(rect.bottomRight())
        return corner.x(), corner.y(), far.x(), far.y()

    @property
    def transform(self) -> QTransform:
        """From scene to widget."""
        return QTransform(self.zoom, 0, 0, self.zoom, self.x, self.y)

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom so that what lies under a point of the widget stays there."""
        fixed = self.to_scene(point)
        if self._held is not None and self._held[:2] == (point, (self.zoom, self.x, self.y)):
            fixed = self._held[2]  # the rounding of many small steps must not add up
        before = self.wished if self.wished and self.zoom == 1.0 else self.zoom
        self.zoom = min(LARGEST, max(SMALLEST, before * factor))
        self.wished = 0.0
        if abs(self.zoom - 1.0) < 0.02:  # letters are sharpest there; many small steps must still lead on
            self.zoom, self.wished = 1.0, self.zoom
        self.x = round(point.x() - fixed.x() * self.zoom)
        self.y = round(point.y() - fixed.y() * self.zoom)
        self._held = QPointF(point), (self.zoom, self.x, self.y), fixed

    def fit(
        self, bounds: tuple[float, float, float, float], size: QSize, *, right: float = SIDE, below: float = BELOW
    ) -> None:
        """Show a rectangle of the scene as large as it fits, in the middle of what is free."""
        low, top, high, bottom = bounds
        room_x, room_y = max(size.width() - SIDE - right, 40.0), max(size.height() - ABOVE - below, 40.0)
        fitting = min(room_x / max(high - low, 1.0), room_y / max(bottom - top, 1.0))
        self.zoom = min(1.0, LARGEST, max(SMALLEST, fitting))
        self.x = round(SIDE + (size.width() - SIDE - right) / 2 - (low + high) / 2 * self.zoom)
        self.y = round(ABOVE + room_y / 2 - (top + bottom) / 2 * self.zoom)

    def reveal(self, bounds: tuple[float, float, float, float], size: QSize) -> None:
        """Move no further than needed to show a rectangle of the scene."""
        rect = self.rect_to_screen(*bounds)
        self.x += round(_inwards(rect.left(), rect.right(), SIDE, size.width() - SIDE))
        self.y += round(_inwards(rect.top(), rect.bottom(), ABOVE, size.height() - BELOW))


def _inwards(low: float, high: float, least: float, most: float) -> float:
    if high - low > most - least:
        return (least + most) / 2 - (low + high) / 2
    return max(0.0, least - low) - max(0.0, high - most)
