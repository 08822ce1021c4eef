"""A quiet button that is only an icon."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QToolButton, QWidget

from app import theme
from app.icons import icon


class IconButton(QToolButton):
    """A button that is only an icon; `text` is its tooltip and what a screen reader says."""

    def __init__(self, name: str, text: str, parent: QWidget | None = None, *, tone: str = "muted") -> None:
        super().__init__(parent)
        self.setProperty("role", "icon")
        self.setIconSize(QSize(16, 16))
        self.setFixedSize(24, 24)
        self.show_icon(name, text, tone)

    def show_icon(self, name: str, text: str, tone: str = "muted") -> None:
        """Another icon with another meaning, in a colour of the theme."""
        self._name, self._tone = name, tone
        self.setToolTip(text)
        self.setAccessibleName(text)
        self._colour()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        self.setIcon(icon(self._name, getattr(theme.current(), self._tone)))
