"""Wheel and touch pad: a wheel zooms where the pointer is, two fingers move, a pinch zooms by as much as it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputDevice, QNativeGestureEvent, QWheelEvent

if TYPE_CHECKING:
    from app.canvas.view import Canvas

PER_STEP = 1.0015
"""How much an eighth of a degree of the wheel zooms."""
LEAST_PINCH = 0.5


def turn_wheel(canvas: Canvas, event: QWheelEvent) -> None:
    """Zoom or move as a turn of the wheel or a stroke on a touch pad asks for."""
    turn, keys = event.angleDelta(), event.modifiers()
    if keys & Qt.KeyboardModifier.ControlModifier:
        _zoom(canvas, event, turn.y() or turn.x())
    elif _is_stroke(event):
        way = event.pixelDelta() if not event.pixelDelta().isNull() else QPoint(_half(turn.x()), _half(turn.y()))
        canvas.scroll_view(way.x(), way.y())
    elif keys & Qt.KeyboardModifier.ShiftModifier:
        canvas.scroll_view(_half(turn.y() or turn.x()), 0)
    elif turn.x() and not turn.y():
        canvas.scroll_view(_half(turn.x()), 0)
    else:
        _zoom(canvas, event, turn.y())


def pinch(canvas: Canvas, event: QNativeGestureEvent) -> bool:
    """Zoom or move as two fingers ask for; false for what they do otherwise."""
    kind = event.gestureType()
    if kind == Qt.NativeGestureType.ZoomNativeGesture:
        canvas.zoom_at(event.position(), max(LEAST_PINCH, 1 + event.value()))
    elif kind == Qt.NativeGestureType.PanNativeGesture:
        canvas.scroll_view(round(event.delta().x()), round(event.delta().y()))
    else:
        return False
    return True


def _zoom(canvas: Canvas, event: QWheelEvent, turn: int) -> None:
    if turn:
        canvas.zoom_at(event.position(), PER_STEP**turn)


def _is_stroke(event: QWheelEvent) -> bool:
    """Whether fingers are on a pad: the platform says so by phases, or by the kind of the device."""
    if event.phase() != Qt.ScrollPhase.NoScrollPhase and not event.pixelDelta().isNull():
        return True
    device = event.device()
    return device is not None and device.type() == QInputDevice.DeviceType.TouchPad


def _half(turn: int) -> int:
    return round(turn / 2)
