"""A list to pick one word from."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox

LEAST = 72


class Combo(QComboBox):
    """A combo box that a passing wheel does not change; where there is little room its word is cut."""

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), LEAST), hint.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
