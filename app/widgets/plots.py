"""What all plots share: pyqtgraph, set up once, and a window onto a plot that wheel, drag and double click move.

Importing this imports pyqtgraph, so nothing that is needed for the first paint may import it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QGraphicsView, QToolTip, QWidget

from app.widgets.colours import Table

pyqtgraph.setConfigOptions(
    background=None,  # the panel shows through; pens and fonts come from the theme, plot by plot
    useOpenGL=False,
    antialias=False,
    imageAxisOrder="row-major",
    mouseRateLimit=0,  # Qt merges moves already, and the last one of a drag must count
)

NOTCH = 0.75
"""What is left of the seen part after one zoom by key or menu."""


class Plot(pyqtgraph.GraphicsView):
    """A scene as large as the widget, transparent, without scroll bars."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCentralItem(None)
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setProperty("role", "bare")
        self.setAccessibleName(name)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)

    def close(self) -> bool:
        """Close as any widget does; pyqtgraph would tear the scene down under what still refers to it."""
        return QGraphicsView.close(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        event.accept()  # pyqtgraph notes the press, but leaves it to the widgets around

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.toolTip(), self)  # a scene knows its items' tooltips only
            return True
        return super().viewportEvent(event)


class Window(pyqtgraph.ViewBox):
    """The part of a plot that is seen: never beyond the plot, never closer than its smallest part.

    The wheel zooms at the pointer, dragging pans, a double click shows everything again.

    Signals:
        moved: another part is seen.
        clicked: a click, at this place of the scene.
    """

    moved = Signal()
    clicked = Signal(QPointF)

    def __init__(self, *, upwards: bool) -> None:
        super().__init__(enableMenu=False, invertY=not upwards, defaultPadding=0)
        self.disableAutoRange()
        self.whole = QRectF(0, 0, 1, 1)
        self._smallest = (1.0, 1.0)

    def show_whole(self, whole: QRectF, smallest: tuple[float, float], *, keep: bool) -> None:
        """Another plot.

        Args:
            whole: what is seen when nothing is zoomed.
            smallest: the least width and height to zoom to.
            keep: whether the zoom and the middle stay.
        """
        seen, across, down = self.viewRect(), *self.zoom
        self.whole, self._smallest = whole, smallest
        width, height = (whole.width() / across, whole.height() / down) if keep else (whole.width(), whole.height())
        self._look(seen.center(), width, height)

    @property
    def zoom(self) -> tuple[float, float]:
        """How often what is seen fits into the whole, across and down."""
        seen = self.viewRect()
        return self.whole.width() / seen.width(), self.whole.height() / seen.height()

    @property
    def is_zoomed(self) -> bool:
        """Whether less than the whole is seen."""
        return max(self.zoom) > 1 + 1e-6

    def show_all(self) -> None:
        """Show everything again."""
        self._look(self.whole.center(), self.whole.width(), self.whole.height())

    def reveal(self, box: QRectF) -> None:
        """Pan as little as brings a place into sight."""
        seen = self.viewRect()
        right = max(box.right() - seen.right(), 0.0) + min(box.left() - seen.left(), 0.0)
        down = max(box.bottom() - seen.bottom(), 0.0) + min(box.top() - seen.top(), 0.0)
        if right or down:
            self.translateBy(x=right, y=down)

    def to_scene(self, box: QRectF) -> QRectF:
        """Where a part of the plot is in the scene."""
        seen, room = self.viewRect(), self.geometry()
        across, down = room.width() / seen.width(), room.height() / seen.height()
        left, top = (box.left() - seen.left()) * across, (box.top() - seen.top()) * down
        return QRectF(room.left() + left, room.top() + top, box.width() * across, box.height() * down)

    def from_scene(self, at: QPointF) -> QPointF:
        """What is at a place of the scene (downwards plots only)."""
        seen, room = self.viewRect(), self.geometry()
        across, down = seen.width() / max(room.width(), 1.0), seen.height() / max(room.height(), 1.0)
        return QPointF(seen.left() + (at.x() - room.left()) * across, seen.top() + (at.y() - room.top()) * down)

    # What ViewBox calls for wheel and drag, kept within bounds.

    def scaleBy(self, s: Any = None, center: Any = None, x: float | None = None, y: float | None = None) -> None:
        x, y = (x, y) if s is None else (s[0], s[1])
        seen = self.viewRect()
        at = seen.center() if center is None else QPointF(center)
        width = self._within(seen.width() * (1.0 if x is None else x), 0)
        height = self._within(seen.height() * (1.0 if y is None else y), 1)
        left = at.x() - (at.x() - seen.left()) * width / seen.width()
        top = at.y() - (at.y() - seen.top()) * height / seen.height()
        self._look(QRectF(left, top, width, height).center(), width, height)

    def translateBy(self, t: Any = None, x: float | None = None, y: float | None = None) -> None:
        x, y = (x, y) if t is None else (t[0], t[1])
        seen = self.viewRect()
        self._look(seen.center() + QPointF(x or 0.0, y or 0.0), seen.width(), seen.height())

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        if event.button() == Qt.MouseButton.RightButton:  # pyqtgraph would scale, which the wheel does better
            event.ignore()
        else:
            super().mouseDragEvent(event, axis)

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        event.accept()
        if event.double():
            self.show_all()
        else:
            self.clicked.emit(event.scenePos())

    def _within(self, size: float, axis: int) -> float:
        most = (self.whole.width(), self.whole.height())[axis]
        return min(max(size, min(self._smallest[axis], most)), most)

    def _look(self, center: QPointF, width: float, height: float) -> None:
        width, height = self._within(width, 0), self._within(height, 1)
        whole = self.whole
        left = min(max(center.x() - width / 2, whole.left()), whole.right() - width)
        top = min(max(center.y() - height / 2, whole.top()), whole.bottom() - height)
        self.setRange(QRectF(left, top, width, height), padding=0)
        self.updateMatrix()  # else two turns of the wheel between two paints would reckon with the same one
        self.moved.emit()


