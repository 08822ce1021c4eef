"""A list to pick one word from."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter

LEAST = 72


class Combo(QComboBox):
    """A combo box that a passing wheel does not change; where there is little room its word ends in …."""

    def shown_text(self) -> str:
        """The word, as far as there is room."""
        option = self._option()
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        words, metrics = option.currentText, self.fontMetrics()
        fits = metrics.horizontalAdvance(words) <= room
        return words if fits else metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown_text()
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), LEAST), hint.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
