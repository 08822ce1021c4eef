"""A search that opens where it is needed: blocks at the pointer, what fits a dropped wire, commands at the top."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QListView, QStyleOptionViewItem, QVBoxLayout, QWidget

from app.access.voice import VOICE
from app.palette import SearchField
from app.searching.entries import Entry, EntryDelegate, EntryModel

Provider = Callable[[str], Sequence[Entry]]
Chosen = Callable[[Entry], object]

WIDTH, MOST_ROWS_HEIGHT = 320, 336


class SearchPopup(QFrame):
    """A field with the list of what fits; arrows choose, Enter takes, Esc or a click elsewhere leaves."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setProperty("role", "popup")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Search")
        self._provider: Provider = lambda _query: []
        self._chosen: Chosen = lambda _entry: None
        self._closed: Callable[[], object] | None = None
        self._moved: Chosen | None = None
        self._left: Callable[[], object] | None = None
        self._before: QWidget | None = None
        self._top = QPoint()
        self.field = SearchField("", "", self)
        self.field.setAccessibleName("Search")
        self.list = QListView(self)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setStyleSheet("QListView { background: transparent; }")
        self.list.setAccessibleName("What fits")
        self.model = EntryModel(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(EntryDelegate(self.list, margin=8))
        self.note = QLabel("", self)
        self.note.setProperty("role", "muted")
        self.note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self.field)
        layout.addWidget(self.note)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._fill)
        self.field.moved.connect(self._move)
        self.field.returnPressed.connect(lambda: self._take(self.list.currentIndex()))
        self.list.clicked.connect(self._take)
        self.list.selectionModel().currentChanged.connect(self._tell)
        self.field.installEventFilter(self)
        self.hide()

    def open(
        self,
        placeholder: str,
        provider: Provider,
        chosen: Chosen,
        at: QPoint,
        *,
        note: str = "",
        width: int = WIDTH,
        closed: Callable[[], object] | None = None,
        moved: Callable[[Entry], object] | None = None,
        left: Callable[[], object] | None = None,
    ) -> None:
        """Show it.

        Args:
            placeholder: what can be found here.
            provider: gives the lines for what was typed.
            chosen: is called with the line that was taken, after the pop-up has closed.
            at: the top left corner in the window's coordinates; moved so that it fits.
            note: a sentence above the list.
            width: in pixels.
            closed: is called when it closes, whether or not something was taken.
            moved: is called with the line that the arrow keys came to.
            left: is called when Esc leaves without anything being taken.
        """
        self.close_search()
        self._provider, self._chosen, self._closed = provider, chosen, closed
        self._moved, self._left = moved, left
        self._before = QApplication.focusWidget()
        self.field.setPlaceholderText(placeholder)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.setFixedWidth(width)
        self._top = at
        self.field.clear()
        self._fill()
        self.show()
        self.raise_()
        if not self.isActiveWindow():  # a panel has the keyboard that is in a window of its own
            self.window().activateWindow()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        QApplication.instance().installEventFilter(self)

    def close_search(self) -> None:
        """Leave without taking anything; the focus goes back to where it was."""
        if self.isHidden():
            return
        QApplication.instance().removeEventFilter(self)
        before, self._before = self._before, None
        if before is not None and self.isAncestorOf(QApplication.focusWidget()):
            if not before.isActiveWindow():
                before.window().activateWindow()
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()  # only now: what is hidden with the focus gives it away by itself
        closed, self._closed = self._closed, None
        if closed is not None:
            closed()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.KeyPress and watched is self.field and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                left = self._left
                self.close_search()
                if left is not None:
                    left()
                return True
            if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self._move(1 if event.key() == Qt.Key.Key_Tab else -1)
                return True
            if event.key() in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
                for _ in range(8):
                    self._move(1 if event.key() == Qt.Key.Key_PageDown else -1)
                return True
        if (
            kind == QEvent.Type.MouseButtonPress
            and isinstance(event, QMouseEvent)
            and isinstance(watched, QWidget)
            and watched is not self
            and not self.isAncestorOf(watched)
        ):
            self.close_search()
        if kind == QEvent.Type.FocusOut and watched is self.field and not self.isHidden():
            new = QApplication.focusWidget()
            if new is not None and not self.isAncestorOf(new) and new.window() is self.window():
                self.close_search()
        return False

    def _fill(self) -> None:
        entries = self._provider(self.field.text().strip())
        self.model.show(entries)
        first = self.model.neighbour(-1, 1)
        if first >= 0 and entries:
            self.list.setCurrentIndex(self.model.index(first))
        self._place()

    def _tell(self, index: QModelIndex) -> None:
        """Say the line that Enter would take: the keyboard stays in the field, so that a reader would not."""
        entry = self.model.entry(index)
        if entry is None or entry.is_heading or not VOICE.is_heard:
            return
        lines = [place for place, one in enumerate(self.model.entries) if not one.is_heading]
        place = f"{lines.index(index.row()) + 1} of {len(lines)}"
        VOICE.say(self.field, ", ".join(filter(None, (entry.title, entry.detail, place))))

    def _place(self) -> None:
        delegate = self.list.itemDelegate()
        option = QStyleOptionViewItem()
        rows = sum(
            delegate.sizeHint(option, self.model.index(row)).height() for row in range(min(len(self.model.entries), 40))
        )
        height = min(rows, MOST_ROWS_HEIGHT)
        self.list.setVisible(height > 0)
        self.list.setFixedHeight(max(height, 1))
        self.layout().activate()
        size = self.layout().minimumSize()
        self.setFixedHeight(size.height())
        area = self.parentWidget().rect().adjusted(8, 8, -8, -8)
        left = max(area.left(), min(self._top.x(), area.right() - self.width()))
        top = max(area.top(), min(self._top.y(), area.bottom() - self.height()))
        self.move(left, top)

    def _move(self, step: int) -> None:
        row = self.model.neighbour(self.list.currentIndex().row(), step)
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))
            entry = self.model.entry(self.model.index(row))
            if self._moved is not None and entry is not None and not entry.is_heading:
                self._moved(entry)

    def _take(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is None or entry.is_heading:
            return
        chosen = self._chosen
        self.close_search()
        chosen(entry)
