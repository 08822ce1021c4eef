"""What the colours of a picture stand for."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import numbers, theme
from app.widgets.colours import Table, picture_row


class Legend(QWidget):
    """A strip of the colours between the values of its ends, with a mark at the pointed value."""

    def __init__(self, strip: int = 64, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.low, self.high = 0.0, 1.0
        self.pointed: float | None = None
        self._strip = strip
        self._table: Table | None = None
        self.setAccessibleName("Colours")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_range(self, low: float, high: float, table: Table) -> None:
        """What the first and the last colour stand for."""
        self.low, self.high, self._table = low, high, table
        text = f"from {numbers.value(low)} to {numbers.value(high)}"
        self.setAccessibleDescription(text)
        self.setToolTip(f"The colours go {text}")
        self.updateGeometry()
        self.update()

    def point(self, value: float | None) -> None:
        """Mark a value, or none."""
        if value != self.pointed:
            self.pointed = value
            self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(theme.font(theme.TEXT_TINY, mono=True))
        words = metrics.horizontalAdvance(numbers.value(self.low) + numbers.value(self.high))
        return QSize(words + self._strip + 2 * theme.SPACE_2, 16)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._table is None:
            return
        painter = QPainter(self)
        painter.setFont(theme.font(theme.TEXT_TINY, mono=True))
        painter.setPen(QColor(theme.current().faint))
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, numbers.value(self.low)
        )
        painter.drawText(
            self.rect(), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, numbers.value(self.high)
        )
        left = painter.fontMetrics().horizontalAdvance(numbers.value(self.low)) + theme.SPACE_2
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(left, 4, self._strip, 8), picture_row(self._table))
        if self.pointed is not None and self.high > self.low and math.isfinite(self.pointed):
            share = min(max((self.pointed - self.low) / (self.high - self.low), 0.0), 1.0)
            painter.fillRect(QRectF(left + share * self._strip - 1, 2, 2, 12), QColor(theme.current().text))
