"""Whether the user works by keys at the moment: what takes the focus by itself then shows that it has it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

KEYS = (QEvent.Type.KeyPress, QEvent.Type.Shortcut)
POINTING = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.Wheel, QEvent.Type.TouchBegin)


class LastInput(QObject):
    """Remembers whether a key or the mouse was pressed last."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.by_keys = False

    def watch(self) -> None:
        """Begin to look at what the user does."""
        application = QApplication.instance()
        assert application is not None
        application.installEventFilter(self)

    def stop(self) -> None:
        """Look no longer."""
        application = QApplication.instance()
        if application is not None:
            application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in KEYS:
            self.by_keys = True
        elif kind in POINTING:
            self.by_keys = False
        return False
