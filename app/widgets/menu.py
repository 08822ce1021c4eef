"""Menus whose lines are reached by a letter: each that can be taken has one of its own, underlined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

_AMPERSAND = "\0"
"""Stands for an ampersand that is meant to be read."""


class Menu(QMenu):
    """A menu; its letters are given when it opens."""

    def __init__(self, title: str, parent: QWidget | None = None, *, name: str = "") -> None:
        """Make an empty menu.

        Args:
            title: what the line says that opens it, if there is one.
            parent: its widget.
            name: what a screen reader calls it; by default the title.
        """
        super().__init__(title, parent)
        self.setAccessibleName(name or plain(title))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        lines = [action for action in self.actions() if action.isEnabled() and not action.isSeparator()]
        texts = [action.text() for action in lines]
        for action, text, given in zip(lines, texts, with_letters(texts), strict=True):
            if given != text:
                action.setText(given)


def with_letters(texts: Sequence[str]) -> list[str]:
    """Texts with an ampersand before a letter that no other of them has: the first of a word where that is free."""
    bare = [text.replace("&&", _AMPERSAND).replace("&", "") for text in texts]
    places = [_places(text) for text in bare]
    owners: dict[str, int] = {}

    def give(line: int, asked: set[str]) -> bool:
        """Give a line a letter; whoever has it looks for another, if need be."""
        for letter in places[line]:
            if letter not in asked:
                asked.add(letter)
                if letter not in owners or give(owners[letter], asked):
                    owners[letter] = line
                    return True
        return False

    for line in range(len(bare)):
        free = next((letter for letter in places[line] if letter not in owners), None)
        if free is not None:
            owners[free] = line
        else:
            give(line, set())
    for letter, line in owners.items():
        place = places[line][letter]
        bare[line] = f"{bare[line][:place]}&{bare[line][place:]}"
    return [text.replace(_AMPERSAND, "&&") for text in bare]


def plain(text: str) -> str:
    """A text as one reads it, without the mark of its letter."""
    return text.replace("&&", _AMPERSAND).replace("&", "").replace(_AMPERSAND, "&")


def _places(text: str) -> dict[str, int]:
    """Letters and where they stand, the best first: those that begin words."""
    signs = [place for place, sign in enumerate(text) if sign.isalnum() and sign.isascii()]
    first = [place for place in signs if not place or text[place - 1] == " "]
    found: dict[str, int] = {}
    for place in (*first, *signs):
        found.setdefault(text[place].upper(), place)
    return found
