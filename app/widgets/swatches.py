"""A row of colours, two where there is little room, one of which may be taken."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from app.tags import NONE, TAGS, dot

SIDE = 24
STEPS = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}


class Swatches(QWidget):
    """The colour tags as dots, and a ring for none; arrow keys go from one to the next.

    `chosen` carries the name of a tag, or nothing for none, and only follows a click or key.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("colour")
        self.buttons: dict[str, QToolButton] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(0)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name in ("", *TAGS):
            button = QToolButton()
            button.setProperty("role", "icon")
            button.setIconSize(QSize(16, 16))
            button.setFixedSize(SIDE, SIDE)
            button.setCheckable(True)
            button.setToolTip(name.capitalize() or "No colour")
            button.setAccessibleName(f"colour: {name or NONE}")
            button.clicked.connect(lambda _checked=False, name=name: self._take(name))
            button.installEventFilter(self)
            self.buttons[name] = button
        self._columns, self._half = 0, (len(self.buttons) + 1) // 2
        self._arrange(self._half)
        self._shown: str | None = ""
        self._paint_dots()

    def show_colour(self, name: str | None) -> None:
        """The colour that is taken; None where several things have different ones."""
        self._shown = name
        for tag, button in self.buttons.items():
            button.setChecked(tag == name)
        self.setAccessibleDescription("several colours" if name is None else name or NONE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        count = len(self.buttons)
        self._arrange(count if self.width() >= count * SIDE else self._half)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._half * SIDE, super().minimumSizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "buttons"):
            self._paint_dots()

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = STEPS.get(Qt.Key(event.key()))
            buttons = list(self.buttons.values())
            if step is not None and watched in buttons:
                buttons[(buttons.index(watched) + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return super().eventFilter(watched, event)  # type: ignore[arg-type]

    def _take(self, name: str) -> None:
        shown = self._shown
        self.show_colour(shown)  # what is shown follows the document, not the click
        if name != shown:
            self.chosen.emit(name)

    def _arrange(self, columns: int) -> None:
        if columns != self._columns:
            self._columns = columns
            for place, button in enumerate(self.buttons.values()):
                self._grid.addWidget(button, place // columns, place % columns)

    def _paint_dots(self) -> None:
        for name, button in self.buttons.items():
            button.setIcon(dot(name))
