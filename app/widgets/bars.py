"""Rows of a label, a bar and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme


@dataclass(frozen=True)
class Bar:
    """One row: its share from 0 to 1 and the figure that says it exactly."""

    name: str
    share: float
    value: str


class Bars(QWidget):
    """A painted list of bars; it shows as many rows as there is room for."""

    ROW = 22

    def __init__(self, name: str, *, mono_names: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bars: tuple[Bar, ...] = ()
        self._mono_names = mono_names
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_bars(self, bars: Sequence[Bar]) -> None:
        """What the rows say."""
        bars = tuple(bars)
        if bars == self.bars:
            return
        self.bars = bars
        self.setAccessibleDescription("; ".join(f"{bar.name}: {bar.value}" for bar in bars))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, self.ROW * max(1, len(self.bars)))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.ROW)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.current()
        words = theme.font(theme.TEXT_SMALL, mono=self._mono_names)
        numbers = theme.font(theme.TEXT_SMALL, mono=True)
        word_metrics, number_metrics = QFontMetrics(words), QFontMetrics(numbers)
        shown = self.bars[: max(1, self.height() // self.ROW)]
        wish = 1 + max((word_metrics.horizontalAdvance(bar.name) for bar in shown), default=0)  # widths are rounded
        names = min(max(wish, 56), int(self.width() * 0.4))
        values = max((number_metrics.horizontalAdvance(bar.value) for bar in shown), default=0)
        start = names + theme.SPACE_4
        room = self.width() - start - values - theme.SPACE_4
        for row, bar in enumerate(shown):
            area = QRect(0, row * self.ROW, self.width(), self.ROW)
            painter.setFont(words)
            painter.setPen(QColor(colours.muted))
            name = word_metrics.elidedText(bar.name, Qt.TextElideMode.ElideRight, names)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
            if room > 8 and bar.share > 0:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours.kind("features"))
                width = max(2.0, room * min(bar.share, 1.0))
                painter.drawRoundedRect(QRectF(start, area.center().y() - 4, width, 9), 2, 2)
            painter.setFont(numbers)
            painter.setPen(QColor(colours.text))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, bar.value)
