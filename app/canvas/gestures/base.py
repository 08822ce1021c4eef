"""What every gesture is: something a user does with the pointer, from the press to the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPainter

if TYPE_CHECKING:
    from app.canvas.view import Canvas

START_DISTANCE = 4.0
"""A press becomes a drag after so many pixels."""


@dataclass(frozen=True)
class Pointer:
    """Where the pointer is: on the widget, in the drawing and on the screen; and the keys that are held."""

    view: QPointF
    scene: QPointF
    screen: QPoint
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier

    def has(self, key: Qt.KeyboardModifier) -> bool:
        """Whether a key is held."""
        return bool(self.keys & key)

    @property
    def pulls(self) -> bool:
        """Whether Alt is held, or Ctrl and Shift, which no window manager takes for moving the window."""
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        return self.has(Qt.KeyboardModifier.AltModifier) or self.keys & both == both


class Gesture:
    """A drag. `move` follows the pointer, `finish` makes the edit, `cancel` leaves everything as it was."""

    cursor = Qt.CursorShape.ArrowCursor
    pans_at_edge = True
    """Whether the view moves on when the pointer comes to its edge."""
    holds = True
    """Whether it has a part of the drawing in the hand, so that an edit made meanwhile, by a key, ends it."""

    def __init__(self, canvas: Canvas, press: Pointer) -> None:
        self.canvas = canvas
        self.press = press

    def start(self) -> None:
        """The button went down."""

    def move(self, pointer: Pointer) -> None:
        """The pointer has moved, or a key was pressed or released."""

    def finish(self, pointer: Pointer) -> None:
        """The button went up."""

    def cancel(self) -> None:
        """The user thought better of it."""

    def paint(self, painter: QPainter) -> None:
        """Paint what is in the hand, over the drawing, in scene coordinates."""

    def has_left(self, pointer: Pointer) -> bool:
        """Whether the pointer has gone far enough to mean a drag."""
        way = pointer.view - self.press.view
        return abs(way.x()) + abs(way.y()) >= START_DISTANCE
