"""The view moves on while something is dragged to its edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from app.canvas.gestures.base import Gesture, Pointer
    from app.canvas.view import Canvas

MARGIN = 24.0
"""So close to the edge the view begins to move."""
SLOWEST, FASTEST = 2.0, 20.0
"""Pixels in each step, at the beginning of the margin and as far beyond the edge as it is wide."""
STEP = 16
"""Milliseconds from step to step."""


class EdgePan:
    """Moves the view in steps, as long as the pointer is at the edge.

    What is taken hold of at the edge does not set it off: the pointer must have been further inside before.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._gesture: Gesture | None = None
        self._has_been_inside = False
        self._timer = QTimer(canvas)
        self._timer.setInterval(STEP)
        self._timer.timeout.connect(self._step)

    def follow(self, pointer: Pointer) -> None:
        """The pointer drags something."""
        gesture = self._canvas.gesture
        if gesture is not self._gesture:
            self._gesture, self._has_been_inside = gesture, False
        if gesture is None or not gesture.pans_at_edge:
            self.stop()
        elif self._way(pointer.view.x(), pointer.view.y()) == (0, 0):
            self._has_been_inside = True
            self._timer.stop()
        elif self._has_been_inside and not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Nothing is dragged any more."""
        self._timer.stop()
        self._gesture = None

    def _step(self) -> None:
        canvas = self._canvas
        way = self._way(canvas.pointer.x(), canvas.pointer.y())
        if canvas.gesture is None or way == (0, 0):
            self.stop()
            return
        canvas.scroll_view(*way)
        canvas.follow_view()

    def _way(self, x: float, y: float) -> tuple[int, int]:
        return _push(x, self._canvas.width()), _push(y, self._canvas.height())


def _push(place: float, size: float) -> int:
    """How far the view moves for a pointer at a place between 0 and a size."""
    margin = min(MARGIN, size / 4)
    deep = margin - place if place < margin else place - (size - margin) if place > size - margin else 0.0
    if deep <= 0:
        return 0
    speed = min(FASTEST, SLOWEST + (FASTEST - SLOWEST) * deep / (2 * margin))
    return round(speed if place < margin else -speed)
