"""What is said aloud to those who use a screen reader: results of keys that change something out of their sight."""

from __future__ import annotations

from typing import ClassVar

from psygnal import Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


class Voice:
    """Says sentences.

    Signals:
        said: a sentence was said; carries it.
    """

    said: ClassVar[Signal] = Signal(str)

    @property
    def is_heard(self) -> bool:
        """Whether anyone listens: what is to be said need not be found out otherwise."""
        return QAccessible.isActive() or len(self.said) > 0

    def say(self, widget: QWidget, text: str, *, urgent: bool = False) -> None:
        """Say a sentence.

        Args:
            widget: what it is about.
            text: the sentence.
            urgent: whether it may cut off what is being said.
        """
        if not text:
            return
        event = QAccessibleAnnouncementEvent(widget, text)
        if urgent:
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(event)
        self.said.emit(text)


VOICE = Voice()
"""The one voice of the program."""
