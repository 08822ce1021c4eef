"""What the right button and the menu key ask about: a port, a wire, nodes, what is written, or the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF
from PySide6.QtGui import QContextMenuEvent

from app.canvas.arrays import PortPlace
from graph.layout import HEADER

if TYPE_CHECKING:
    from app.canvas.view import Canvas

Asked = PortPlace | Literal["wire", "nodes", "written", "ground"]


def take(canvas: Canvas, scene: QPointF) -> None:
    """Select what the right button has gone down on, unless it is selected; the ground leaves all as it is."""
    session = canvas.session
    place, id = canvas.hover.port_under(scene), canvas.node_at(scene)
    wire = canvas.hover.wire_under(scene) if place is None and id is None else None
    hit = canvas.comment_at(scene) if place is None and id is None and wire is None else None
    if id is not None and place is None and id not in session.selection:
        session.select([id])
    elif hit is not None and hit[0].id not in session.comments:
        session.select((), [hit[0].id])
    elif wire is not None:
        session.select(())
    canvas.choose(wire)


def ask(canvas: Canvas, event: QContextMenuEvent) -> None:
    """Ask the window for a menu."""
    place = QPointF(event.pos())
    if event.reason() == QContextMenuEvent.Reason.Mouse:
        canvas.asked, canvas.asked_at = _asked_by_mouse(canvas, canvas.map_to_scene(place)), place
    else:
        canvas.asked, place = _asked_by_key(canvas)
    canvas.hover.leave()
    canvas.menu_requested.emit(canvas.map_to_scene(place), canvas.mapToGlobal(place.toPoint()))


def _asked_by_mouse(canvas: Canvas, scene: QPointF) -> Asked:
    """What is under the pointer."""
    place = canvas.hover.port_under(scene)
    if place is not None:
        return place
    if canvas.node_at(scene) is not None:
        return "nodes"
    if canvas.looks.chosen is not None:
        return "wire"
    return "written" if canvas.comment_at(scene) is not None else "ground"


def _asked_by_key(canvas: Canvas) -> tuple[Asked, QPointF]:
    """What is selected, and where its menu opens."""
    session, middle = canvas.session, canvas.rect().toRectF().center()
    if canvas.looks.chosen is not None:
        return "wire", _within(canvas, canvas.middle_of(canvas.looks.chosen))
    bounds = canvas.geometry_of.bounds(session.selection)
    if bounds is not None:
        return "nodes", _within(canvas, QPointF(bounds[0] + HEADER, bounds[1] + HEADER))
    return ("written" if session.comments else "ground"), middle


def _within(canvas: Canvas, scene: QPointF) -> QPointF:
    """A place of the drawing on the widget, or the middle where it is out of sight."""
    point, area = canvas.map_from_scene(scene), canvas.rect().toRectF()
    return point if area.contains(point) else area.center()
