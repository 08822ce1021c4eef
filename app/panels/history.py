"""The history panel: the steps of undo and redo by name; a click goes there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.panels.base import Panel
from app.session import Session
from app.workspace import Workspace
from graph.history import History

Index = QModelIndex | QPersistentModelIndex
ROW, INSET = 24, theme.SPACE_4
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class HistoryPanel(Panel):
    """A line for each step, the state one is in marked, what can be redone paler."""

    name = "history"
    title = "History"
    side = "bottom"
    rank = 90

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.model = _Steps(self)
        self.list = _List(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Line(self.list))
        self.list.setAccessibleName("Steps")
        self.list.clicked.connect(lambda index: self._go(index.row()))
        self.list.taken.connect(self._go)
        self.back = self._button("Undo", "Go one step back", lambda: self.session.undo())
        self.forth = self._button("Redo", "Go one step forth again", lambda: self.session.redo())
        self.to_saved = self._button("Go to what is saved", "Go to the state that is on disk", self._go_to_saved)
        row = QHBoxLayout()
        row.setContentsMargins(INSET - 1, theme.SPACE_1, INSET, 0)
        row.setSpacing(theme.SPACE_3)
        for button in (self.back, self.forth, self.to_saved):
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, theme.SPACE_1, 0, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addLayout(row)
        layout.addWidget(self.list, 1)

    def refresh(self) -> None:
        history = self.session.history
        self.model.show_history(history, "Opened" if self.session.path else "New drawing")
        here = self.model.index(len(history.done))
        self.list.setCurrentIndex(here)
        self.list.scrollTo(here)
        self.back.setEnabled(history.can_undo)
        self.forth.setEnabled(history.can_redo)
        self.to_saved.setEnabled(history.saved_place not in (None, len(history.done)))

    def _go_to_saved(self) -> None:
        place = self.session.history.saved_place
        if place is not None:
            self.session.go_to(place)

    def _button(self, text: str, hint: str, do: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("role", "link")
        button.setProperty("compact", "yes")
        button.setAccessibleName(text)
        button.setToolTip(hint)
        button.clicked.connect(lambda _checked=False: do())
        return button

    def _switch(self, session: Session) -> None:
        if self._session is not None:
            self._session.saved.disconnect(self.invalidate, missing_ok=True)
        super()._switch(session)
        session.saved.connect(self.invalidate)

    def _go(self, place: int) -> None:
        self.session.go_to(place)


class _Steps(QAbstractListModel):
    """The steps, from the first state to the last that can be redone."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.labels: list[str] = []
        self.here = 0
        self.saved: int | None = None

    def show_history(self, history: History, start: str) -> None:
        """Show the steps of a history."""
        self.beginResetModel()
        self.labels = [start, *(e.label for e in history.done), *(e.label for e in reversed(history.undone))]
        self.here, self.saved = len(history.done), history.saved_place
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.labels)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.labels):
            return None
        row = index.row()
        label = self.labels[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return (
                label
                + (", now" if row == self.here else ", undone" if row > self.here else "")
                + (", saved" if row == self.saved else "")
            )
        if role == Qt.ItemDataRole.ToolTipRole:
            return "The drawing is here" if row == self.here else f"Go {'back' if row < self.here else 'forth'} to here"
        return None


class _List(QListView):
    """The list; Enter goes to the chosen step.

    Signals:
        taken: carries the place.
    """

    taken = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.taken.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class _Line(QStyledItemDelegate):
    """Paints a step: a dot where one is, "saved" where the file is."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(80, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        if not isinstance(model, _Steps):
            return
        look, row = theme.current(), index.row()
        area: QRect = option.rect  # type: ignore[attr-defined]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        chosen = state & QStyle.StateFlag.State_Selected
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(look.hover if chosen else look.field))
            painter.drawRoundedRect(QRectF(area.adjusted(INSET - 8, 0, 8 - INSET, 0)), 4, 4)
        is_here = row == model.here
        if is_here:
            painter.setBrush(QColor(look.accent))
            painter.drawEllipse(QPointF(area.left() + INSET + 4, area.center().y() + 0.5), 3, 3)
        weight = QFont.Weight.DemiBold if is_here else QFont.Weight.Normal
        painter.setFont(theme.font(weight=weight))
        painter.setPen(QColor(look.text if is_here else look.faint if row > model.here and not chosen else look.muted))
        words = area.adjusted(INSET + 16, 0, -INSET, 0)
        saved = "saved" if row == model.saved else ""
        room = words.adjusted(0, 0, -56, 0) if saved else words
        text = painter.fontMetrics().elidedText(model.labels[row], Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _LEFT, text)
        if saved:
            painter.setFont(theme.font(theme.TEXT_SMALL))
            painter.setPen(QColor(look.good))
            painter.drawText(words, _RIGHT, saved)
        painter.restore()
