"""Rows of a name at the left and a figure at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app import theme


@dataclass(frozen=True)
class Figure:
    """One row; `tone` is a colour of the theme, `hint` the tooltip, `swatch` the colour of a mark before the name."""

    name: str
    value: str
    hint: str = ""
    tone: str = "text"
    swatch: str = ""


class Figures(QWidget):
    """A painted list of figures, as high as its rows; a name gives way before a figure does."""

    ROW = 22

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figures: tuple[Figure, ...] = ()
        self._title = name
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """What the rows say."""
        figures = tuple(figures)
        if figures == self.figures:
            return
        if len(figures) != len(self.figures):
            self.updateGeometry()
        self.figures = figures
        self.setAccessibleDescription("; ".join(f"{figure.name}: {figure.value}" for figure in figures))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, self.ROW * len(self.figures))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.ROW * len(self.figures))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colours = theme.current()
        names, numbers = theme.font(theme.TEXT_SMALL), theme.font(theme.TEXT_SMALL, mono=True)
        name_metrics, number_metrics = QFontMetrics(names), QFontMetrics(numbers)
        for row, figure in enumerate(self.figures):
            area = QRect(0, row * self.ROW, self.width(), self.ROW)
            wanted = number_metrics.horizontalAdvance(figure.value) + 1
            room = max(area.width() - wanted - theme.SPACE_2, min(56, area.width() // 3))
            painter.setFont(numbers)
            painter.setPen(QColor(getattr(colours, figure.tone)))
            value = number_metrics.elidedText(
                figure.value, Qt.TextElideMode.ElideRight, area.width() - room - theme.SPACE_2
            )
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, value)
            if figure.swatch:
                painter.fillRect(QRect(0, area.center().y() - 3, 8, 8), QColor(figure.swatch))
                area, room = area.adjusted(16, 0, 0, 0), room - 16
            painter.setFont(names)
            painter.setPen(QColor(colours.muted))
            name = name_metrics.elidedText(figure.name, Qt.TextElideMode.ElideRight, room)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            self._show_hint(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _show_hint(self, at: QPoint, where: QPoint) -> None:
        row = at.y() // self.ROW
        if 0 <= row < len(self.figures):
            figure = self.figures[row]
            QToolTip.showText(where, figure.hint or f"{figure.name}: {figure.value}", self)
