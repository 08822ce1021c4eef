"""Tabs as plain words, the chosen one underlined, each with a quiet badge."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QWidget

from app import theme

HEIGHT, GAP = 36, 28
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class TabBar(QTabBar):
    """A row of tabs; `tabText` is the title alone, the badge is kept beside it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDrawBase(False)
        self.setFixedHeight(HEIGHT)  # a layout inside a layout keeps the hint of a bar that has no tabs yet
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._badges: dict[int, str] = {}

    def show_badge(self, index: int, badge: str) -> None:
        """Say something quietly after a title."""
        if self._badges.get(index, "") != badge:
            self._badges[index] = badge
            self.setAccessibleTabName(index, f"{self.tabText(index)} {badge}".strip())
            self.setTabToolTip(index, "")
            self.setTabText(index, self.tabText(index))  # so that the tabs take their places anew
            self.updateGeometry()

    def clear_badges(self) -> None:
        """Say nothing after any title."""
        self._badges.clear()

    def badge(self, index: int) -> str:
        """What is said after a title."""
        return self._badges.get(index, "")

    def tabSizeHint(self, index: int) -> QSize:
        strong = QFontMetrics(theme.font(weight=QFont.Weight.DemiBold))
        width = strong.horizontalAdvance(self.tabText(index)) + GAP
        badge = self.badge(index)
        if badge:
            width += QFontMetrics(theme.font()).horizontalAdvance(badge) + 8
        return QSize(width, HEIGHT)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        under = self.mapFromGlobal(self.cursor().pos())
        for index in range(self.count()):
            if not self.isTabVisible(index):
                continue
            area = self.tabRect(index)
            chosen = index == self.currentIndex()
            hovered = area.contains(under) and self.underMouse()
            painter.setFont(theme.font(weight=QFont.Weight.DemiBold if chosen else QFont.Weight.Normal))
            painter.setPen(QColor(look.text if chosen or hovered else look.muted))
            words = area.adjusted(GAP // 2, 0, 0, 0)
            painter.drawText(words, _LEFT, self.tabText(index))
            width = painter.fontMetrics().horizontalAdvance(self.tabText(index))
            badge = self.badge(index)
            if badge:
                painter.setFont(theme.font())
                painter.setPen(QColor(look.muted))
                painter.drawText(words.adjusted(width + 8, 0, 0, 0), _LEFT, badge)
                width += 8 + painter.fontMetrics().horizontalAdvance(badge)
            if chosen:
                line = QRectF(words.left(), area.bottom() - 1, width, 2)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(look.accent))
                painter.drawRoundedRect(line, 1, 1)
                if self.hasFocus():
                    painter.setPen(QColor(look.accent))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRoundedRect(QRectF(area).adjusted(6, 5, -6, -5), 4, 4)
        painter.end()
