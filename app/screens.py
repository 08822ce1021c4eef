"""What of a screen a window may take."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

FRAME = 8
"""About what the system's frame takes at a side; its title takes four times that."""


def room_beside(window: QWidget) -> QRect:
    """Where the inside of another window may be, on the screen of this one."""
    return window.screen().availableGeometry().adjusted(FRAME, 4 * FRAME, -FRAME, -FRAME)
