"""The one floating sheet in which notes are written: as many lines as one likes, in their place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from app.canvas.ink import faces, ink
from graph.comments import LONGEST


class NoteEditor(QPlainTextEdit):
    """Lines to type in. Leaving it and Ctrl+Enter keep what was typed; Esc goes back to what was there, if anything."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Note")
        self.setToolTip("Ctrl+Enter keeps the note, Esc leaves an old one as it was")
        self._keep: Callable[[str], object] | None = None
        self._first = ""

    @property
    def is_open(self) -> bool:
        """Whether a note is being written."""
        return self._keep is not None

    def open(self, place: QRectF, zoom: float, text: str, keep: Callable[[str], object]) -> None:
        """Begin to write: where on the parent, at which zoom, what is there now, and what takes the words."""
        look, size = ink().theme, max(9, round(faces().text.font.pixelSize() * zoom))
        self.setStyleSheet(
            f"QPlainTextEdit {{ background: {look.field}; color: {look.text}; border: 1px solid {look.accent};"
            f' border-radius: 6px; padding: 4px; font-size: {size}px; font-family: "{faces().text.font.family()}"; }}'
        )
        self.setGeometry(place.toAlignedRect())
        self.setPlainText(text)
        self.selectAll()
        self._keep, self._first = keep, text
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_editor(self, *, keep: bool = True) -> None:
        """End writing; with `keep` the words are taken."""
        if self._keep is None:
            return
        take, self._keep = self._keep, None
        text = self.toPlainText()[:LONGEST]
        parent = self.parentWidget()
        if parent is not None and self.hasFocus():
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        if keep and text != self._first:
            take(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() == Qt.Key.Key_Escape:
            self.close_editor(keep=not self._first)  # of a new note nothing is there to go back to
        elif is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.close_editor()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.close_editor()
