"""A matrix as a picture to look into: labels at its sides, zoom and pan, and the cell under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.widgets import cell_labels
from app.widgets.colours import Table
from app.widgets.menu import Menu
from app.widgets.plots import NOTCH, Picture, Plot, Window, cover, lookup

CLOSEST = 4
"""The fewest cells to zoom to."""
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


class HeatMap(Plot):
    """A matrix as one picture; the wheel zooms at the pointer, dragging pans, a double click shows all of it.

    Signals:
        pointed: the pointer or the arrow keys are on a cell; (-1, -1) when they have left.
        chosen: a cell was clicked, or Return pressed on it.
    """

    pointed = Signal(int, int)
    chosen = Signal(int, int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.matrix: Matrix | None = None
        self.cell = (-1, -1)
        self.lit_row = -1
        self.words = ""
        self._pointer: QPointF | None = None
        self.sight = Window(upwards=False)
        self._picture, self._blank, self._bad = Picture(), Picture(), Picture()
        for layer in (self._picture, self._blank, self._bad):
            self.sight.addItem(layer, ignoreBounds=True)
        self.addItem(self.sight)
        self.sight.moved.connect(self._follow_pointer)
        self.sight.clicked.connect(self._choose)
        self.setAccessibleDescription("Arrow keys walk the cells, + and − zoom, 0 shows everything")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_matrix(self, matrix: Matrix | None, words: str = "") -> None:
        """Another picture, or words in its place; pointed cell and zoom stay where the shape does."""
        old, self.matrix, self.words = self.matrix, matrix, words
        for layer in (self._picture, self._blank, self._bad):
            layer.setVisible(matrix is not None)
        if matrix is not None:
            colours = theme.current()
            bad = matrix.bad if matrix.bad is not None and matrix.bad.any() else None
            self._picture.show_bytes(matrix.pixels, lookup(matrix.table))
            self._blank.show_bytes(_mask(matrix.blank), cover(colours.panel, any_part=False))
            self._bad.show_bytes(_mask(bad), cover(colours.error, any_part=True))
            rows, columns = matrix.shape
            if self.cell[0] >= rows or self.cell[1] >= columns:
                self.cell = (-1, -1)
            self.lit_row = min(self.lit_row, rows - 1)
            self._lay_out(keep=old is not None and old.shape == matrix.shape)
        self.viewport().update()

    def light(self, row: int) -> None:
        """Frame a row."""
        if row != self.lit_row:
            self.lit_row = row
            self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(220, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(96, 80)

    @property
    def beside(self) -> int:
        """The width of the labels at the left."""
        return cell_labels.width(self.matrix.rows) if self.matrix is not None else 0

    @property
    def below(self) -> int:
        """The height of the labels below the picture."""
        return cell_labels.HEIGHT if self.matrix is not None and self.matrix.columns else 0

    @property
    def room(self) -> QRectF:
        """Where the picture may be."""
        left, width, height = self.beside + 1, self.width() - self.beside - 2, self.height() - self.below - 2
        return QRectF(left, 1, max(8, width), max(8, height))

    @property
    def area(self) -> QRectF:
        """Where the whole picture lies, also what is out of sight."""
        if self.matrix is None:
            return QRectF()
        rows, columns = self.matrix.shape
        return self.sight.to_scene(QRectF(0, 0, columns, rows))

    def center_of(self, row: int, column: int) -> QPoint:
        """Where a cell is on the viewport, for whoever wants to point at it."""
        return self.sight.to_scene(QRectF(column, row, 1, 1)).center().toPoint()

    def zoom(self, factor: float) -> None:
        """Come closer (above 1) or step back, at the pointed cell or the middle."""
        row, column = self.cell
        self.sight.scaleBy((1 / factor, 1 / factor), QPointF(column + 0.5, row + 0.5) if row >= 0 else None)

    def show_all(self) -> None:
        """Show the whole picture."""
        self.sight.show_all()

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        painter.save()
        if self.matrix is None:
            painter.setFont(theme.font(theme.TEXT_SMALL))
            painter.setPen(QColor(theme.current().faint))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(QRectF(self.viewport().rect()), int(flags), self.words)
        else:
            lit = self.cell[0] if self.cell[0] >= 0 else self.lit_row
            cell_labels.paint_rows(painter, self.matrix.rows, self.area, self.room, lit)
            cell_labels.paint_columns(painter, self.matrix.columns, self.area, self.room, self.cell[1])
            self._paint_marks(painter)
            if self.sight.is_zoomed:
                cell_labels.paint_chip(painter, f"{max(self.sight.zoom):.1f} ×", self.room)
        painter.restore()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if hasattr(self, "sight"):  # pyqtgraph resizes while it sets itself up
            self._lay_out(keep=True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._pointer = event.position()
        self._follow_pointer()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.matrix is None:
            event.ignore()
            return
        self._pointer = event.position()
        super().wheelEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self._point((-1, -1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._point((-1, -1))
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        move = _MOVES.get(key)
        if self.matrix is None:
            event.ignore()
        elif move is not None:
            self._walk(*move)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.cell[0] >= 0:
            self.chosen.emit(*self.cell)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1 / NOTCH)
        elif key == Qt.Key.Key_Minus:
            self.zoom(NOTCH)
        elif key == Qt.Key.Key_0:
            self.show_all()
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.matrix is None:
            event.ignore()
            return
        menu = Menu("", self, name="The picture")
        zoomed = self.sight.is_zoomed
        for text, enabled, do in (
            ("Zoom in\t+", True, lambda: self.zoom(1 / NOTCH)),
            ("Zoom out\t−", zoomed, lambda: self.zoom(NOTCH)),
            ("Show everything\t0", zoomed, self.show_all),
            ("Copy the picture", True, self._copy),
        ):
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(do)
        menu.insertSeparator(menu.actions()[-1])
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def _copy(self) -> None:
        self._point((-1, -1))
        QGuiApplication.clipboard().setPixmap(self.grab())

    def _walk(self, down: int, right: int) -> None:
        assert self.matrix is not None
        rows, columns = self.matrix.shape
        self._pointer = None
        at = (max(self.lit_row, 0), 0) if self.cell[0] < 0 else (self.cell[0] + down, self.cell[1] + right)
        row, column = min(max(at[0], 0), rows - 1), min(max(at[1], 0), columns - 1)
        self.sight.reveal(QRectF(column, row, 1, 1))
        self._point((row, column))

    def _choose(self, at: QPointF) -> None:
        cell = self._cell_at(at)
        if cell[0] >= 0:
            self._point(cell)
            self.chosen.emit(*cell)

    def _point(self, cell: tuple[int, int]) -> None:
        if cell != self.cell:
            self.cell = cell
            self.pointed.emit(*cell)
            self.viewport().update()

    def _follow_pointer(self) -> None:
        if self._pointer is not None:
            self._point(self._cell_at(self._pointer))
        self.viewport().update()

    def _cell_at(self, at: QPointF) -> tuple[int, int]:
        if self.matrix is None or not self.room.contains(at) or not self.area.contains(at):
            return (-1, -1)
        rows, columns = self.matrix.shape
        place = self.sight.from_scene(at)
        return (min(max(int(place.y()), 0), rows - 1), min(max(int(place.x()), 0), columns - 1))

    def _lay_out(self, *, keep: bool) -> None:
        """Fit the picture into the room: square cells of whole pixels where they are large enough, at the top left."""
        room = self.room
        self.sight.setGeometry(room)
        if self.matrix is None:
            return
        rows, columns = self.matrix.shape
        if not self.matrix.square:
            self.sight.show_whole(QRectF(0, 0, columns, rows), (CLOSEST, CLOSEST), keep=keep)
            return
        scale = min(room.width() / columns, room.height() / rows)
        scale = float(int(scale)) if scale >= 4 else scale
        whole = QRectF(0, 0, room.width() / scale, room.height() / scale)
        closest = max(1.0, min(whole.width(), whole.height()) / CLOSEST)
        self.sight.show_whole(whole, (whole.width() / closest, whole.height() / closest), keep=keep)

    def _paint_marks(self, painter: QPainter) -> None:
        assert self.matrix is not None
        columns = self.matrix.shape[1]
        accent = QColor(theme.current().accent)
        seen = self.area.intersected(self.room)
        painter.setClipRect(self.room.adjusted(-1, -1, 1, 1))
        if self.lit_row >= 0:
            box = self.sight.to_scene(QRectF(0, self.lit_row, columns, 1)).intersected(self.room)
            if not box.isEmpty():
                painter.setPen(QPen(accent, 1.5))
                painter.drawRect(_at_least(box, 4))
        if self.cell[0] >= 0:
            painter.setPen(QPen(QColor(theme.current().text), 1))
            painter.drawRect(_at_least(self.sight.to_scene(QRectF(self.cell[1], self.cell[0], 1, 1)), 4))
        if self.hasFocus():
            painter.setPen(QPen(accent, 1))
            painter.drawRect(seen.adjusted(-0.5, -0.5, 0.5, 0.5))
        painter.setClipping(False)


def _mask(cells: np.ndarray | None) -> np.ndarray | None:
    return None if cells is None else cells.astype(bool).astype(np.uint8) * 255


def _at_least(box: QRectF, side: float) -> QRectF:
    """The box, grown about its middle where it would be too small to see."""
    wide, high = max(box.width(), side), max(box.height(), side)
    return QRectF(box.center().x() - wide / 2, box.center().y() - high / 2, wide, high)
