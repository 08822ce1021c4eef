"""What is wrong with a text typed in place, under its field, with what would do at a click."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from app import theme
from app.access.voice import VOICE
from app.widgets.text import label

WIDTH, GAP, EDGE = 264, 4, 8


class FaultSheet(QFrame):
    """A sentence and perhaps a button; it never takes the keyboard from the field. `taken` says the button was pressed.

    The keys of the button are those of the field: Ctrl+Enter.
    """

    taken = Signal()

    def __init__(self, field: QWidget) -> None:
        super().__init__(field.parentWidget())
        self.setProperty("role", "banner")
        self.setProperty("tone", "error")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # or the canvas behind it would take the keyboard
        self.setFocusProxy(field)
        self.setAccessibleName("What is wrong")
        self.sentence = label("", "muted", wrap=True)
        self.button = QPushButton()
        self.button.setProperty("role", "link")
        self.button.setProperty("compact", "yes")
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.clicked.connect(self.taken)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.SPACE_3, theme.SPACE_2, theme.SPACE_3, theme.SPACE_2)
        layout.setSpacing(theme.SPACE_1)
        layout.addWidget(self.sentence)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignRight)
        self.hide()

    @property
    def has_offer(self) -> bool:
        """Whether there is a button."""
        return self.isVisible() and not self.button.isHidden()

    def say(self, sentence: str, offer: str, field: QRect) -> None:
        """Show a sentence, and what the button says, below a field, or above it where there is no room."""
        self.sentence.setText(sentence)
        self.button.setText(offer)
        self.button.setAccessibleName(offer)
        self.button.setToolTip(f"{offer} (Ctrl+Enter)")
        self.button.setVisible(bool(offer))
        self.setAccessibleDescription(sentence)
        self.setFixedWidth(WIDTH)
        self.layout().activate()
        self.resize(WIDTH, self.layout().heightForWidth(WIDTH))
        area = self.parentWidget().rect()
        x = min(max(EDGE, field.right() - WIDTH), area.right() - WIDTH - EDGE)
        below = field.bottom() + GAP
        above = field.top() - GAP - self.height()
        self.move(x, above if below + self.height() > area.bottom() - EDGE and above >= EDGE else below)
        self.show()
        self.raise_()
        VOICE.say(self, f"{sentence} {offer}?" if offer else sentence, urgent=True)
