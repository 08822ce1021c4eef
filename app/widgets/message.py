"""What message boxes have in common."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMessageBox

from app import theme


class MessageBox(QMessageBox):
    """A message box with the margins of the other dialogs."""

    def showEvent(self, event: QShowEvent) -> None:
        layout = self.layout()  # a new one, where the style has brought an icon
        assert layout is not None
        layout.setContentsMargins(theme.SPACE_6, theme.SPACE_6, theme.SPACE_6, theme.SPACE_4)
        super().showEvent(event)
