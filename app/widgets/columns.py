"""Parts side by side; where there is no room for that, one below the other in something that scrolls."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QWidget

from app import theme

NARROW = 520
"""Pixels below which parts stand one below the other."""
MOST = 16777215
"""What Qt takes for no limit."""


@dataclass(frozen=True)
class Column:
    """A part: its share of the width, or its own width, beside others; its least height below others."""

    widget: QWidget
    stretch: int = 0
    width: int = 0
    height: int = 0


class Columns(QScrollArea):
    """Lays parts out by its own size. Whether a part is shown at all is left to who made it.

    Args:
        columns: the parts.
        margins: the room around them.
        narrow: the width below which they stand one below the other.
        tall: the height that they need for that; with less they stay side by side.

    Signals:
        turned: the parts stand otherwise now; carries whether they are stacked.
    """

    turned = Signal(bool)

    def __init__(
        self, columns: tuple[Column, ...], margins: tuple[int, int, int, int], *, narrow: int = NARROW, tall: int = 0
    ) -> None:
        super().__init__()
        self._narrow, self._tall = narrow, tall
        self.columns = columns
        self.is_stacked = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._box.setContentsMargins(*margins)
        self._box.setSpacing(theme.SPACE_6)
        for column in columns:
            self._box.addWidget(column.widget, column.stretch)
        self.setWidget(content)
        self._lay_out()

    def set_width(self, widget: QWidget, width: int) -> None:
        """Give a part a width for when parts stand side by side."""
        self.columns = tuple(
            Column(one.widget, one.stretch, width, one.height) if one.widget is widget else one for one in self.columns
        )
        if not self.is_stacked:
            widget.setFixedWidth(width)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # parts give way, so they must not hold up what they lie in

    def resizeEvent(self, event: QResizeEvent) -> None:
        stacked = self.width() < self._narrow and self.height() >= self._tall
        if stacked != self.is_stacked:
            self.is_stacked = stacked
            self._lay_out()
            self.turned.emit(stacked)
        super().resizeEvent(event)

    def _lay_out(self) -> None:
        stacked = self.is_stacked
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._box.setDirection(down if stacked else across)
        for place, column in enumerate(self.columns):
            self._box.setStretch(place, 1 if stacked and column.height else 0 if stacked else column.stretch)
            column.widget.setMinimumHeight(column.height if stacked else 0)
            fixed = 0 if stacked else column.width
            column.widget.setMinimumWidth(fixed)
            column.widget.setMaximumWidth(fixed or MOST)
