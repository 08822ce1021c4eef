"""Pan: the middle button, or Space and the left one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.canvas.gestures.base import Gesture, Pointer

if TYPE_CHECKING:
    from app.canvas.view import Canvas


class Pan(Gesture):
    """Drag the paper."""

    cursor = Qt.CursorShape.ClosedHandCursor
    pans_at_edge = holds = False

    def __init__(self, canvas: Canvas, press: Pointer) -> None:
        super().__init__(canvas, press)
        self._start = (canvas.camera.x, canvas.camera.y)

    def move(self, pointer: Pointer) -> None:
        camera, way = self.canvas.camera, pointer.view - self.press.view
        self.canvas.scroll_view(round(self._start[0] + way.x()) - camera.x, round(self._start[1] + way.y()) - camera.y)

    def cancel(self) -> None:
        camera = self.canvas.camera
        self.canvas.scroll_view(self._start[0] - camera.x, self._start[1] - camera.y)
