"""A matrix as a picture, with labels at its sides and the cell under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.widgets.colours import Table, picture

LABELS = 96
"""The most that labels may take at the left."""
ROW = 13
"""The height of a label."""
_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


@dataclass(frozen=True, eq=False)
class Matrix:
    """What a heat map shows.

    Args:
        pixels: 8 bits a cell.
        table: their colours.
        bad: cells that hold no number, drawn in red.
        blank: cells between pictures, which show the ground.
        rows, columns: a label for each, or none.
        square: whether cells are as wide as they are high; otherwise they fill the room.
    """

    pixels: np.ndarray
    table: Table
    bad: np.ndarray | None = None
    blank: np.ndarray | None = None
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    square: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.pixels.shape[0], self.pixels.shape[1]


class HeatMap(QWidget):
    """A painted matrix.

    Signals:
        pointed: the pointer or the arrow keys are on a cell; (-1, -1) when they have left.
        chosen: a cell was clicked, or Return pressed on it.
    """

    pointed = Signal(int, int)
    chosen = Signal(int, int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.matrix: Matrix | None = None
        self.cell = (-1, -1)
        self.lit_row = -1
        self._words = ""
        self._image: QImage | None = None
        self._scaled: QPixmap | None = None
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_matrix(self, matrix: Matrix | None, words: str = "") -> None:
        """Another picture, or words in its place; the pointed cell stays if it is still there."""
        self.matrix = matrix
        self._words = words
        self._scaled = None
        self._image = None
        if matrix is not None:
            self._image = picture(matrix.pixels, matrix.table)
            if matrix.bad is not None and matrix.bad.any():
                self._image = _marked(self._image, matrix.bad, theme.current().error)
            if matrix.blank is not None:
                self._image = _marked(self._image, matrix.blank, theme.current().panel)
            rows, columns = matrix.shape
            if self.cell[0] >= rows or self.cell[1] >= columns:
                self.cell = (-1, -1)
            self.lit_row = min(self.lit_row, rows - 1)
        self.update()

    def light(self, row: int) -> None:
        """Frame a row."""
        if row != self.lit_row:
            self.lit_row = row
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(96, 80)

    @property
    def area(self) -> QRectF:
        """Where the picture itself is."""
        if self.matrix is None:
            return QRectF()
        left, below = self._label_width(), self._label_height()
        room = QRectF(left, 0, max(8, self.width() - left), max(8, self.height() - below))
        if not self.matrix.square:
            return room.adjusted(1, 1, -1, -1)
        rows, columns = self.matrix.shape
        scale = min((room.width() - 2) / columns, (room.height() - 2) / rows)
        scale = float(int(scale)) if scale >= 4 else scale
        return QRectF(left + 1, 1, columns * scale, rows * scale)

    @property
    def below(self) -> int:
        """The height of the labels below the picture."""
        return self._label_height()

    def center_of(self, row: int, column: int) -> QPoint:
        """Where a cell is, for whoever wants to point at it."""
        area, (rows, columns) = self.area, self.matrix.shape if self.matrix else (1, 1)
        x = area.left() + area.width() * (column + 0.5) / columns
        y = area.top() + area.height() * (row + 0.5) / rows
        return QPointF(x, y).toPoint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.matrix is None or self._image is None:
            painter.setFont(theme.font(theme.TEXT_SMALL))
            painter.setPen(QColor(theme.current().faint))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._words)
            return
        area = self.area
        self._paint_picture(painter, area)
        if self.matrix.rows:
            self._paint_row_labels(painter, area)
        if self.matrix.columns:
            self._paint_column_labels(painter, area)
        self._paint_marks(painter, area)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._cell_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell[0] >= 0:
            self._point(cell)
            self.chosen.emit(*cell)

    def leaveEvent(self, event: QEvent) -> None:
        self._point((-1, -1))
        super().leaveEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._point((-1, -1))
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = _MOVES.get(Qt.Key(event.key()))
        if self.matrix is None:
            super().keyPressEvent(event)
        elif move is not None:
            rows, columns = self.matrix.shape
            start = self.cell if self.cell[0] >= 0 else (max(self.lit_row, 0), 0)
            moved = start if self.cell[0] < 0 else (start[0] + move[0], start[1] + move[1])
            self._point((min(max(moved[0], 0), rows - 1), min(max(moved[1], 0), columns - 1)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.cell[0] >= 0:
            self.chosen.emit(*self.cell)
        else:
            super().keyPressEvent(event)

    def _point(self, cell: tuple[int, int]) -> None:
        if cell != self.cell:
            self.cell = cell
            self.pointed.emit(*cell)
            self.update()

    def _cell_at(self, at: QPointF) -> tuple[int, int]:
        area = self.area
        if self.matrix is None or not area.contains(at):
            return (-1, -1)
        rows, columns = self.matrix.shape
        row = int((at.y() - area.top()) / area.height() * rows)
        column = int((at.x() - area.left()) / area.width() * columns)
        return (min(row, rows - 1), min(column, columns - 1))

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(theme.font(theme.TEXT_TINY))

    def _label_width(self) -> int:
        if self.matrix is None or not self.matrix.rows:
            return 0
        metrics = self._metrics()
        return min(LABELS, max(metrics.horizontalAdvance(text) for text in self.matrix.rows)) + theme.SPACE_2

    def _label_height(self) -> int:
        return ROW + theme.SPACE_1 if self.matrix is not None and self.matrix.columns else 0

    def _paint_picture(self, painter: QPainter, area: QRectF) -> None:
        assert self._image is not None
        ratio = self.devicePixelRatioF()
        size = QSize(max(1, round(area.width() * ratio)), max(1, round(area.height() * ratio)))
        if self._scaled is None or self._scaled.size() != size:
            smaller = size.width() < self._image.width() or size.height() < self._image.height()
            mode = Qt.TransformationMode.SmoothTransformation if smaller else Qt.TransformationMode.FastTransformation
            scaled = self._image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, mode)
            self._scaled = QPixmap.fromImage(scaled)
            self._scaled.setDevicePixelRatio(ratio)
        painter.drawPixmap(area.topLeft(), self._scaled)

    def _paint_row_labels(self, painter: QPainter, area: QRectF) -> None:
        assert self.matrix is not None
        rows = len(self.matrix.rows)
        pitch = area.height() / max(rows, 1)
        lit = self.cell[0] if self.cell[0] >= 0 else self.lit_row
        width = int(area.left()) - theme.SPACE_2
        metrics = self._metrics()
        painter.setFont(theme.font(theme.TEXT_TINY))
        for row in _readable(rows, pitch, lit, ROW):
            center = min(max(area.top() + pitch * (row + 0.5), ROW / 2), self.height() - ROW / 2)
            box = QRectF(0, center - ROW / 2 - 1, width, ROW + 2)
            painter.setPen(QColor(theme.current().text if row == lit else theme.current().muted))
            text = metrics.elidedText(self.matrix.rows[row], Qt.TextElideMode.ElideRight, width)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_column_labels(self, painter: QPainter, area: QRectF) -> None:
        assert self.matrix is not None
        columns, metrics = len(self.matrix.columns), self._metrics()
        pitch = area.width() / max(columns, 1)
        widest = max(metrics.horizontalAdvance(text) for text in self.matrix.columns) + 6
        painter.setFont(theme.font(theme.TEXT_TINY))
        for column in _readable(columns, pitch, self.cell[1], min(widest, 64)):
            center = area.left() + pitch * (column + 0.5)
            lit = column == self.cell[1]
            painter.setPen(QColor(theme.current().text if lit else theme.current().muted))
            text = metrics.elidedText(self.matrix.columns[column], Qt.TextElideMode.ElideRight, 72)
            width = metrics.horizontalAdvance(text) + 4
            left = min(max(center - width / 2, 0.0), self.width() - width)
            box = QRectF(left, area.bottom() + theme.SPACE_1, width, ROW)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_marks(self, painter: QPainter, area: QRectF) -> None:
        assert self.matrix is not None
        rows, columns = self.matrix.shape
        accent = QColor(theme.current().accent)
        if self.lit_row >= 0:
            pitch = area.height() / rows
            box = QRectF(area.left(), area.top() + pitch * self.lit_row, area.width(), pitch)
            painter.setPen(QPen(accent, 1.5))
            painter.drawRect(_at_least(box, 4))
        if self.cell[0] >= 0:
            wide, high = area.width() / columns, area.height() / rows
            box = QRectF(area.left() + wide * self.cell[1], area.top() + high * self.cell[0], wide, high)
            painter.setPen(QPen(QColor(theme.current().text), 1))
            painter.drawRect(_at_least(box, 4))
        if self.hasFocus():
            painter.setPen(QPen(accent, 1))
            painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))


def _marked(image: QImage, cells: np.ndarray, colour: str) -> QImage:
    """The picture with some cells in one colour."""
    pixels = np.frombuffer(image.bits(), dtype=np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    pixels[:, : image.width()][cells.astype(bool)] = QColor(colour).rgb()
    return image


def _readable(count: int, pitch: float, lit: int, need: float) -> list[int]:
    """Which labels fit without touching: every n-th and the lit one, whose neighbours give way."""
    every = max(1, -int(-need // max(pitch, 0.01)))
    shown = [place for place in range(0, count, every) if lit < 0 or place == lit or abs(place - lit) * pitch >= need]
    return sorted({*shown, lit}) if 0 <= lit < count else shown


def _at_least(box: QRectF, side: float) -> QRectF:
    """The box, grown about its middle where it would be too small to see."""
    wide, high = max(box.width(), side), max(box.height(), side)
    return QRectF(box.center().x() - wide / 2, box.center().y() - high / 2, wide, high)
