"""The outline: the drawing as a tree, which keyboards and screen readers can go through as eyes go over the canvas."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QTreeView, QVBoxLayout, QWidget

import blocks
from app import theme
from app.icons.painting import paint_icon
from app.panels.base import Panel
from app.panels.tree.model import OutlineModel
from app.panels.tree.rows import OutlineRows
from app.session import Session
from app.widgets.text import label
from app.workspace import Workspace
from graph import edits
from graph.commands import SetNode
from graph.document import Path

CHEVRON = 12
OWN_KEYS = (Qt.Key.Key_F2, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
DOWN = (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Outline(Panel):
    """Every node with its state and shape; what is selected here is selected on the canvas, and the other way."""

    name = "outline"
    title = "Outline"
    side = "left"
    rank = 0

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.setMinimumHeight(96)
        self.field = FilterField(self)
        self.field.setPlaceholderText("Filter the outline")
        self.field.setAccessibleName("Filter the outline")
        self.field.setToolTip("Part of a title, a block, a shape or a state: “linear”, “768”, “error”")
        self.field.setClearButtonEnabled(False)
        self.model = OutlineModel(self)
        self.tree = Tree(self)
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(OutlineRows(self.tree))
        self.tree.setAccessibleName("Outline of the drawing")
        self.tree.setAccessibleDescription("Enter opens a group, F2 renames, Delete takes away")
        self.note = label("", "faint", wrap=True)
        self.note.setContentsMargins(theme.SPACE_4, theme.SPACE_1, theme.SPACE_4, 0)
        row = QVBoxLayout()
        row.setContentsMargins(theme.SPACE_3, theme.SPACE_2, theme.SPACE_3, 0)
        row.addWidget(self.field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addLayout(row)
        layout.addWidget(self.note)
        layout.addWidget(self.tree, 1)
        self._shown: tuple[Session, Path] | None = None
        self._following = False
        self._marked: set[Path] = set()
        """What is selected in the tree."""
        self.field.textChanged.connect(self._sift)
        self.field.left_below.connect(self._go_below)
        self.model.renamed.connect(self._rename)
        self.tree.entered_by_key.connect(self._enter)
        self.tree.deleted_by_key.connect(self._delete)
        self.tree.doubleClicked.connect(self._enter)
        self.tree.selectionModel().selectionChanged.connect(lambda _in, _out: self._choose())

    def refresh(self) -> None:
        self._following = True
        try:
            if self._shown is None or self._shown[0] is not self.session:
                self._marked = set()
            self.model.follow(self.session)
            self._follow_selection()
            self.tree.viewport().update()
        finally:
            self._following = False
        self._say()

    def take_focus(self) -> None:
        if self._stale:
            self._refresh_now()
        if not self.tree.currentIndex().isValid():
            self._following = True
            self.tree.selectionModel().setCurrentIndex(
                self.model.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate
            )
            self._following = False
        self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _say(self) -> None:
        empty = self.model.rowCount() == 0
        words = "No node is called so." if self.model.is_sifted else "Nothing is drawn yet."
        self.note.setText(words if empty else "")
        self.note.setVisible(empty)

    # From the session

    def _follow_selection(self) -> None:
        session, tree = self.session, self.tree
        place = (session, session.at)
        if place != self._shown:
            self._shown = place
            for depth in range(1, len(session.at) + 1):
                tree.expand(self.model.index_of(session.at[:depth]))
        chosen = self._chosen_rows()
        if chosen != self._marked:
            self._marked = chosen
            rows = self._ranges(chosen)
            tree.selectionModel().select(rows, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            first = rows.indexes()[0] if len(chosen) == 1 and rows.indexes() else None
            if first is not None:
                tree.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
                tree.scrollTo(first)

    def _ranges(self, chosen: set[Path]) -> QItemSelection:
        """Rows as ranges, since Qt takes long over many single ones."""
        found = [index for path in chosen if (index := self.model.index_of(path)).isValid()]
        found.sort(key=lambda index: index.row())
        rows, start = QItemSelection(), 0
        for place in range(1, len(found) + 1):
            if place == len(found) or found[place].row() != found[place - 1].row() + 1:
                rows.select(found[start], found[place - 1])
                start = place
        return rows

    def _chosen_rows(self) -> set[Path]:
        return {(*self.session.at, id) for id in self.session.selection}

    def _selected_paths(self) -> set[Path]:
        return {self.model.path(index) for index in self.tree.selectionModel().selectedIndexes()}

    # To the session

    def _choose(self) -> None:
        """Select on the canvas what was selected here; of several levels the one of the current row counts."""
        if self._following:
            return
        session = self.session
        self._marked = paths = self._selected_paths()
        current = self.model.path(self.tree.currentIndex())
        at = current[:-1] if current in paths else next(iter(sorted(paths)), (*session.at, ""))[:-1]
        ids = [path[-1] for path in paths if path[:-1] == at]
        if ids:
            session.enter(at)
        session.select(ids)
        if len(ids) == 1:
            session.reveal.emit((*at, ids[0]))

    def _enter(self, index: QModelIndex) -> None:
        path = self.model.path(index)
        if not path:
            return
        if self.session.document.node(path).is_group:
            self.tree.expand(index)
            self.session.enter(path)
        else:
            self.session.show(path)

    def _delete(self) -> None:
        session = self.session
        ids = [id for id in session.document.level(session.at).nodes if id in session.selection]
        if ids:
            session.do(edits.remove(session.document, session.at, ids))

    def _rename(self, path: Path, text: str) -> None:
        session = self.session
        node = session.document.node(path)
        title = " ".join(text.split())[:200]
        block = blocks.find(node.block)
        title = "" if block is not None and title == block.title else title
        if title != node.title:
            session.do(SetNode(path[:-1], path[-1], "title", title))

    # The filter

    def _sift(self, text: str) -> None:
        self._following = True
        try:
            self.model.sift(text.strip())
            if self.model.is_sifted:
                self.tree.expandAll()
            self._shown, self._marked = None, set()
            self._follow_selection()
        finally:
            self._following = False
        self._say()

    def _go_below(self) -> None:
        if self.model.rowCount():
            self.tree.setFocus(Qt.FocusReason.TabFocusReason)
            if not self.tree.selectionModel().selectedIndexes():
                self.tree.setCurrentIndex(self._first_found())

    def _first_found(self) -> QModelIndex:
        """The first row that was meant, not one that is there for what is inside."""
        index, wish = self.model.index(0, 0), self.field.text().strip().lower()
        while wish and index.isValid() and wish not in str(index.data()).lower():
            below = self.tree.indexBelow(index)
            if not below.isValid():
                return self.model.index(0, 0)
            index = below
        return index


class FilterField(QLineEdit):
    """A field from which the arrow down and Enter lead to what it found; Esc empties it."""

    left_below = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in DOWN:
            self.left_below.emit()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class Tree(QTreeView):
    """The tree; it keeps its keys from the menus while it has the focus."""

    entered_by_key = Signal(QModelIndex)
    deleted_by_key = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(16)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAnimated(False)

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex) -> None:
        if self.model().hasChildren(index):
            paint_icon(
                painter, "chevron-down" if self.isExpanded(index) else "chevron-right", theme.current().muted,
                rect.right() - CHEVRON, rect.top() + rect.height() / 2, CHEVRON,
            )  # fmt: skip

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_own = event.key() in OWN_KEYS and not event.modifiers()
            event.setAccepted(is_own)
            if is_own:
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_by_key.emit(self.currentIndex())
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.deleted_by_key.emit()
        else:
            super().keyPressEvent(event)
