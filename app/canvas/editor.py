"""The one floating field of the canvas: titles and values are edited in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QFont, QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from app.canvas.fault_sheet import FaultSheet
from app.canvas.ink import ink


class FloatingEditor(QLineEdit):
    """A line to type in. Enter keeps what was typed, Esc and a refusal do not; leaving it is like Enter."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._keep: Callable[[str], bool] | None = None
        self._first = ""
        self._onward: Callable[[int], None] | None = None
        self._offered = ""
        self.sheet = FaultSheet(self)
        self.sheet.taken.connect(self._take_offer)
        self.textEdited.connect(lambda _text: self._mark(""))

    @property
    def is_open(self) -> bool:
        """Whether something is being edited."""
        return self._keep is not None

    def open(
        self,
        place: QRectF,
        font: QFont,
        text: str,
        keep: Callable[[str], bool],
        name: str,
        words: Iterable[str] = (),
        onward: Callable[[int], None] | None = None,
    ) -> None:
        """Begin to edit.

        Args:
            place: where, on the parent.
            font: how it is set there.
            text: what is there now.
            keep: takes what was typed; false when it will not do.
            name: what is edited, for assistive technology.
            words: what may be typed, where that is a choice.
            onward: edits what comes next (1, on Tab) or before (-1), once this will do.
        """
        look = ink().theme
        self.setStyleSheet(
            f"QLineEdit {{ background: {look.field}; border: 1px solid {look.accent}; border-radius: 4px;"
            f" padding: 0 5px; min-height: 0; font-size: {font.pixelSize()}px; font-weight: {font.weight()};"
            f' font-family: "{font.family()}"; }} QLineEdit[state="error"] {{ border: 1px solid {look.error}; }}'
        )
        options = list(words)
        completer = QCompleter(options, self) if options else None
        if completer is not None:
            completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.setCompleter(completer)
        self.setFont(font)
        self._mark("")
        self.setAccessibleName(name)
        self.setGeometry(place.toAlignedRect())
        self.setText(text)
        self.selectAll()
        self._keep, self._first, self._onward = keep, text, onward
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def explain(self, sentence: str, offered: str = "") -> None:
        """Say under the field why what was typed will not do, and offer a text that would."""
        self._offered = offered
        self.sheet.say(sentence, f"Set it to {offered}" if offered else "", self.geometry())

    def close_editor(self, *, keep: bool = True) -> None:
        """End editing; with `keep` what was typed is taken, if it will do."""
        if self._keep is None:
            return
        take, self._keep = self._keep, None
        self._onward = None
        self.sheet.hide()
        if keep and self.text() != self._first:
            take(self.text())
        parent = self.parentWidget()
        if parent is not None and self.hasFocus():
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_editor(keep=False)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier and self.sheet.has_offer:
                self._take_offer()
            else:
                self._try()
        elif event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._go(1 if event.key() == Qt.Key.Key_Tab and not event.modifiers() else -1)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.close_editor()

    def event(self, event: QEvent) -> bool:
        tabs = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in tabs:
            self.keyPressEvent(event)  # before Qt takes it for moving on to the next widget
            return True
        return super().event(event)

    def _go(self, step: int) -> None:
        """Take what was typed, and go on to what comes next."""
        onward = self._onward
        self._try()
        if not self.is_open and onward is not None:
            onward(step)

    def _take_offer(self) -> None:
        """Take the text that would do in place of what was typed."""
        self.setText(self._offered)
        self._try()

    def _try(self) -> None:
        """Take what was typed; stay open when it will not do."""
        take = self._keep
        if take is None:
            return
        if self.text() == self._first or take(self.text()):
            self.close_editor(keep=False)
        else:
            self._mark("error")
            self.selectAll()

    def _mark(self, state: str) -> None:
        if not state:
            self.sheet.hide()
        if self.property("state") != state:
            self.setProperty("state", state)
            self.style().unpolish(self)
            self.style().polish(self)
