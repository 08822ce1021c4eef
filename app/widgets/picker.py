"""A place on an axis."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QWidget

from app.widgets.field import Field


class IndexPicker(Field):
    """A small field for an index from 0 to `count` - 1; arrow keys and the wheel step. `picked` is the user's doing."""

    picked = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__("0", parent=parent)
        self.index, self.count = 0, 1
        self.name = ""
        self.setProperty("compact", "yes")
        self.show_axis(name, 1, 0)
        self.textEdited.connect(self._type)
        self.stepped.connect(self._step)
        self.ended.connect(self._tidy)
        self.dismissed.connect(self._tidy)

    def show_axis(self, name: str, count: int, index: int) -> None:
        """Which axis it is, how long, and where it stands."""
        self.name, self.count, self.index = name, count, min(index, count - 1)
        self.setAccessibleName(f"{name}, 0 to {count - 1}")
        self.setToolTip(f"Which {name} to show, from 0 to {count - 1}; arrow keys step")
        self.set_remarks(f"of {count}", name)
        if not self.hasFocus():
            self.setText(str(self.index))
        digits = self.fontMetrics().horizontalAdvance("0") * max(2, len(str(count)))
        words = self._metrics().horizontalAdvance(f"{name}of {count}")
        self.setFixedWidth(digits + words + 52)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._step(1 if event.angleDelta().y() > 0 else -1)
        event.accept()

    def _type(self, text: str) -> None:
        index = int(text) if text.strip().isdecimal() else -1
        self.set_fault(not 0 <= index < self.count)
        if 0 <= index < self.count:
            self._go(index)

    def _step(self, steps: int) -> None:
        index = min(max(self.index + steps, 0), self.count - 1)
        self.setText(str(index))
        self.set_fault(False)
        self._go(index)

    def _go(self, index: int) -> None:
        if index != self.index:
            self.index = index
            self.picked.emit(index)

    def _tidy(self) -> None:
        self.set_fault(False)
        self.setText(str(self.index))
