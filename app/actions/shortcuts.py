"""The keys of actions: those of the program, or those that the user wants instead, remembered from start to start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

from app.settings import Settings

FIXED: Mapping[str, str] = {
    "Tab": "Find a block, or the next node", "Shift+Tab": "The node before", "Shift+A": "Find a block",
    "Esc": "Leave", "Return": "Enter a group", "Enter": "Enter a group", "Space": "Find a block, or pan",
    "U": "Leave a group",
    "Y": "Cut wires", "1": "Show at its own size", ".": "Fit the selection",
    "Left": "Move", "Right": "Move", "Up": "Move", "Down": "Move",
    "Shift+Left": "Move further", "Shift+Right": "Move further", "Shift+Up": "Move further",
    "Shift+Down": "Move further",
    "Alt+Left": "Go to what feeds", "Alt+Right": "Go to what is fed", "Alt+Up": "Go to the one above",
    "Alt+Down": "Go to the one below",
}  # fmt: skip
"""Keys that the canvas keeps for itself, and what it does with them."""


class Shortcuts(QObject):
    """The keys of every action.

    Signals:
        changed: an action has other keys; carries its id.
    """

    changed = Signal(str)

    def __init__(self, settings: Settings, table: Mapping[str, tuple[str, tuple[str, ...]]]) -> None:
        """Take what is remembered; keys that are none, and actions that are no more, are passed over.

        Args:
            settings: where they are remembered.
            table: id → title and the keys of the program.
        """
        super().__init__()
        self._settings = settings
        self._table = table
        wishes = {id: (keys, _readable(keys)) for id, keys in settings.shortcuts.items() if id in table}
        self._own = {id: known for id, (keys, known) in wishes.items() if known or not keys}

    def keys(self, id: str) -> tuple[str, ...]:
        """The keys of an action, the first of which is shown."""
        return self._own.get(id, self._table[id][1])

    def text(self, id: str) -> str:
        """The first of its keys as people read them: Ctrl+Shift+P."""
        return spoken(self.keys(id)[0]) if self.keys(id) else ""

    def default_text(self, id: str) -> str:
        """What `text` would be without the user's wishes."""
        keys = self._table[id][1]
        return spoken(keys[0]) if keys else ""

    def title(self, id: str) -> str:
        """What the action is called."""
        return self._table[id][0].removesuffix(" …")

    def is_own(self, id: str) -> bool:
        """Whether the user has given it other keys."""
        return id in self._own

    def owners(self, keys: str, but: str = "") -> list[str]:
        """The actions that have these keys, all but one."""
        wanted = QKeySequence(keys)
        return [id for id in self._table if id != but and any(QKeySequence(k) == wanted for k in self.keys(id))]

    def refusal(self, keys: str) -> str:
        """Why these keys cannot be given to an action, or nothing."""
        wanted = QKeySequence(keys)
        for fixed, use in FIXED.items():
            if QKeySequence(fixed) == wanted:
                return f"The canvas keeps {spoken(fixed)} for itself: {use[:1].lower()}{use[1:]}."
        return "" if _is_key(wanted) else "These are no keys that an action could have."

    def give(self, id: str, keys: str) -> None:
        """Let an action have these keys in place of its own; whoever has them loses them."""
        for other in self.owners(keys, but=id):
            self._set(other, tuple(k for k in self.keys(other) if QKeySequence(k) != QKeySequence(keys)))
        self._set(id, (QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText),))

    def take_away(self, id: str) -> None:
        """Let an action have no keys."""
        self._set(id, ())

    def reset(self, id: str) -> None:
        """Give an action the keys of the program again; who has been given them since loses them."""
        for keys in self._table[id][1]:
            for other in self.owners(keys, but=id):
                self._set(other, tuple(k for k in self.keys(other) if QKeySequence(k) != QKeySequence(keys)))
        self._set(id, self._table[id][1])

    def reset_all(self) -> None:
        """Give every action the keys of the program again."""
        own, self._own = list(self._own), {}
        for id in own:
            self._settings.set_shortcut(id, None)
        for id in own:
            self.changed.emit(id)

    def _set(self, id: str, keys: tuple[str, ...]) -> None:
        if keys == self._table[id][1]:
            self._own.pop(id, None)
            self._settings.set_shortcut(id, None)
        else:
            self._own[id] = keys
            self._settings.set_shortcut(id, keys)
        self.changed.emit(id)


def spoken(keys: str) -> str:
    """Keys as people read them on this system."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def _readable(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(one for one in keys if _is_key(QKeySequence(one)))


def _is_key(keys: QKeySequence) -> bool:
    return not keys.isEmpty() and keys[0].key() != Qt.Key.Key_unknown  # type: ignore[index]
