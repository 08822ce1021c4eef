"""The sheet of keyboard shortcuts: every action with its keys, to be found, and to be given others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListView, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.actions.shortcuts import Shortcuts, spoken
from app.palette import SearchField
from app.searching import search
from app.searching.entries import Entry, EntryDelegate, EntryModel
from app.widgets.dialog import Dialog
from app.widgets.text import label, line

CANVAS_KEYS = (
    ("Find a block at the pointer", "Tab, Space, Shift+A or double-click"),
    ("Wire two ports", "drag from one to the other"),
    ("Find what fits a wire", "drop it on the empty canvas"),
    ("Take a wire off, or lay it elsewhere", "drag its end off the input"),
    ("Break all wires of a port", "Alt, or Ctrl+Shift, and click it"),
    ("Lead all wires of a port elsewhere", "Ctrl and drag from it"),
    ("Cut wires", "Ctrl+right-drag, or Y and drag, across"),
    ("Bend a wire with a dot", "double-click, or Shift+right-drag across"),
    ("Put a block into a wire", "drop it on the wire; Alt keeps it out"),
    ("Pull a block out of its wires", "Alt, or Ctrl+Shift, and drag"),
    ("Put a drawing into this one", "Shift while dropping its file"),
    ("Select several", "drag a frame, or Shift and click"),
    ("Pan", "middle button, Space and drag, or two fingers"),
    ("Zoom", "wheel, or pinch"),
    ("Enter a group", "double-click, or Enter"),
    ("Leave a group", "Esc, U, or the path at the top left"),
    ("Go through the nodes", "Shift+Tab, then Tab"),
    ("Go along wires", "Alt and arrows"),
    ("Select what one comes to as well", "Alt, Shift and arrows"),
    ("Move what is selected", "arrows, further with Shift"),
)
"""What the canvas does by itself."""
MODIFIERS = (
    Qt.Key.Key_Control,
    Qt.Key.Key_Shift,
    Qt.Key.Key_Alt,
    Qt.Key.Key_Meta,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_unknown,
)
ASK = "Press the new keys"


class KeysDialog(Dialog):
    """The dialog; a change holds at once."""

    def __init__(self, shortcuts: Shortcuts, menus: Mapping[str, Sequence[str]], parent: QWidget | None = None) -> None:
        """Show the keys.

        Args:
            shortcuts: the keys.
            menus: menu → ids of its actions, in the order to show.
            parent: over which it opens.
        """
        super().__init__("Keyboard shortcuts", parent, width=600, height=680)
        self._shortcuts = shortcuts
        self._menus = menus
        self._asked = ""
        self.field = SearchField("Find a command or keys", "", self)
        self.field.setAccessibleName("Find a command or keys")
        self.field.setToolTip("Part of what a command is called, or its keys: “group”, “ctrl+g”")
        self.model = EntryModel(self)
        self.list = QListView(self)
        self.list.setModel(self.model)
        self.list.setItemDelegate(EntryDelegate(self.list, margin=20))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName("Shortcuts")
        self.title = label("", "section")
        self.keys = KeyField(self)
        self.remove = _button("Remove", "Let this command have no keys")
        self.reset = _button("Reset", "Give this command the keys of the program again")
        self.message = label("", "muted", wrap=True)
        self.take = _button("Use them here", "Take the keys from the other command")
        self.take.setProperty("role", "small")
        self.reset_all = QPushButton("Reset all")
        self.reset_all.setProperty("role", "link")
        self.reset_all.setProperty("compact", "yes")
        self.reset_all.setToolTip("Give every command the keys of the program again")
        self.reset_all.setAccessibleName("Reset all shortcuts")
        self.close_button = QPushButton("Close")
        self.close_button.setToolTip("Close (Esc)")
        for button in (self.remove, self.reset, self.take, self.reset_all, self.close_button):
            button.setAutoDefault(False)
        self._lay_out()
        self._connect()
        self._fill()
        self.field.setFocus()

    @property
    def chosen(self) -> str:
        """The id of the action whose row is current, or nothing."""
        entry = self.model.entry(self.list.currentIndex())
        return entry.name if entry is not None and entry.kind == "action" else ""

    def _lay_out(self) -> None:
        change = QHBoxLayout()
        change.setSpacing(theme.SPACE_2)
        change.addWidget(self.title, 1)
        for widget in (self.keys, self.remove, self.reset):
            change.addWidget(widget)
        said = QHBoxLayout()
        said.addWidget(self.message, 1)
        said.addWidget(self.take)
        self.message.setMinimumHeight(theme.SPACE_6)
        foot = QHBoxLayout()
        foot.addWidget(self.reset_all)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        below = QVBoxLayout()
        below.setContentsMargins(theme.SPACE_6, theme.SPACE_2, theme.SPACE_6, theme.SPACE_4)
        below.setSpacing(theme.SPACE_2)
        for row in (change, said, foot):
            below.addLayout(row)
        above = QVBoxLayout()
        above.setContentsMargins(theme.SPACE_6, theme.SPACE_6, theme.SPACE_6, 0)
        above.addWidget(self.field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACE_1)
        layout.addLayout(above)
        layout.addWidget(self.list, 1)
        layout.addWidget(line())
        layout.addLayout(below)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._fill)
        self.field.moved.connect(self._move)
        self.field.returnPressed.connect(self.keys.ask)
        self.list.selectionModel().currentChanged.connect(lambda _new, _old: self._show_chosen())
        self.list.doubleClicked.connect(lambda _index: self.keys.ask())
        self.list.activated.connect(lambda _index: self.keys.ask())
        self.keys.pressed.connect(self._pressed)
        self.keys.left.connect(self._show_chosen)
        self.remove.clicked.connect(lambda: self._shortcuts.take_away(self.chosen))
        self.reset.clicked.connect(lambda: self._shortcuts.reset(self.chosen))
        self.take.clicked.connect(self._take)
        self.reset_all.clicked.connect(self._shortcuts.reset_all)
        self.close_button.clicked.connect(self.accept)
        self._shortcuts.changed.connect(self._changed)

    def _fill(self) -> None:
        query = self.field.text().strip()
        kept = self.chosen
        groups: dict[str, list[Entry]] = {
            menu: [self._entry(id) for id in ids] for menu, ids in self._menus.items() if ids
        }
        groups["On the canvas"] = [Entry(title, "fixed", "", keys, hint="") for title, keys in CANVAS_KEYS]
        entries: list[Entry] = []
        for menu, rows in groups.items():
            found = search.ranked(query, rows, _rate) if query else rows
            if found:
                entries += [Entry(menu, "heading"), *found]
        self.model.show(entries)
        row = self.model.row_of("action", kept) if kept else -1
        row = row if row >= 0 else self.model.neighbour(0, 1) if entries else -1
        self.list.setCurrentIndex(self.model.index(row) if row >= 0 else QModelIndex())
        self._show_chosen()

    def _entry(self, id: str) -> Entry:
        shortcuts = self._shortcuts
        keys = "   ".join(spoken(one) for one in shortcuts.keys(id))
        if shortcuts.is_own(id):
            keys = f"{keys or 'none'}, not {shortcuts.default_text(id) or 'none'}"
        return Entry(shortcuts.title(id), "action", id, keys)

    def _move(self, step: int) -> None:
        row = self.model.neighbour(self.list.currentIndex().row(), step)
        if row >= 0:
            self.list.setCurrentIndex(self.model.index(row))

    def _show_chosen(self) -> None:
        """Show below the list what is chosen in it."""
        entry, id = self.model.entry(self.list.currentIndex()), self.chosen
        self.title.setText(entry.title if entry is not None and not entry.is_heading else "")
        self.keys.show_keys(self._shortcuts.text(id) if id else "")
        self.keys.setAccessibleDescription(f"Keys of {self.title.text()}")
        self.keys.setEnabled(bool(id))
        self.remove.setEnabled(bool(id) and bool(self._shortcuts.keys(id)))
        self.reset.setEnabled(bool(id) and self._shortcuts.is_own(id))
        self._say("" if id or entry is None else "The canvas keeps this one for itself.")

    def _say(self, text: str, *, can_take: bool = False) -> None:
        self.message.setText(text)
        self.take.setVisible(can_take)

    def _pressed(self, keys: str) -> None:
        id = self.chosen
        others = self._shortcuts.owners(keys, but=id)
        refusal = self._shortcuts.refusal(keys)
        self._asked = keys
        if refusal:
            self._say(refusal)
        elif others:
            self._say(f"{spoken(keys)} belongs to “{self._shortcuts.title(others[0])}”.", can_take=True)
            self.take.setFocus()
        else:
            self._shortcuts.give(id, keys)
            self.list.setFocus()

    def _take(self) -> None:
        self._shortcuts.give(self.chosen, self._asked)
        self.list.setFocus()

    def _changed(self, _id: str) -> None:
        at = self.list.verticalScrollBar().value()
        self._fill()
        self.list.verticalScrollBar().setValue(at)


class KeyField(QLineEdit):
    """Shows the keys of an action; asked, or once it has the focus and a key is pressed, it listens for others.

    Signals:
        pressed: keys were pressed; carries them.
        left: it listens no more, and nothing was pressed.
    """

    pressed = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self.is_listening = False
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFixedWidth(168)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAccessibleName("Keys")
        self.setToolTip("Press Enter or click, then the new keys; Esc leaves them as they are")
        self.setPlaceholderText("none")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._shown = ""

    def show_keys(self, text: str) -> None:
        """Show keys."""
        self._shown, self.is_listening = text, False
        self.setText(text)

    def ask(self) -> None:
        """Listen for the next keys."""
        if self.isEnabled():
            self.is_listening = True
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.setText(ASK)

    def event(self, event: QEvent) -> bool:
        if self.is_listening and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.keyPressEvent(event)  # before Qt takes Tab for moving on
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        if not self.is_listening:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
                self.ask()
            else:
                event.ignore()
        elif event.key() == Qt.Key.Key_Escape:
            self.show_keys(self._shown)
            self.left.emit()
        elif event.key() not in MODIFIERS:
            self.show_keys(self._shown)
            self.pressed.emit(QKeySequence(event.keyCombination()).toString(QKeySequence.SequenceFormat.PortableText))

    def mousePressEvent(self, event: object) -> None:
        self.ask()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.is_listening:
            self.show_keys(self._shown)


def _rate(query: str, entry: Entry) -> float:
    keys = entry.detail.lower().replace(" ", "")
    return max(search.best(query, [entry.title]), 1.0 if query.lower().replace(" ", "") in keys else 0.0)


def _button(text: str, hint: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(hint)
    button.setAccessibleName(text)
    return button
