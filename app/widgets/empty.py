"""What a panel says when it has nothing to show: one sentence and one button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app import theme
from app.widgets.text import label


class EmptyState(QWidget):
    """A sentence in the middle and, where something can be done about it, a button below."""

    asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = label("", "muted", wrap=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.button = QPushButton()
        self.button.clicked.connect(self.asked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.SPACE_4, theme.SPACE_2, theme.SPACE_4, theme.SPACE_2)
        layout.setSpacing(theme.SPACE_3)
        layout.addStretch(1)
        layout.addWidget(self.sentence)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)

    def say(self, sentence: str, button: str = "", hint: str = "") -> None:
        """The sentence, and what the button says; no button without a text."""
        self.sentence.setText(sentence)
        self.button.setText(button)
        self.button.setToolTip(hint or button)
        self.button.setAccessibleName(button)
        self.button.setVisible(bool(button))
