"""A window of panels beside the main one: it has the system's frame, and goes where the main window goes."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.docking.group import Group
from app.docking.layout import Float
from app.screens import room_beside

SEEN = 48
"""Pixels of a window that must be on a screen, so that it can be taken hold of."""


class FloatWindow(QWidget):
    """The window.

    Signals:
        moved: it has another place or size, which its `float` holds.
        dismissed: its frame's cross was pressed.
    """

    moved = Signal()
    dismissed = Signal()

    def __init__(self, one: Float, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Tool)
        self.float = one
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_MacAlwaysShowToolWindow)
        self.setObjectName("floatWindow")
        self.group = Group(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.group)
        self._follows = False
        self.setGeometry(QRect(*one.rect))

    def bring(self, rect: QRect) -> None:
        """Put the window somewhere."""
        self.float.rect = (rect.left(), rect.top(), rect.width(), rect.height())
        self.setGeometry(rect)

    def present(self) -> None:
        """Show the window, on a screen that is there."""
        if not self.isVisible():
            self.bring(within_screens(QRect(*self.float.rect), self.parentWidget()))
            self.show()
        self._follows = True

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            QCoreApplication.sendEvent(self.parentWidget(), event)  # its keys are those of the main window
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if event.spontaneous():
            self.dismissed.emit()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._note()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._note()

    def _note(self) -> None:
        if self._follows and self.isVisible():
            rect = self.geometry()
            self.float.rect = (rect.left(), rect.top(), rect.width(), rect.height())
            self.moved.emit()


def within_screens(rect: QRect, window: QWidget) -> QRect:
    """A window's rectangle so that it can be seen and taken hold of; one whose screen is gone comes to this window."""
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(rect)
        top_is_seen = seen.top() <= max(rect.top(), screen.availableGeometry().top()) and seen.height() >= SEEN
        if seen.width() >= SEEN and top_is_seen:
            return _into(rect, screen.availableGeometry()) if seen != rect else rect
    room = window.screen().availableGeometry()
    size = rect.size().boundedTo(room.size())
    corner = window.frameGeometry().center() - QPoint(size.width() // 2, size.height() // 2)
    return _into(QRect(corner, size), room)


def wholly_seen(rect: QRect, window: QWidget) -> QRect:
    """A rectangle moved so that all of it is on the screen of this window, with room for a frame."""
    room = room_beside(window)
    size = rect.size().boundedTo(room.size())
    left = max(room.left(), min(rect.left(), room.right() - size.width()))
    return QRect(QPoint(left, max(room.top(), min(rect.top(), room.bottom() - size.height()))), size)


def _into(rect: QRect, room: QRect) -> QRect:
    """Keep the upper edge, and a piece of the width, on a screen."""
    size = rect.size().boundedTo(room.size())
    left = max(room.left() - size.width() + SEEN, min(rect.left(), room.right() - SEEN))
    top = max(room.top(), min(rect.top(), room.bottom() - SEEN))
    return QRect(QPoint(left, top), size)
