"""The table of everything that a run went through: a row for each value, with its figures and its time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

import blocks
from app import numbers, theme
from app.panels.inside.rows import as_rows

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("node", "shape", "mean", "std", "min", "max", "zeros", "time")
HINTS = {
    "node": "where the value comes from, in the order of the run",
    "shape": "how long each axis is",
    "mean": "the average",
    "std": "the spread about the mean",
    "min": "the smallest value",
    "max": "the largest value",
    "zeros": "the share of values that are exactly 0",
    "time": "how long the block took; of a group, all that is in it",
}
WIDTHS = {"shape": 128, "mean": 74, "std": 60, "min": 64, "max": 60, "zeros": 56, "time": 112}
OPTIONAL = ("min", "max", "std", "zeros", "shape")
"""Columns that give way, in this order, where the table is narrow."""
NODE = 150
ROW = 24


class Rows(QAbstractTableModel):
    """The values of a run in the order in which they came about."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.addresses: list[str] = []
        self.entries: list[Mapping[str, Any]] = []
        self.longest = 0.0

    def show_run(self, activations: Mapping[str, Mapping[str, Any]]) -> None:
        """Another run."""
        self.beginResetModel()
        self.addresses = list(activations)
        self.entries = list(activations.values())
        leaves = [entry.get("milliseconds") or 0.0 for entry in self.entries if entry.get("block") != "Group"]
        self.longest = max(leaves, default=0.0)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index | None = None) -> int:
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return HINTS[COLUMNS[section]]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section in (0, 7) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry, name = self.entries[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(index.row(), name)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            bad = _bad_words(entry).strip() if name == "mean" else ""
            return bad or self.text(index.row(), name) or "not measured"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{entry.get('title', '')}\n{self.addresses[index.row()]}" + _bad_words(entry)
        if role == Qt.ItemDataRole.UserRole:  # what a column is sorted by
            if name == "node":
                return self.addresses[index.row()]
            if name == "shape":
                return float(_size(entry))
            value = entry.get("milliseconds" if name == "time" else name)
            return float("-inf") if value is None else float(value)
        return None

    def text(self, row: int, name: str) -> str:
        """What a cell says."""
        entry = self.entries[row]
        if name == "node":
            return self.addresses[row]
        if name == "shape":
            return " × ".join(str(size) for size in entry.get("shape", ()))
        if name == "time":
            taken = entry.get("milliseconds")
            return "" if taken is None else numbers.duration(taken / 1000)
        value = entry.get(name)
        if value is None:
            return "—"
        return numbers.percent(value) if name == "zeros" else numbers.value(value)


class _Search(QSortFilterProxyModel):
    """The rows whose address or title holds every word that is searched for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self.setSortRole(Qt.ItemDataRole.UserRole)

    def search(self, text: str) -> None:
        self._words = text.lower().split()
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        rows = self.sourceModel()
        assert isinstance(rows, Rows)
        text = f"{rows.addresses[row]} {rows.entries[row].get('title', '')}".lower()
        return all(word in text for word in self._words)


class _Cells(QStyledItemDelegate):
    """Paints the cells: names with the hue of their category, figures set in one width, times as bars."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        proxy = index.model()
        assert isinstance(proxy, QSortFilterProxyModel)
        rows = proxy.sourceModel()
        assert isinstance(rows, Rows)
        row, name = proxy.mapToSource(index).row(), COLUMNS[index.column()]
        entry, colours = rows.entries[row], theme.current()
        area: QRect = option.rect  # type: ignore[attr-defined]
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)  # type: ignore[attr-defined]
        if chosen:
            painter.fillRect(area, QColor(colours.hover))
        inner = area.adjusted(theme.SPACE_2, 0, -theme.SPACE_2, 0)
        bad = bool(entry.get("nan") or entry.get("inf"))
        if name == "node":
            self._paint_name(painter, inner, rows.addresses[row], entry, bad, chosen)
        elif name == "time":
            self._paint_time(painter, inner, rows.text(row, name), entry, rows.longest)
        else:
            painter.setFont(theme.font(theme.TEXT_TINY, mono=name != "shape"))
            tone = colours.error if bad and name != "shape" else colours.muted if not chosen else colours.text
            painter.setPen(QColor(tone))
            text = _bad_words(entry).strip() if bad and name == "mean" else rows.text(row, name)
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, ROW)

    def _paint_name(
        self, painter: QPainter, area: QRect, address: str, entry: Mapping[str, Any], bad: bool, chosen: bool
    ) -> None:
        colours = theme.current()
        block = blocks.find(str(entry.get("block", "")))
        stripe = QRectF(area.left(), area.top() + 5, 3, area.height() - 10)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.category(block.category if block else "Structure"))
        painter.drawRoundedRect(stripe, 1.5, 1.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        area = area.adjusted(theme.SPACE_2 + 2, 0, 0, 0)
        head, slash, last = address.rpartition("/")
        font = theme.font(theme.TEXT_SMALL)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        last = metrics.elidedText(last, Qt.TextElideMode.ElideMiddle, area.width())
        room = area.width() - metrics.horizontalAdvance(last)
        before = metrics.elidedText(head + slash, Qt.TextElideMode.ElideLeft, room) if room > 16 else ""
        painter.setPen(QColor(colours.muted if chosen else colours.faint))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, before)
        painter.setPen(QColor(colours.error if bad else colours.text))
        area = area.adjusted(metrics.horizontalAdvance(before), 0, 0, 0)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, last)

    def _paint_time(self, painter: QPainter, area: QRect, text: str, entry: Mapping[str, Any], longest: float) -> None:
        colours = theme.current()
        taken = entry.get("milliseconds")
        if taken is None:
            return
        room = area.width() - 60
        if longest > 0 and entry.get("block") != "Group":
            share = min(taken / longest, 1.0)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.kind("features"))
            bar = QRectF(area.left(), area.center().y() - 3, max(2.0, room * share), 7)
            painter.drawRoundedRect(bar, 2, 2)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(theme.font(theme.TEXT_TINY, mono=True))
        painter.setPen(QColor(colours.muted))
        painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


