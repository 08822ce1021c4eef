"""The palette: every block by category and every template, to be found, dragged to the canvas or added by Enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QDrag, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QListView, QVBoxLayout, QWidget

from app import theme
from app.access.voice import VOICE
from app.catalogue import BlockCard, Catalogue
from app.icons.painting import paint_icon
from app.searching import search
from app.searching.entries import ICON, Entry, EntryDelegate, EntryModel

if TYPE_CHECKING:
    from graph.library import Broken, OwnBlock

BLOCK_MIME = "application/x-blockwright-block"
TEMPLATE_MIME = "application/x-blockwright-template"
CLIP_MIME = "application/x-blockwright-clip"
TEMPLATES, MINE = "Templates", "My blocks"
INSIDE_GROUPS = ("group_input", "group_output")


class Palette(QWidget):
    """Search field and list.

    Signals:
        block_chosen: Enter or a double click on a block; carries its name.
        template_chosen: the same on a template.
        folding_changed: other categories are folded away; carries them.
        own_chosen: the same on one of the user's blocks; carries its name.
        own_menu_asked: its menu is wanted; carries its name and the place on the screen.
        own_key_pressed: Delete or F2 on it; carries its name, and "delete" or "rename".
    """

    block_chosen = Signal(str)
    template_chosen = Signal(str)
    folding_changed = Signal(set)
    own_chosen = Signal(str)
    own_menu_asked = Signal(str, QPoint)
    own_key_pressed = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumWidth(160)
        self.catalogue = Catalogue()
        self.own: list[OwnBlock] = []
        self.broken: list[Broken] = []
        self.folded: set[str] = set()
        self.field = SearchField("Find a block", "Tab", self)
        self.field.setAccessibleName("Find a block")
        self.model = EntryModel(self)
        self.list = _List(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(EntryDelegate(self.list, folded=self.folded.__contains__))
        self.list.setAccessibleName("Blocks")
        self.note = QLabel("Reading the catalogue …", self)
        self.note.setProperty("role", "faint")
        self.note.setContentsMargins(16, 12, 16, 0)
        self.note.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, theme.SPACE_2, 0, 0)
        layout.setSpacing(4)
        row = QVBoxLayout()
        row.setContentsMargins(12, 0, 12, 0)
        row.addWidget(self.field)
        layout.addLayout(row)
        layout.addWidget(self.note)
        layout.addWidget(self.list, 1)
        self.field.textChanged.connect(self._fill)
        self.field.moved.connect(self._move)
        self.field.returnPressed.connect(lambda: self._choose(self.list.currentIndex()))
        self.list.activated_by_key.connect(self._choose)
        self.list.doubleClicked.connect(self._choose)
        self.list.clicked.connect(self._fold)
        self.list.typed.connect(self._type_on)
        self.list.selectionModel().currentChanged.connect(self._tell)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        self.list.key_pressed.connect(self._press)

    def show_own(self, blocks: Sequence[OwnBlock], broken: Sequence[Broken]) -> None:
        """Show the user's own blocks, and the files that would be and are not."""
        self.own, self.broken = list(blocks), list(broken)
        self.list.clips = {block.name: block.clip for block in blocks}
        self._fill()

    def show_catalogue(self, catalogue: Catalogue) -> None:
        """Fill in the blocks and templates."""
        self.catalogue = catalogue
        self._fill()

    def show_folded(self, folded: set[str]) -> None:
        """Fold categories away."""
        self.folded.clear()
        self.folded |= folded
        self._fill()

    def focus_search(self) -> None:
        """Put the cursor into the search field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _fill(self) -> None:
        query = self.field.text().strip()
        entries = self._fitting(query) if query else self._by_category()
        self.model.show(entries)
        known = bool(self.catalogue.blocks)
        self.note.setVisible(not entries)
        self.note.setText(f"No block is called “{query}”." if known else "Reading the catalogue …")
        if query and entries:
            self.list.setCurrentIndex(self.model.index(0))

    def _by_category(self) -> list[Entry]:
        groups: dict[str, list[Entry]] = {}
        if self.own or self.broken:
            groups[MINE] = [own_entry(block) for block in self.own]
            groups[MINE] += [Entry(entry.file.name, "broken", entry.file.stem, "damaged", hint=entry.reason)
                             for entry in self.broken]  # fmt: skip
        for card in self.catalogue.blocks:
            groups.setdefault(card.category, []).append(block_entry(card))
        if self.catalogue.templates:
            groups[TEMPLATES] = [
                Entry(card.title, "template", card.name, hint=card.summary, category="Structure")
                for card in self.catalogue.templates
            ]
        entries: list[Entry] = []
        for category, members in groups.items():
            entries.append(Entry(category, "heading", category, str(len(members)), category))
            if category not in self.folded:
                entries.extend(replace(member, is_filed=True) for member in members)
        return entries

    def _fitting(self, query: str) -> list[Entry]:
        rate = lambda query, block: search.best(query, [block.title], [block.name], [block.summary])  # noqa: E731
        mine = [own_entry(block, detail=MINE) for block in search.ranked(query, self.own, rate)]
        return [*mine, *block_entries(self.catalogue, query, templates=True)]

    def _ask_menu(self, at: QPoint) -> None:
        entry = self.model.entry(self.list.indexAt(at))
        if entry is not None and entry.kind in ("own", "broken"):
            self.own_menu_asked.emit(entry.name, self.list.viewport().mapToGlobal(at))

    def _press(self, index: QModelIndex, key: str) -> None:
        entry = self.model.entry(index)
        if entry is not None and (entry.kind == "own" or (entry.kind == "broken" and key == "delete")):
            self.own_key_pressed.emit(entry.name, key)

    def _move(self, step: int) -> None:
        row = self.model.neighbour(self.list.currentIndex().row(), step)
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))

    def _choose(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is None:
            return
        if entry.kind == "block":
            self.block_chosen.emit(entry.name)
        elif entry.kind == "template":
            self.template_chosen.emit(entry.name)
        elif entry.kind == "own":
            self.own_chosen.emit(entry.name)
        elif entry.kind == "broken":
            place = self.list.visualRect(index).bottomLeft()
            self.own_menu_asked.emit(entry.name, self.list.viewport().mapToGlobal(place))

    def _fold(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is None or not entry.is_heading:
            return
        self.folded.symmetric_difference_update({entry.name})
        at = self.list.verticalScrollBar().value()
        self._fill()
        self.list.verticalScrollBar().setValue(at)
        self.folding_changed.emit(set(self.folded))

    def _tell(self, index: QModelIndex) -> None:
        """Say the line that Enter would take, while the keyboard is in the field."""
        entry = self.model.entry(index)
        if entry is not None and not entry.is_heading and self.field.hasFocus():
            VOICE.say(self.field, ", ".join(filter(None, (entry.title, entry.detail))))

    def _type_on(self, text: str) -> None:
        self.field.setFocus()
        self.field.setText(text)


class SearchField(QLineEdit):
    """A field whose arrows move the selection of the list below it.

    Signals:
        moved: up (-1) or down (1) was pressed.
    """

    moved = Signal(int)

    def __init__(self, placeholder: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self._hint = QLabel(hint, self)
        self._hint.setProperty("role", "faint")
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.textChanged.connect(lambda text: self._hint.setVisible(not text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        size = self._hint.sizeHint()
        self._hint.setGeometry(self.width() - size.width() - 10, 0, size.width(), self.height())


class _List(QListView):
    """The list: drags blocks out, adds by Enter, passes letters on to the search field."""

    activated_by_key = Signal(QModelIndex)
    key_pressed = Signal(QModelIndex, str)
    typed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.clips: dict[str, str] = {}
        self.setMouseTracking(True)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def startDrag(self, actions: Qt.DropAction) -> None:
        model = self.model()
        entry = model.entry(self.currentIndex()) if isinstance(model, EntryModel) else None
        if entry is None or entry.kind not in ("block", "template", "own"):
            return
        drag = QDrag(self)
        data = QMimeData()
        if entry.kind == "own":
            data.setData(CLIP_MIME, self.clips.get(entry.name, "").encode())
        else:
            data.setData(BLOCK_MIME if entry.kind == "block" else TEMPLATE_MIME, entry.name.encode())
        drag.setMimeData(data)
        shown = replace(entry, is_filed=False)
        picture = chip(entry.title, entry.category, shown.picture, self.devicePixelRatioF())
        drag.setPixmap(picture)
        size = picture.deviceIndependentSize().toSize()
        drag.setHotSpot(QPoint(size.width() // 2, size.height() + 24))  # above the node that the canvas shows
        drag.exec(Qt.DropAction.CopyAction)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activated_by_key.emit(self.currentIndex())
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_F2):
            self.key_pressed.emit(self.currentIndex(), "delete" if event.key() == Qt.Key.Key_Delete else "rename")
        elif event.text().isalnum() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        model = self.model()
        if not self.currentIndex().isValid() and isinstance(model, EntryModel):
            self.setCurrentIndex(model.index(model.neighbour(-1, 1)))


def own_entry(block: OwnBlock, *, detail: str = "") -> Entry:
    """The line of one of the user's blocks."""
    return Entry(block.title, "own", block.name, detail, "Structure", block.summary or "A group of yours")


