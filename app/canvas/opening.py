"""What a double click opens: a group, a title, a value, a note; a dot on a wire, and the search on empty ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.canvas.repeating import edit_repeat, is_on_times
from graph.layout import FIRST_ROW, HEADER, ROW

if TYPE_CHECKING:
    from app.canvas.gestures.base import Pointer
    from app.canvas.view import Canvas


def open_under(canvas: Canvas, pointer: Pointer) -> None:
    """Open what is under the pointer."""
    id = canvas.node_at(pointer.scene)
    if id is not None:
        _open_node(canvas, id, pointer)
        return
    wire, hit = canvas.hover.wire_under(pointer.scene), canvas.comment_at(pointer.scene)
    if wire is not None:
        canvas.add_dot(wire, pointer.scene)
    elif hit is not None:
        canvas.edit_comment(hit[0].id)
    else:
        canvas.search_requested.emit(pointer.scene, pointer.screen)


def _open_node(canvas: Canvas, id: str, pointer: Pointer) -> None:
    geometry = canvas.geometry_of
    value = canvas.value_at(id, pointer.scene)
    if value is not None and canvas.is_switch(id, value):
        return  # its first click has turned it
    row = geometry.index[id]
    box, top = geometry.boxes[row], float(geometry.rects[row, 1])
    height = pointer.scene.y() - top
    if geometry.nodes[row].is_group and is_on_times(canvas, id, pointer.scene):
        edit_repeat(canvas, id)
    elif geometry.nodes[row].is_group:
        canvas.session.enter((*canvas.session.at, id))
    elif height < HEADER - 4 or not box.rows:
        canvas.edit_title(id)
    else:
        canvas.edit_row(id, min(len(box.rows) - 1, max(0, round((height - FIRST_ROW) / ROW))))
