"""A line to type in that says more than its text: a word before it, a muted remark after it, and what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app import theme

_STEPS = {
    Qt.Key.Key_Up: 1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_PageUp: 10,
    Qt.Key.Key_PageDown: -10,
}

READABLE = 0.6
"""How much of a remark has to be there for it to be shown: less than that says nothing."""


class Field(QLineEdit):
    """A line edit.

    Signals:
        stepped: an arrow or page key asks for the next value; carries by how many steps.
        begun: it has the keyboard; ended: it has lost it, or Return was pressed.
        dismissed: Escape was pressed.
    """

    stepped = Signal(int)
    begun = Signal()
    ended = Signal()
    dismissed = Signal()

    def __init__(self, text: str = "", *, mono: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.leading = ""
        self.trailing = ""
        self._right = 0
        self._inset = 0
        if mono:
            self.setProperty("role", "number")
        self.returnPressed.connect(self.ended)

    def set_remarks(self, trailing: str = "", leading: str = "") -> None:
        """The muted words at the right, which give way to the text, and at the left."""
        if (trailing, leading) == (self.trailing, self.leading):
            return
        self.trailing = trailing
        if leading != self.leading:
            self.leading = leading
            self._inset = self._metrics().horizontalAdvance(leading) + theme.SPACE_2 if leading else 0
            self.setTextMargins(self._inset, 0, self._right, 0)
        self.update()

    def keep_free(self, right: int) -> None:
        """Leave room at the right edge for a button."""
        self._right = right
        self.setTextMargins(self._inset, 0, right, 0)

    def set_fault(self, faulty: bool) -> None:
        """Draw the border of a field whose text will not do."""
        self._set_look("state", "error" if faulty else "")

    def set_quiet(self, quiet: bool) -> None:
        """Grey text, for a value that was not set here."""
        self._set_look("tone", "quiet" if quiet else "")

    def _set_look(self, name: str, value: str) -> None:
        """Set a property that the style sheet looks at."""
        if (self.property(name) or "") != value:
            self.setProperty(name, value)
            self.style().unpolish(self)
            self.style().polish(self)
            self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._passes_on(event):
            event.ignore()
            return True
        return super().event(event)

    def _passes_on(self, event: QKeyEvent) -> bool:
        """Whether a key is to undo or redo steps of the drawing, since nothing was typed here that it could undo."""
        undo, redo = event.matches(QKeySequence.StandardKey.Undo), event.matches(QKeySequence.StandardKey.Redo)
        return (undo and not self.isUndoAvailable()) or (redo and not self.isRedoAvailable())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None:
            far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(step * 10 if far else step)
        elif event.key() == Qt.Key.Key_Escape:
            self.dismissed.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.begun.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.ended.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not (self.trailing or self.leading):
            return
        painter = QPainter(self)
        painter.setFont(theme.font(theme.TEXT_TINY))
        painter.setPen(QColor(theme.current().faint))
        metrics = self._metrics()
        inside = self.rect().adjusted(9, 0, -9 - self._right, 0)
        if self.leading:
            painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.leading)
        used = QFontMetrics(self.font()).horizontalAdvance(self.text() or self.placeholderText())
        room = inside.width() - self._inset - used - theme.SPACE_4
        words = metrics.elidedText(self.trailing, Qt.TextElideMode.ElideRight, room)
        if len(words) > READABLE * len(self.trailing):
            area = QRect(inside.right() - room + 1, inside.top(), room, inside.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    @staticmethod
    def _metrics() -> QFontMetrics:
        return QFontMetrics(theme.font(theme.TEXT_TINY))
