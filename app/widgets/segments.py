"""One of a few, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget


class Segments(QWidget):
    """A row of buttons of which one is down; `chosen` carries its key and only follows a click or key."""

    chosen = Signal(str)

    def __init__(self, name: str, options: Sequence[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._buttons: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for key, text, hint in options:
            button = QPushButton(text)
            button.setCheckable(True)
            button.setProperty("role", "segment")
            button.setToolTip(hint)
            button.setAccessibleName(f"{name}: {text}")
            button.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            group.addButton(button)
            layout.addWidget(button)
            self._buttons[key] = button
        self.show_choice(options[0][0])

    @property
    def choice(self) -> str:
        """The key of the button that is down."""
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def show_choice(self, key: str) -> None:
        """Put a button down without anyone having clicked it."""
        self._buttons[key].setChecked(True)

    def button(self, key: str) -> QPushButton:
        """One of the buttons."""
        return self._buttons[key]