class Picture(pyqtgraph.ImageItem):
    """Bytes in the colours of a table: cells are sharp where they are large, and averaged where pixels are larger."""

    def __init__(self) -> None:
        super().__init__(autoDownsample=True)
        self.setVisible(False)

    def show_bytes(self, pixels: np.ndarray | None, colours: np.ndarray) -> None:
        """Other pixels, or none.

        Args:
            pixels: uint8, (rows, columns).
            colours: uint8, (256, 4): red, green, blue and how opaque.
        """
        self.setVisible(pixels is not None)
        if pixels is not None:
            self.setLookupTable(colours, update=False)
            self.setImage(np.ascontiguousarray(pixels, np.uint8), levels=(0, 255), autoDownsample=True)

    def paint(self, painter: QPainter, *args: Any) -> None:
        scale = painter.worldTransform()
        smaller = min(abs(scale.m11()), abs(scale.m22())) < 1
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smaller)
        super().paint(painter, *args)


def lookup(table: Table) -> np.ndarray:
    """A table of colours as pyqtgraph wants it: uint8, (256, 4)."""
    colours = np.array(table, dtype=np.uint32)
    return np.stack([(colours >> shift) & 255 for shift in (16, 8, 0, 24)], axis=1).astype(np.uint8)


def cover(colour: str, *, any_part: bool) -> np.ndarray:
    """The colours of a mask that lies over a picture: 0 lets it through.

    Args:
        colour: of what is masked.
        any_part: whether a pixel that is masked in part is covered whole, so that a lone cell does not get lost.
    """
    red, green, blue, _ = QColor(colour).getRgb()
    result = np.tile(np.array([red, green, blue, 255], np.uint8), (256, 1))
    result[:, 3] = np.where(np.arange(256) > 0, 255, 0) if any_part else np.arange(256)
    return result
