"""What is dragged over the canvas from the palette, the desktop or another program."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

from app.canvas.commenting import Commenting
from app.canvas.edge_pan import EdgePan
from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.drop import Drop
from app.files.carried import take_copy


class Receiving(Commenting):
    """A surface that things can be dropped on."""

    _edge_pan: EdgePan
    _keys: Qt.KeyboardModifier

    def begin(self, gesture: Gesture) -> None:
        """Let a gesture go on until it is finished or given up."""
        raise NotImplementedError

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        drop = Drop(self, self._drop_pointer(event), event.mimeData())
        if drop.is_welcome:
            self.begin(drop)
            drop.move(self._drop_pointer(event))
            take_copy(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if isinstance(self.gesture, Drop):
            self.pointer = event.position()
            self.gesture.move(self._drop_pointer(event))
            self._edge_pan.follow(self._drop_pointer(event))
            take_copy(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.abandon()

    def dropEvent(self, event: QDropEvent) -> None:
        if isinstance(self.gesture, Drop):
            self._edge_pan.stop()
            gesture, self.gesture = self.gesture, None
            gesture.finish(self._drop_pointer(event))
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            take_copy(event)

    def _drop_pointer(self, event: QDropEvent) -> Pointer:
        point, self._keys = event.position(), event.modifiers()
        return Pointer(point, self.map_to_scene(point), self.mapToGlobal(point.toPoint()), self._keys)
