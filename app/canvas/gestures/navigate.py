"""Navigate: press or drag on the minimap to look there."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.canvas.gestures.base import Gesture, Pointer


class Navigate(Gesture):
    """Put the middle of the view where the minimap is pressed."""

    cursor = Qt.CursorShape.PointingHandCursor

    def start(self) -> None:
        self._start = (self.canvas.camera.x, self.canvas.camera.y)
        self.move(self.press)

    def move(self, pointer: Pointer) -> None:
        canvas = self.canvas
        middle = canvas.minimap.to_scene(pointer.view)
        camera = canvas.camera
        camera.x = round(canvas.width() / 2 - middle.x() * camera.zoom)
        camera.y = round(canvas.height() / 2 - middle.y() * camera.zoom)
        canvas.view_changed()

    def cancel(self) -> None:
        self.canvas.camera.x, self.canvas.camera.y = self._start
        self.canvas.view_changed()
