"""Undo and redo as stacks of inverse commands; the commands of one drag or slider become one step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graph.commands import Command, Sequence
from graph.document import Document


@dataclass(frozen=True)
class Entry:
    """One step as users count them: its name and the command that goes back (or forth again).

    `state` stands for the document as it is after the step; it stays the same through undo and redo.
    """

    label: str
    command: Command
    merge_key: tuple[Any, ...] | None
    state: object = field(default_factory=object, compare=False, repr=False)


class History:
    """The steps of one document. Everything that edits it goes through `do`."""

    def __init__(self, document: Document, limit: int = 1000) -> None:
        self._document = document
        self._limit = limit
        self.undone: list[Entry] = []
        self.done: list[Entry] = []
        self._gesture: object | None = None
        self._start: object = object()
        self._saved: object = self._start

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return bool(self.done)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self.undone)

    @property
    def is_saved(self) -> bool:
        """Whether the document is as it was when `mark_saved` was called (at first: as it was opened)."""
        return self._state is self._saved

    @property
    def saved_place(self) -> int | None:
        """How many steps had been done in the state that is on disk, if it can still be reached."""
        states = [self._start, *(entry.state for entry in self.done), *(entry.state for entry in self.undone[::-1])]
        return next((place for place, state in enumerate(states) if state is self._saved), None)

    def mark_saved(self) -> None:
        """Remember that the document is on disk as it stands."""
        self._saved = self._state
        self._gesture = None

    def mark_unsaved(self) -> None:
        """Remember that no state of the history is on disk, as of a drawing that was recovered."""
        self._saved = object()

    def do(self, command: Command, gesture: object | None = None) -> None:
        """Apply a command as a new step.

        Args:
            command: what to do.
            gesture: a token of the drag or slider that this belongs to; commands of one gesture that share a merge key
                are undone together.

        Raises:
            EditError: the command is impossible; nothing has changed.
        """
        inverse = self._document.apply(command)
        key = command.merge_key
        last = self.done[-1] if self.done else None
        merges = gesture is not None and gesture is self._gesture and key is not None
        if merges and last is not None and last.merge_key == key and not self.is_saved:
            inverse = Sequence((inverse, last.command), last.label, key) if _keeps_both(command) else last.command
            self.done[-1] = Entry(last.label, inverse, key)
        else:
            self.done.append(Entry(command.label, inverse, key))
            for forgotten in self.done[: -self._limit]:
                self._start = forgotten.state
            del self.done[: -self._limit]
        self._gesture = gesture
        self.undone.clear()

    def undo(self) -> str | None:
        """Go one step back; returns its name, or None when there is none."""
        return self._shift(self.done, self.undone)

    def redo(self) -> str | None:
        """Go one step forth again; returns its name, or None when there is none."""
        return self._shift(self.undone, self.done)

    @property
    def _state(self) -> object:
        return self.done[-1].state if self.done else self._start

    def _shift(self, source: list[Entry], target: list[Entry]) -> str | None:
        if not source:
            return None
        entry = source[-1]
        inverse = self._document.apply(entry.command)
        source.pop()
        restored = Entry(entry.label, inverse, entry.merge_key, entry.state)
        target.append(restored)
        self._gesture = None
        return entry.label


def _keeps_both(command: Command) -> bool:
    """Sequences may touch other things each time, so all of their inverses are kept."""
    return isinstance(command, Sequence)