class ValueTable(QTableView):
    """The table; `picked` carries the address of the row that the user went to."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = Rows(self)
        self._proxy = _Search(self)
        self._proxy.setSourceModel(self.rows)
        self.setModel(self._proxy)
        self.setItemDelegate(_Cells(self))
        self.setAccessibleName("Values of the run")
        as_rows(self, ROW, [WIDTHS[name] for name in COLUMNS[1:]])
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._showing = False
        self.selectionModel().currentRowChanged.connect(self._tell)

    def show_run(self, activations: Mapping[str, Mapping[str, Any]]) -> None:
        """Another run; the row that was chosen stays so if it is there."""
        kept = self.current
        self._showing = True
        self.rows.show_run(activations)
        self._showing = False
        if kept in self.rows.addresses:
            self.show_address(kept)

    @property
    def current(self) -> str:
        """The address of the chosen row."""
        index = self._proxy.mapToSource(self.currentIndex())
        return self.rows.addresses[index.row()] if index.isValid() else ""

    def show_address(self, address: str) -> None:
        """Choose a row without anyone having gone there."""
        if address == self.current or address not in self.rows.addresses:
            return
        index = self._proxy.mapFromSource(self.rows.index(self.rows.addresses.index(address), 0))
        if index.isValid():
            self._showing = True
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self._showing = False

    def search(self, text: str) -> None:
        """Show only the rows that hold these words."""
        self._showing = True
        self._proxy.search(text)
        self._showing = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.viewport().width() - NODE - WIDTHS["mean"] - WIDTHS["time"]
        for name in reversed(OPTIONAL):
            room -= WIDTHS[name]
            self.setColumnHidden(COLUMNS.index(name), room < 0)

    def _tell(self, current: QModelIndex, _before: QModelIndex) -> None:
        if not self._showing and current.isValid():
            self.picked.emit(self.current)


def _bad_words(entry: Mapping[str, Any]) -> str:
    """How many values are no numbers."""
    words = [f"{entry[name]} {title}" for name, title in (("nan", "NaN"), ("inf", "Inf")) if entry.get(name)]
    return "\n" + ", ".join(words) if words else ""


def _size(entry: Mapping[str, Any]) -> int:
    size = 1
    for axis in entry.get("shape", ()):
        size *= int(axis)
    return size
