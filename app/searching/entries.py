"""Lists of things to choose: headings and entries with icons or stripes, painted alike in palette and pop-ups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app import theme
from app.icons.painting import paint_icon
from app.symbols import of_category

Index = QModelIndex | QPersistentModelIndex
ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1

ROW, HEADING, FIRST_HEADING = 24, 40, 28
STRIPE, STRIPE_HEIGHT = 3, 15
ICON, CHEVRON = 14, 12
INDENT = ICON + 5
"""How far titles stand in where there are icons; an icon has air of its own beside it."""
GAP = 12
"""Between a title and what is said at the right."""


@dataclass(frozen=True)
class Entry:
    """One line of a list.

    Args:
        title: what it says.
        kind: heading, block, template, action, node, file.
        name: what it stands for: the block's, template's or action's name.
        detail: said quietly at the right: a shortcut, a category, a count.
        category: palette category whose colour and icon it has; empty means none.
        hint: the tooltip.
        do: what choosing it does, where `name` is not enough.
        icon: what it shows instead of the icon of its category.
        is_filed: whether it stands under the heading of its category, which has the icon already.
    """

    title: str
    kind: str = "block"
    name: str = ""
    detail: str = ""
    category: str = ""
    hint: str = ""
    do: Callable[[], object] | None = None
    icon: str = ""
    is_filed: bool = False

    @property
    def picture(self) -> str:
        """The icon that it shows, or nothing."""
        if self.icon or not self.category or self.is_filed:
            return self.icon
        return of_category({"template": "Templates", "own": "My blocks"}.get(self.kind, self.category))

    @property
    def is_heading(self) -> bool:
        """Whether it only names what follows."""
        return self.kind == "heading"


class EntryModel(QAbstractListModel):
    """The lines of a list; headings cannot be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Entry] = []
        self.has_pictures = False
        """Whether any line but the headings shows an icon or a stripe; then all titles leave room for one."""

    def show(self, entries: Sequence[Entry]) -> None:
        """Show other lines."""
        self.beginResetModel()
        self.entries = list(entries)
        self.has_pictures = any((entry.icon or entry.category) and not entry.is_heading for entry in self.entries)
        self.endResetModel()

    def entry(self, index: Index) -> Entry | None:
        """The line at an index."""
        return self.entries[index.row()] if index.isValid() and index.row() < len(self.entries) else None

    def row_of(self, kind: str, name: str) -> int:
        """The row of something by its name, or -1."""
        found = (row for row, entry in enumerate(self.entries) if entry.kind == kind and entry.name == name)
        return next(found, -1)

    def neighbour(self, row: int, step: int) -> int:
        """The next selectable row above (-1) or below (1), or the row itself at the end."""
        place = row + step
        while 0 <= place < len(self.entries):
            if not self.entries[place].is_heading:
                return place
            place += step
        return row

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.entry(index)
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.hint or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.title}, {entry.detail}" if entry.detail else entry.title
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return entry.hint
        return entry if role == ENTRY_ROLE else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        entry = self.entry(index)
        if entry is None or entry.is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsDragEnabled if entry.kind in ("block", "template", "own") else flags


class EntryDelegate(QStyledItemDelegate):
    """Paints the lines."""

    def __init__(self, parent: QWidget, *, margin: int = 12, folded: Callable[[str], bool] | None = None) -> None:
        super().__init__(parent)
        self._margin = margin
        self._folded = folded

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry: Entry | None = index.data(ENTRY_ROLE)
        if entry is not None and entry.is_heading:
            return QSize(80, FIRST_HEADING if index.row() == 0 else HEADING)
        return QSize(80, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: Entry | None = index.data(ENTRY_ROLE)
        if entry is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rectangle: QRect = option.rect  # type: ignore[attr-defined]
        if entry.is_heading:
            self._paint_heading(painter, rectangle, entry)
        else:
            state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]
            model = index.model()
            room = INDENT if isinstance(model, EntryModel) and model.has_pictures else 0
            self._paint_entry(painter, rectangle, entry, state, room)
        painter.restore()

    def _paint_heading(self, painter: QPainter, rectangle: QRect, entry: Entry) -> None:
        look = theme.current()
        area = rectangle.adjusted(self._margin + 4, rectangle.height() - FIRST_HEADING, -self._margin - 4, 0)
        painter.setPen(QColor(look.faint))
        painter.setFont(theme.font(theme.TEXT_TINY, weight=QFont.Weight.DemiBold))
        folded = self._folded is not None and self._folded(entry.name)
        middle = area.top() + area.height() / 2
        if entry.picture:
            paint_icon(painter, entry.picture, look.category(entry.category).name(), area.left() - 1, middle, ICON)
        words = area.adjusted(INDENT if entry.picture else 0, 0, 0, 0)
        painter.drawText(words, _LEFT, entry.title.upper())
        painter.setFont(theme.font(theme.TEXT_TINY))
        if folded:
            paint_icon(painter, "chevron-right", look.faint, area.right() - CHEVRON + 4, middle, CHEVRON)
            area.adjust(0, 0, -CHEVRON, 0)
        painter.drawText(area, _RIGHT, entry.detail)

    def _paint_entry(
        self, painter: QPainter, rectangle: QRect, entry: Entry, state: QStyle.StateFlag, room: int
    ) -> None:
        look = theme.current()
        body = QRectF(rectangle.adjusted(self._margin - 4, 0, 4 - self._margin, 0))
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(look.hover))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(look.field))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(body, 4, 4)
        left = rectangle.left() + self._margin + 4
        if entry.picture:
            hue = look.category(entry.category).name() if entry.category else look.muted
            paint_icon(painter, entry.picture, hue, left - 1, rectangle.top() + rectangle.height() / 2, ICON)
        elif entry.category:
            painter.setBrush(look.category(entry.category))
            top = rectangle.top() + (rectangle.height() - STRIPE_HEIGHT) // 2
            painter.drawRoundedRect(QRectF(left + (ICON - 2 - STRIPE) // 2, top, STRIPE, STRIPE_HEIGHT), 1, 1)
        left += room
        right = rectangle.right() - self._margin - 4
        selected = bool(state & QStyle.StateFlag.State_Selected)
        body_font, small = theme.font(), theme.font(theme.TEXT_SMALL)
        rest = right - left - QFontMetrics(body_font).horizontalAdvance(entry.title) - GAP
        detail = _giving_way(entry, QFontMetrics(small), rest)
        if detail:
            painter.setFont(small)
            painter.setPen(QColor(look.muted if selected else look.faint))
            width = QFontMetrics(small).horizontalAdvance(detail)
            painter.drawText(QRect(left, rectangle.top(), right - left, rectangle.height()), _RIGHT, detail)
            right -= width + GAP
        painter.setFont(body_font)
        painter.setPen(QColor(look.text))
        title = QFontMetrics(body_font).elidedText(entry.title, Qt.TextElideMode.ElideRight, max(right - left, 0))
        painter.drawText(QRect(left, rectangle.top(), right - left, rectangle.height()), _LEFT, title)


def _giving_way(entry: Entry, metrics: QFontMetrics, room: int) -> str:
    """What is said at the right; a category that the icon tells too leaves the room to the title."""
    fits = entry.detail != entry.category or metrics.horizontalAdvance(entry.detail) <= room
    return entry.detail if fits else ""


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
