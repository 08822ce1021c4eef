"""How often values occur."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import numbers, theme


class Histogram(QWidget):
    """Painted bars between edges, with zero marked, the bounds written below, and the bin under the pointer above."""

    BELOW, ABOVE = 16, 16

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edges = np.zeros(2)
        self.counts = np.zeros(1)
        self._bin = -1
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_counts(self, edges: np.ndarray, counts: np.ndarray) -> None:
        """Other counts; one more edge than counts."""
        self.edges, self.counts = np.asarray(edges, dtype=float), np.asarray(counts, dtype=float)
        if self.counts.size:
            low, high = self.edges[0], self.edges[-1]
            self.setAccessibleDescription(f"from {numbers.value(low)} to {numbers.value(high)}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(220, 96)

    def minimumSizeHint(self) -> QSize:
        return QSize(100, 56)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        count = self.counts.size
        place = int(event.position().x() / max(1, self.width()) * count)
        self._bin = place if 0 <= place < count else -1
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._bin = -1
        self.update()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        highest = float(self.counts.max()) if self.counts.size else 0.0
        if highest <= 0:
            return
        painter = QPainter(self)
        colours = theme.current()
        room = QRectF(0, self.ABOVE, self.width(), self.height() - self.BELOW - self.ABOVE)
        pitch = room.width() / self.counts.size
        plain, lit = colours.kind("features"), QColor(colours.accent)
        for place, count in enumerate(self.counts):
            if count <= 0:
                continue
            # A lone value among many must not vanish, so no bar is lower than a pixel.
            height = max(1.0, room.height() * count / highest)
            box = QRectF(room.left() + pitch * place, room.bottom() - height, max(1.0, pitch - 1), height)
            painter.fillRect(box, lit if place == self._bin else plain)
        painter.setPen(QPen(QColor(colours.line), 1))
        painter.drawLine(QPointF(room.left(), room.bottom() + 0.5), QPointF(room.right(), room.bottom() + 0.5))
        self._paint_words(painter, room)

    def _paint_words(self, painter: QPainter, room: QRectF) -> None:
        colours = theme.current()
        low, high = float(self.edges[0]), float(self.edges[-1])
        painter.setFont(theme.font(theme.TEXT_TINY, mono=True))
        painter.setPen(QColor(colours.faint))
        below = QRectF(0, room.bottom() + 3, self.width(), self.BELOW - 3)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, numbers.value(low))
        painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, numbers.value(high))
        if low < 0 < high:
            at = room.left() + room.width() * -low / (high - low)
            painter.drawLine(QPointF(at, room.bottom()), QPointF(at, room.bottom() + 3))
            if 48 < at < self.width() - 48:
                painter.drawText(QRectF(at - 12, below.top(), 24, below.height()), Qt.AlignmentFlag.AlignCenter, "0")
        if self._bin >= 0:
            start, end = self.edges[self._bin], self.edges[self._bin + 1]
            share = self.counts[self._bin] / self.counts.sum()
            text = f"{numbers.value(start)} to {numbers.value(end)}: {share:.1%}"
            painter.setPen(QColor(colours.muted))
            above = QRectF(0, 0, self.width(), self.ABOVE - 2)
            painter.drawText(above, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
