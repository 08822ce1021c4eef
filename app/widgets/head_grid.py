"""All attention maps of a model at a glance: a row for each layer, a column for each head, one picture for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QSizePolicy, QToolTip, QWidget

from app import theme
from app.access.voice import VOICE
from app.widgets.colours import Table, picture

LABEL = 36
"""Room for the layer's label at the left."""
HEAD = 20
"""Room for the heads' labels above."""
GAP = 4
SMALLEST, LARGEST = 24, 64
"""Sides of a thumbnail; where all rows fit, it may be up to twice as large."""


@dataclass(frozen=True, eq=False)
class Atlas:
    """The maps as one picture.

    Args:
        pixels: 8 bits; tiles lie `gap` apart, rows are layers and columns heads.
        tile: height and width of a tile.
        layers, heads: what the rows and columns are called.
        table: the colours.
        gap: pixels between tiles.
    """

    pixels: np.ndarray
    tile: tuple[int, int]
    layers: Sequence[str]
    heads: Sequence[str]
    table: Table
    gap: int = 1


class HeadGrid(QAbstractScrollArea):
    """A grid of thumbnails; `chosen` carries row and column of the one that was clicked or reached by arrow keys."""

    chosen = Signal(int, int)
    scrolled = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.atlas: Atlas | None = None
        self.selected = (0, 0)
        self._hovered = (-1, -1)
        self._image: QImage | None = None
        self.setAccessibleName(name)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setProperty("role", "bare")
        self.verticalScrollBar().valueChanged.connect(self.scrolled)

    def show_atlas(self, atlas: Atlas | None, selected: tuple[int, int]) -> None:
        """Other maps, and which of them is selected."""
        self.atlas = atlas
        self.selected = selected
        self._image = picture(atlas.pixels, atlas.table) if atlas else None
        self._update_bars()
        self._reveal()
        self.viewport().update()
        self.scrolled.emit()

    def select(self, row: int, column: int) -> None:
        """Mark another map."""
        self.selected = (row, column)
        if self.atlas is not None:
            words = f"Layer {self.atlas.layers[row]}, head {self.atlas.heads[column]}"
            self.setAccessibleDescription(f"{words}; arrow keys choose another")
            VOICE.say(self, words)
        self._reveal()
        self.viewport().update()

    @property
    def side(self) -> int:
        """The side of a thumbnail on the screen: as large as all heads beside each other allow."""
        if self.atlas is None:
            return SMALLEST
        room = self.viewport().width() - LABEL
        fits = (self.viewport().height() - HEAD) // max(1, len(self.atlas.layers)) - GAP
        largest = min(max(fits, LARGEST), 2 * LARGEST)
        return min(max(room // max(1, len(self.atlas.heads)) - GAP, SMALLEST), largest)

    @property
    def visible_rows(self) -> tuple[int, int]:
        """The first and the last row that can be seen whole."""
        if self.atlas is None:
            return (0, -1)
        pitch = self.side + GAP
        top = self.verticalScrollBar().value()
        first = -(-top // pitch)
        last = (top + self.viewport().height() - HEAD + GAP) // pitch - 1
        return first, max(first, min(last, len(self.atlas.layers) - 1))

    def tile_at(self, row: int, column: int) -> QRect:
        """Where a thumbnail is on the viewport."""
        pitch = self.side + GAP
        x = LABEL + column * pitch - self.horizontalScrollBar().value()
        y = HEAD + row * pitch - self.verticalScrollBar().value()
        return QRect(x, y, self.side, self.side)

    def sizeHint(self) -> QSize:
        return QSize(480, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(LABEL + 2 * SMALLEST, HEAD + SMALLEST)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_bars()
        self.scrolled.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.atlas is None or self._image is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        high, wide = self.atlas.tile
        below = QRectF(0, HEAD - 2, self.viewport().width(), self.viewport().height() - HEAD + 2)
        painter.setClipRect(below)
        for row in range(len(self.atlas.layers)):
            if not QRectF(self.tile_at(row, 0).adjusted(-99999, 0, 99999, 0)).intersects(below):
                continue
            for column in range(len(self.atlas.heads)):
                start = QRectF(column * (wide + self.atlas.gap), row * (high + self.atlas.gap), wide, high)
                painter.drawImage(QRectF(self.tile_at(row, column)), self._image, start)
        self._paint_marks(painter)
        self._paint_labels(painter)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self._tile_under(event.position())
        if hovered != self._hovered:
            self._hovered = hovered
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, column = self._tile_under(event.position())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self._choose(row, column)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }.get(Qt.Key(event.key()))
        if step is None or self.atlas is None:
            super().keyPressEvent(event)
            return
        row = min(max(self.selected[0] + step[0], 0), len(self.atlas.layers) - 1)
        column = min(max(self.selected[1] + step[1], 0), len(self.atlas.heads) - 1)
        self._choose(row, column)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and self.atlas is not None:
            row, column = self._tile_under(QPointF(event.pos()))
            if row >= 0:
                text = f"Layer {self.atlas.layers[row]}, head {self.atlas.heads[column]}"
                QToolTip.showText(event.globalPos(), text, self)
            return True
        if event.type() == QEvent.Type.Leave:
            self._hovered = (-1, -1)
            self.viewport().update()
        return super().viewportEvent(event)

    def _choose(self, row: int, column: int) -> None:
        if (row, column) != self.selected:
            self.select(row, column)
            self.chosen.emit(row, column)

    def _tile_under(self, at: QPointF) -> tuple[int, int]:
        if self.atlas is None or at.y() < HEAD:
            return (-1, -1)
        pitch = self.side + GAP
        row = int((at.y() - HEAD + self.verticalScrollBar().value()) // pitch)
        column = int((at.x() - LABEL + self.horizontalScrollBar().value()) // pitch)
        inside = 0 <= row < len(self.atlas.layers) and 0 <= column < len(self.atlas.heads)
        return (row, column) if inside and self.tile_at(row, column).contains(at.toPoint()) else (-1, -1)

    def _update_bars(self) -> None:
        if self.atlas is None:
            return
        pitch = self.side + GAP
        rows, columns = len(self.atlas.layers), len(self.atlas.heads)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(0, HEAD + rows * pitch - self.viewport().height()))
        vertical.setPageStep(max(1, self.viewport().height() - HEAD))
        vertical.setSingleStep(pitch)
        horizontal.setRange(0, max(0, LABEL + columns * pitch - self.viewport().width()))
        horizontal.setPageStep(max(1, self.viewport().width() - LABEL))
        horizontal.setSingleStep(pitch)

    def _reveal(self) -> None:
        """Scroll until the selected map can be seen whole."""
        tile = self.tile_at(*self.selected)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setValue(vertical.value() + _shift(tile.top(), tile.bottom() + GAP, HEAD, self.viewport().height()))
        horizontal.setValue(
            horizontal.value() + _shift(tile.left(), tile.right() + GAP, LABEL, self.viewport().width())
        )

    def _paint_marks(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._hovered[0] >= 0 and self._hovered != self.selected:
            painter.setPen(QPen(QColor(theme.current().muted), 1))
            painter.drawRoundedRect(QRectF(self.tile_at(*self._hovered)).adjusted(-1.5, -1.5, 1.5, 1.5), 3, 3)
        painter.setPen(QPen(QColor(theme.current().accent), 2))
        painter.drawRoundedRect(QRectF(self.tile_at(*self.selected)).adjusted(-2, -2, 2, 2), 3, 3)

    def _paint_labels(self, painter: QPainter) -> None:
        assert self.atlas is not None
        painter.setFont(theme.font(theme.TEXT_TINY))
        plain, lit = QColor(theme.current().faint), QColor(theme.current().text)
        for row, text in enumerate(self.atlas.layers):
            tile = self.tile_at(row, 0)
            painter.setPen(lit if row == self.selected[0] else plain)
            box = QRect(0, tile.top(), LABEL - 10, tile.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setClipping(False)
        painter.setPen(plain)
        painter.drawText(
            QRect(0, 0, LABEL, HEAD - 4), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "layer"
        )
        for column, text in enumerate(self.atlas.heads):
            tile = self.tile_at(0, column)
            if tile.left() < LABEL - 1:
                continue
            painter.setPen(lit if column == self.selected[1] else plain)
            box = QRect(tile.left(), 0, tile.width(), HEAD - 4)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _shift(low: int, high: int, first: int, last: int) -> int:
    """How far to scroll so that [low, high] lies within [first, last]."""
    if low < first:
        return low - first
    return max(0, min(high - last, low - first))
