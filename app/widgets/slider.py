"""A slim slider."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from app import theme


class Slider(QAbstractSlider):
    """A horizontal slider that goes where it is clicked; `sliderPressed` and `sliderReleased` bound a drag."""

    KNOB = 6

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(80, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = theme.current()
        middle = self.height() / 2
        at = self._place()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.line))
        painter.drawRoundedRect(QRectF(0, middle - 2, self.width(), 4), 2, 2)
        tone = QColor(colours.accent if self.isEnabled() else colours.faint)
        painter.setBrush(tone)
        painter.drawRoundedRect(QRectF(0, middle - 2, at, 4), 2, 2)
        painter.setPen(QPen(QColor(colours.panel), 2))
        painter.setBrush(QColor(colours.text) if self.hasFocus() else tone)
        painter.drawEllipse(QRectF(at - self.KNOB, middle - self.KNOB, 2 * self.KNOB, 2 * self.KNOB))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls; a wheel that passes by changes nothing

    def _place(self) -> float:
        span = max(1, self.maximum() - self.minimum())
        inner = self.width() - 2 * self.KNOB
        return self.KNOB + inner * (self.value() - self.minimum()) / span

    def _go(self, event: QMouseEvent) -> None:
        inner = max(1, self.width() - 2 * self.KNOB)
        share = min(max((event.position().x() - self.KNOB) / inner, 0.0), 1.0)
        self.setValue(round(self.minimum() + share * (self.maximum() - self.minimum())))
