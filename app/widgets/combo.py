"""A list to pick one word from."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class Combo(QComboBox):
    """A combo box that a passing wheel does not change."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
