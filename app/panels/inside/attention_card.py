"""The attention card: a row for each node that attends, with what its score matrix would take and what it moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

import blocks
from app import numbers, theme
from app.panels.inside.rows import as_rows
from app.widgets.empty import EmptyState
from app.widgets.text import ElidedLabel, label

Index = QModelIndex | QPersistentModelIndex
TITLES = {
    "node": "each call of",
    "scores": "score matrix",
    "kept": "fused keeps",
    "moved": "fused moves",
    "unfused": "unfused moves",
    "less": "less",
    "cache": "KV cache",
    "blocks": "blocks",
}
COLUMNS = tuple(TITLES)
HINTS = {
    "node": "the attention blocks in the order of the run, with how often each is called; a click selects one",
    "scores": "what all scores of one call would take: batch × heads × queries × keys.\n"
    "The fused kernel never holds them.",
    "kept": "what the fused kernel keeps of the scores: one number for each query and head",
    "moved": "what one call reads and writes with a fused kernel, which keeps blocks of scores in fast memory",
    "unfused": "what one call reads and writes when scores and weights are written to memory and read again",
    "less": "how many times less the fused kernel moves",
    "cache": "keys and values kept while decoding",
    "blocks": "blocks of queries × blocks of keys, and the rows of each, in the fused kernel",
}
WIDTHS = {"scores": 100, "kept": 92, "moved": 144, "unfused": 112, "less": 56, "cache": 84, "blocks": 128}
OPTIONAL = ("blocks", "kept", "cache", "less", "unfused", "scores")
"""Columns that give way, in this order, where the table is narrow."""
NODE, NODE_AT_MOST = 136, 260
"""Room for names, which comes before that for the columns above."""
ROW = 24
FIGURE = 72
"""Room for the figure beside a bar."""


class Rows(QAbstractTableModel):
    """A row for each attention and, where there is more than one call, a last one for all of them together."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.entries: list[Mapping[str, Any]] = []
        self.sums = False

    def show_costs(self, found: Mapping[str, Any]) -> None:
        """Other costs."""
        entries = list(found["nodes"])
        sums = found["calls"] > 1
        if sums:
            entries.append({"address": "", "rounds": found["calls"], **found["total"]})
        if entries == self.entries:
            return
        self.beginResetModel()
        self.entries, self.sums = entries, sums
        self.endResetModel()

    def is_sum(self, row: int) -> bool:
        """Whether a row is of all calls together."""
        return self.sums and row == len(self.entries) - 1

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def columnCount(self, parent: Index | None = None) -> int:
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        name = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[name]
        if role == Qt.ItemDataRole.ToolTipRole:
            return HINTS[name]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if name == "node" else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        name = COLUMNS[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(index.row(), name)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.hint(index.row(), name)
        return None

    def text(self, row: int, name: str) -> str:
        """What a cell says."""
        entry = self.entries[row]
        if name == "node":
            return f"all {entry['rounds']} calls" if self.is_sum(row) else _name(entry)
        if name == "less":
            ratio = entry["standard"]["elements"] / entry["fused"]["elements"]
            return f"{numbers.value(ratio, 2)} ×"
        if name == "blocks":
            cut = entry.get("blocks")
            return f"{cut['query']} × {cut['key']} of {cut['rows']}" if cut else ""
        amount = entry[_KEYS[name]]["bytes"]
        return numbers.size(amount) if amount else "—"

    def hint(self, row: int, name: str) -> str:
        """The exact figures behind a cell."""
        entry = self.entries[row]
        if name == "node":
            figures = [f"{TITLES[other]}: {self.text(row, other)}" for other in COLUMNS[1:] if self.text(row, other)]
            if self.is_sum(row):
                return "\n".join(("what all of them take together", *figures))
            times = "" if entry["rounds"] == 1 else f"\ncalled {entry['rounds']} times; the figures are of one call"
            return (
                f"{entry['title']}\n{entry['batch']} × {entry['heads']} heads, "
                f"{entry['query']} queries × {entry['key']} keys, {_features(entry)}{times}\n" + "\n".join(figures)
            )
        if name == "blocks":
            cut = entry.get("blocks")
            rows = f"{numbers.exact(cut['rows'])} rows of q, k, v and y fit into fast memory" if cut else ""
            return f"{rows}: {numbers.exact(cut['pairs'])} pairs of blocks for each head" if cut else ""
        if name == "less":
            standard, fused = (numbers.exact(entry[kind]["elements"]) for kind in ("standard", "fused"))
            return f"{standard} numbers unfused, {fused} fused"
        amount = entry[_KEYS[name]]
        exact = f"{numbers.exact(amount['elements'])} numbers, {numbers.exact(amount['bytes'])} bytes"
        if "reads" in amount:
            exact += f"\n{numbers.exact(amount['reads'])} read, {numbers.exact(amount['writes'])} written"
        return exact


_KEYS = {"scores": "scores", "kept": "statistics", "moved": "fused", "unfused": "standard", "cache": "kv_cache"}


class _Cells(QStyledItemDelegate):
    """Paints the cells: names with the hue of their category, figures set in one width, what moves as a bar."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rows = index.model()
        assert isinstance(rows, Rows)
        row, name, colours = index.row(), COLUMNS[index.column()], theme.current()
        area: QRect = option.rect  # type: ignore[attr-defined]
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)  # type: ignore[attr-defined]
        if chosen:
            painter.fillRect(area, QColor(colours.hover))
        if rows.is_sum(row):
            painter.fillRect(QRect(area.left(), area.top(), area.width(), 1), QColor(colours.line))
        inner = area.adjusted(theme.SPACE_2, 0, -theme.SPACE_2, 0)
        text = rows.text(row, name)
        if name == "node":
            self._paint_name(painter, area.adjusted(0, 0, -theme.SPACE_2, 0), rows, row, text)
            return
        if name == "moved":
            entry = rows.entries[row]
            self._paint_share(painter, inner, entry["fused"]["elements"] / entry["standard"]["elements"])
        painter.setFont(theme.font(theme.TEXT_TINY, mono=True))
        painter.setPen(QColor(colours.text if chosen or rows.is_sum(row) else colours.muted))
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(60, ROW)

    def _paint_name(self, painter: QPainter, area: QRect, rows: Rows, row: int, text: str) -> None:
        colours = theme.current()
        if not rows.is_sum(row):
            block = blocks.find(str(rows.entries[row].get("block", "")))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.category(block.category if block else "Attention"))
            painter.drawRoundedRect(QRectF(area.left(), area.top() + 5, 3, area.height() - 10), 1.5, 1.5)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        area = area.adjusted(theme.SPACE_2, 0, 0, 0)
        head, slash, last = text.rpartition("/")
        font = theme.font(theme.TEXT_SMALL)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        last = metrics.elidedText(last, Qt.TextElideMode.ElideRight, area.width())
        room = area.width() - metrics.horizontalAdvance(last)
        before = metrics.elidedText(head + slash, Qt.TextElideMode.ElideLeft, room) if room > 16 else ""
        painter.setPen(QColor(colours.faint))
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, before)
        painter.setPen(QColor(colours.text))
        area = area.adjusted(metrics.horizontalAdvance(before), 0, 0, 0)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, last)

    def _paint_share(self, painter: QPainter, area: QRect, share: float) -> None:
        """How much of what would be moved unfused, which is the whole length, is moved."""
        colours = theme.current()
        room = area.width() - FIGURE
        if room < theme.SPACE_2:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for width, colour in ((1.0, colours.field), (min(share, 1.0), colours.kinds["features"])):
            painter.setBrush(QColor(colour))
            bar = QRectF(area.left(), area.center().y() - 3, max(2.0, room * width), 7)
            painter.drawRoundedRect(bar, 2, 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


class CostTable(QTableView):
    """The table; `picked` carries the address of the row that was clicked or that Return was pressed on."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = Rows(self)
        self.setModel(self.rows)
        self.setItemDelegate(_Cells(self))
        self.setAccessibleName("What attention costs")
        as_rows(self, ROW, [WIDTHS[name] for name in COLUMNS[1:]])
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        self.clicked.connect(self._tell)

    def show_address(self, address: str) -> None:
        """Choose the first row of a node, or none, without anyone having gone there."""
        row = next((row for row, entry in enumerate(self.rows.entries) if entry["address"] == address != ""), -1)
        here = self.currentIndex().row()
        if row < 0:
            self.clearSelection()
        elif here < 0 or self.rows.entries[here]["address"] != address or not self.selectionModel().hasSelection():
            self.selectRow(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._tell(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def show_costs(self, found: Mapping[str, Any]) -> None:
        """Other costs."""
        self.rows.show_costs(found)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Let columns give way; what nothing has to say of goes first."""
        whole, moved = self.viewport().width(), COLUMNS.index("moved")
        bare = FIGURE + 2 * theme.SPACE_2  # a figure without its bar
        self.setColumnWidth(moved, WIDTHS["moved"] if whole >= NODE + WIDTHS["scores"] + WIDTHS["moved"] else bare)
        metrics = QFontMetrics(theme.font(theme.TEXT_SMALL))
        wish = max(
            (metrics.horizontalAdvance(self.rows.text(row, "node")) for row in range(self.rows.rowCount())), default=0
        )
        keeps = any(entry["kv_cache"]["elements"] for entry in self.rows.entries)
        rest = whole - self.columnWidth(moved) - WIDTHS["scores"] - WIDTHS["unfused"]
        room = whole - self.columnWidth(moved) - max(NODE, min(wish + 2 * theme.SPACE_2, NODE_AT_MOST, rest))
        for name in reversed(OPTIONAL):
            useless = name == "cache" and not keeps
            room -= 0 if useless else WIDTHS[name]
            self.setColumnHidden(COLUMNS.index(name), room < 0 or useless)

    def _tell(self, index: QModelIndex) -> None:
        if index.isValid() and not self.rows.is_sum(index.row()):
            self.picked.emit(self.rows.entries[index.row()]["address"])


class AttentionCard(QWidget):
    """The table under one line that sums it up.

    Signals:
        picked: a row was clicked; carries the address of its node.
        dismissed: there is nothing to show, and the user wants to see something else.
    """

    picked = Signal(str)
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.total = label("", "heading")
        self.total.setFixedHeight(24)
        self.words = ElidedLabel("", "muted")
        self.table = CostTable()
        self.table.picked.connect(self.picked)
        self.empty = EmptyState()
        self.empty.asked.connect(self.dismissed)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, theme.SPACE_2, 0)
        head.setSpacing(theme.SPACE_3)
        head.addWidget(self.total)
        head.addWidget(self.words, 1)
        filled = QWidget()
        column = QVBoxLayout(filled)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.SPACE_1)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        for page in (filled, self.empty):
            self._pages.addWidget(page)

    @property
    def is_empty(self) -> bool:
        """Whether nothing attends."""
        return self._pages.currentIndex() == 1

    def show_costs(self, found: Mapping[str, Any], address: str) -> None:
        """What the estimate says of attention; `address` is the selected node."""
        if not found["nodes"]:
            self.empty.say("Nothing in this drawing attends, so no scores are made.", "Memory by kind")
            self._pages.setCurrentIndex(1)
            return
        self._pages.setCurrentIndex(0)
        total = found["total"]
        fused, unfused, scores = (numbers.size(total[kind]["bytes"]) for kind in ("fused", "standard", "scores"))
        calls = f"{found['calls']} calls of attention" if found["calls"] > 1 else "attention"
        self.total.setText(f"{fused} moved")
        self.words.setText(f"in {calls}, fused; {unfused} if the scores ({scores}) were built")
        self.words.set_hint("One pass forward, hidden positions counted too")
        self.total.setToolTip(
            f"{numbers.exact(total['fused']['reads'])} numbers read and {numbers.exact(total['fused']['writes'])} "
            f"written, {numbers.exact(total['fused']['bytes'])} bytes"
        )
        self.table.show_costs(found)
        self.table.show_address(address)


def _name(entry: Mapping[str, Any]) -> str:
    """The node and, where several attend in it or it is called more than once, which and how often."""
    part = f", {entry['part']}" if entry["part"] else ""
    rounds = f" × {entry['rounds']}" if entry["rounds"] > 1 else ""
    return f"{entry['address']}{part}{rounds}"


def _features(entry: Mapping[str, Any]) -> str:
    wide: Sequence[int] = (entry["head_dim"], entry["value_dim"])
    if wide[0] == wide[1]:
        return f"{wide[0]} features"
    return f"{wide[0]} features, of values {wide[1]}"
