"""One bar in parts, such as what memory is used for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app import theme


@dataclass(frozen=True)
class Part:
    """A part of the whole; `colour` as #rrggbb."""

    name: str
    amount: float
    colour: str
    text: str


class StackedBar(QWidget):
    """A painted bar in parts; `mark` is a limit, drawn as a line across, such as the memory of the device."""

    HEIGHT = 16

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts: tuple[Part, ...] = ()
        self.limit: float | None = None
        self.scale = 1.0
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: Sequence[Part], limit: float | None = None, scale: float | None = None) -> None:
        """What the bar is made of; `scale` is what its full width stands for, by default the sum."""
        self.parts = tuple(parts)
        total = sum(part.amount for part in parts)
        self.scale = max(scale or total, total, 1.0)
        self.limit = limit
        self.setAccessibleDescription("; ".join(f"{part.name}: {part.text}" for part in parts))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.current()
        whole = QRectF(0, 2, self.width(), self.height() - 4)
        path = QPainterPath()
        path.addRoundedRect(whole, 3, 3)
        painter.setClipPath(path)
        painter.fillRect(whole, QColor(colours.field))
        for part, left, right in self._spans():
            painter.fillRect(QRectF(left, whole.top(), max(1.0, right - left - 1), whole.height()), QColor(part.colour))
        painter.setClipping(False)
        if self.limit is not None and self.limit <= self.scale:
            at = self.width() * self.limit / self.scale
            painter.setPen(QPen(QColor(colours.error), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(at, 0, at, self.height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            for part, left, right in self._spans():
                if left <= event.pos().x() < right:
                    QToolTip.showText(event.globalPos(), f"{part.name}: {part.text}", self)
            return True
        return super().event(event)

    def _spans(self) -> list[tuple[Part, float, float]]:
        spans: list[tuple[Part, float, float]] = []
        left = 0.0
        for part in self.parts:
            right = left + self.width() * part.amount / self.scale
            if part.amount > 0:
                spans.append((part, left, right))
            left = right
        return spans
