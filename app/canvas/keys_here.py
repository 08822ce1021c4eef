"""Keys go where the pointer goes, as in other node editors, unless something is being written elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit

if TYPE_CHECKING:
    from app.canvas.view import Canvas

WRITING = (QLineEdit, QTextEdit, QPlainTextEdit, QAbstractSpinBox, QComboBox)


class KeysHere:
    """Takes the focus when the pointer comes from elsewhere; one that rests on the canvas leaves it to the keyboard."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._has_come = False

    def come(self) -> None:
        """The pointer comes from elsewhere, or what lay over the canvas has gone."""
        self._has_come = True

    def move(self) -> None:
        """The pointer is moved by hand."""
        has_come, self._has_come = self._has_come, False
        other = QApplication.focusWidget()
        if not has_come or other is None or other is self._canvas or isinstance(other, WRITING):
            return
        if other.window() is self._canvas.window() and not self._canvas.isAncestorOf(other):
            self._canvas.setFocus(Qt.FocusReason.MouseFocusReason)
