"""Navigate: press or drag on the minimap to look there; its frame is taken hold of where it is pressed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt

from app.canvas.gestures.base import Gesture, Pointer


class Navigate(Gesture):
    """Put the middle of the view where the minimap is pressed."""

    cursor = Qt.CursorShape.PointingHandCursor
    pans_at_edge = holds = False

    def start(self) -> None:
        canvas = self.canvas
        self._start = (canvas.camera.x, canvas.camera.y)
        frame = canvas.minimap.frame(canvas.camera, canvas.size())
        is_all = frame.contains(canvas.minimap.rect)
        self._grip = self.press.view - frame.center() if frame.contains(self.press.view) and not is_all else QPointF()
        self.move(self.press)

    def move(self, pointer: Pointer) -> None:
        canvas = self.canvas
        middle = canvas.minimap.to_scene(pointer.view - self._grip)
        camera = canvas.camera
        camera.x = round(canvas.width() / 2 - middle.x() * camera.zoom)
        camera.y = round(canvas.height() / 2 - middle.y() * camera.zoom)
        canvas.view_changed()

    def cancel(self) -> None:
        self.canvas.camera.x, self.canvas.camera.y = self._start
        self.canvas.view_changed()
