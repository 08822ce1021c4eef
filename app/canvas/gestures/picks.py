"""Which gesture on wires a press begins, by its button and the keys that are held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.lead import LeadWires
from app.canvas.gestures.stroke import Bend, Cut
from app.canvas.gestures.wire import DragWire

if TYPE_CHECKING:
    from app.canvas.geometry import PortPlace
    from app.canvas.view import Canvas

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


def with_right_button(canvas: Canvas, pointer: Pointer) -> Gesture | None:
    """Ctrl cuts the wires that are crossed, Shift puts dots on them; None is the menu."""
    if pointer.has(CTRL):
        return Cut(canvas, pointer)
    return Bend(canvas, pointer) if pointer.has(SHIFT) else None


def on_port(canvas: Canvas, pointer: Pointer, place: PortPlace) -> Gesture | None:
    """A wire is drawn or taken off; Ctrl takes all wires of the port; Alt, or Ctrl and Shift, breaks them."""
    if pointer.pulls:
        canvas.break_wires(place.node, place.port, is_input=place.is_input)
        return None
    return LeadWires(canvas, pointer, place) if pointer.has(CTRL) else DragWire(canvas, pointer, place)