def block_entry(card: BlockCard, *, detail: str = "") -> Entry:
    """The line of a block."""
    return Entry(card.title, "block", card.name, detail, card.category, card.summary)


def block_entries(catalogue: Catalogue, query: str, *, templates: bool = False) -> list[Entry]:
    """What fits a few letters, best first."""

    def rate(query: str, entry: Entry) -> float:
        card = catalogue.block(entry.name) if entry.kind == "block" else None
        synonyms = (*card.synonyms, card.name) if card else (entry.name,)
        words = card.words if card else ()
        return search.best(query, [entry.title], synonyms, [entry.hint, entry.category, *words])

    entries = [block_entry(card, detail=card.category) for card in catalogue.blocks]
    if templates:
        entries += [
            Entry(card.title, "template", card.name, "Template", "Structure", card.summary)
            for card in catalogue.templates
        ]
    return search.ranked(query, entries, rate)


def chip(title: str, category: str, icon: str, ratio: float) -> QPixmap:
    """What hangs at the pointer while a block is dragged: a small node."""
    look = theme.current()
    font = theme.font(weight=QFont.Weight.DemiBold)
    left = 16 + ICON + 4
    width = QFontMetrics(font).horizontalAdvance(title) + left + 20
    picture = QPixmap(round(width * ratio), round(32 * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(look.accent))
    painter.setBrush(QColor(look.node))
    painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, 31), theme.RADIUS, theme.RADIUS)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.category(category))
    painter.drawRoundedRect(QRectF(1, 1, 4, 30), 2, 2)
    painter.setPen(QColor(look.text))
    painter.setFont(font)
    paint_icon(painter, icon, look.category(category).name(), 15, 16, ICON)
    painter.drawText(QRectF(left, 0, width - left, 32), Qt.AlignmentFlag.AlignVCenter, title)
    painter.end()
    return picture
