"""What the pointer rests on: ports grow and say their name, wires light their path, faults explain themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer

from app.canvas.dots import is_gripped
from app.canvas.geometry import PortPlace
from app.canvas.gestures.base import Pointer
from app.canvas.gestures.comment import EDGE_CURSORS
from app.canvas.looks import FAR
from app.canvas.notes import Note
from app.canvas.port_names import REACH
from graph.document import Level, Wire
from graph.issues import Issue
from graph.layout import FIRST_ROW, ROW

if TYPE_CHECKING:
    from app.canvas.view import Canvas

PORT_REACH, WIRE_REACH = 10.0, 6.0
NEARBY = 24.0
"""The sheet on a fault stays while the pointer is so close to it."""
READABLE = FAR
"""From this zoom on titles can be read."""
DWELL = 140
"""Milliseconds before a wire under the pointer lights its path, so that passing over wires does not flicker."""


class Hover:
    """Follows the pointer while no gesture is going on."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._issue: Issue | None = None
        self._wire: Wire | None = None
        self._value: tuple[str | None, int | None] = (None, None)
        self._button = QRectF()
        self._dwell = QTimer(canvas)
        self._dwell.setSingleShot(True)
        self._dwell.setInterval(DWELL)
        self._dwell.timeout.connect(self.light)

    def follow(self, pointer: Pointer) -> None:
        """The pointer has moved."""
        canvas, looks = self._canvas, self._canvas.looks
        over = canvas.minimap.rect.contains(pointer.view) or self._is_on_note(pointer.view)
        place = None if over else self.port_under(pointer.scene)
        id = None if over else canvas.node_at(pointer.scene)
        wire = None if over or place is not None else self._wire_at(id, pointer.scene)
        if place != looks.port or id != looks.hovered:
            self._repaint(looks.hovered, id, looks.port and looks.port.node, place and place.node)
            looks.port, looks.hovered = place, id
            self._say_port(place)
        value = None if id is None or place is not None else canvas.value_at(id, pointer.scene)
        if (id, value) != self._value:
            self._value = (id, value)
            if place is None and canvas.camera.zoom < READABLE:
                self._say_title(id)
            elif place is None:
                self._say_value(id, value)
        if wire != self._wire:
            self._wire = wire
            self._dwell.start() if wire is not None else self._darken()
        self.refresh()
        button = self._overlay_button(pointer.view)
        if button != self._button:
            for rect in (button, self._button):
                canvas.update(rect.toAlignedRect())
            self._button = button
        self.show_cursor()

    def leave(self) -> None:
        """The pointer is elsewhere."""
        looks = self._canvas.looks
        self._repaint(looks.hovered, looks.port and looks.port.node)
        looks.port = looks.hovered = self._wire = None
        self._value = (None, None)
        self._drop_tip()
        self._darken()
        self.refresh()

    def forget(self) -> None:
        """What was under the pointer may not be there any more."""
        self._dwell.stop()
        self._wire = None
        looks = self._canvas.looks
        looks.hot = looks.lit_nodes = looks.port = looks.hovered = None
        self._value = (None, None)
        looks.lit_wires = looks.run = frozenset()

    def again(self, pointer: Pointer) -> None:
        """The drawing has changed: the pointer may rest on something else, or what it rests on says otherwise."""
        canvas = self._canvas
        self.forget()
        if canvas.gesture is None and pointer.view.x() >= 0 and not canvas.walker.is_on:
            self._drop_tip()
            self.follow(pointer)
        else:
            self.refresh()

    def port_under(self, scene: QPointF) -> PortPlace | None:
        """The port that a press would take hold of; from afar one takes hold of nodes only."""
        canvas = self._canvas
        if canvas.camera.zoom < FAR:
            return None
        if is_gripped(canvas.geometry_of, canvas.node_at(scene), scene.x()):
            return None
        return canvas.geometry_of.port_at(scene.x(), scene.y(), min(PORT_REACH / canvas.camera.zoom, 16.0))

    def _wire_at(self, id: str | None, scene: QPointF) -> Wire | None:
        """The wire that a point shows: the one under it, or, on a dot, the one that runs through it."""
        if id is None:
            return self.wire_under(scene)
        level = self._canvas.session.document.level(self._canvas.session.at)
        return next(iter(level.incoming(id)), None) if level.node(id).is_dot else None

    def wire_under(self, scene: QPointF) -> Wire | None:
        """The wire that a press would choose."""
        canvas = self._canvas
        if canvas.camera.zoom < FAR:
            return None
        return canvas.geometry_of.wire_at(scene.x(), scene.y(), WIRE_REACH / canvas.camera.zoom)

    def refresh(self) -> None:
        """Show the sheet on the node under the pointer, else on the selected one, if something is wrong there."""
        canvas = self._canvas
        kept = canvas.note is not None and self._is_on_note(canvas.pointer, NEARBY)
        focus = canvas.session.focus
        wanted = canvas.looks.hovered or (focus[-1] if focus else None)
        if kept and canvas.looks.hovered is None and self._issue is not None:
            wanted = (
                self._issue.path[len(canvas.session.at)] if len(self._issue.path) > len(canvas.session.at) else None
            )
        if wanted not in canvas.geometry_of.index or canvas.gesture is not None:
            wanted = None
        issues = canvas.labels.node(canvas.geometry_of.nodes[canvas.geometry_of.index[wanted]]).issues if wanted else ()
        issue = issues[0] if issues else None
        if issue == self._issue and (canvas.note is None) == (issue is None):
            if canvas.note is not None:
                canvas.update(canvas.note.rect.toAlignedRect())
            return
        if canvas.note is not None:
            canvas.update(canvas.note.rect.toAlignedRect().adjusted(-2, -2, 2, 2))
        self._issue, canvas.note = issue, None
        if issue is not None and wanted is not None:
            canvas.note = Note.of(issues)
            rect = canvas.camera.rect_to_screen(*canvas.geometry_of.rects[canvas.geometry_of.index[wanted]].tolist())
            canvas.note.place_by(rect, canvas.size())
            canvas.update(canvas.note.rect.toAlignedRect())

    def repair(self) -> None:
        """Mend what the sheet speaks of."""
        issue, canvas = self._issue, self._canvas
        canvas.drop_notes()
        if issue is not None and issue.repair is not None:
            canvas.session.do(issue.repair.command)

    def light(self) -> None:
        """Light the path through the wire under the pointer, from the inputs to the outputs."""
        wire, canvas = self._wire, self._canvas
        if canvas.geometry_of.wire_row(wire) is None:
            return
        level = canvas.session.document.level(canvas.session.at)
        before = nx.ancestors(level.net, wire.source) | {wire.source}
        after = nx.descendants(level.net, wire.target) | {wire.target}
        looks = canvas.looks
        looks.hot, looks.run = wire, _run(level, wire)
        looks.lit_nodes = frozenset(before | after)
        looks.lit_wires = frozenset(
            w for w in canvas.geometry_of.wires
            if w == wire or w.target in before or w.source in after
        )  # fmt: skip
        canvas.update()

    def show_cursor(self) -> None:
        """The cursor that says what a press would do."""
        canvas = self._canvas
        if canvas.gesture is not None:
            cursor = canvas.gesture.cursor
        elif canvas.holds_space:
            cursor = Qt.CursorShape.OpenHandCursor
        elif canvas.looks.port is not None or canvas.holds_knife:
            cursor = Qt.CursorShape.CrossCursor
        elif self._value[1] is not None and self._value[0] == canvas.looks.hovered:
            assert self._value[0] is not None
            is_switch = canvas.is_switch(*self._value)
            cursor = Qt.CursorShape.PointingHandCursor if is_switch else Qt.CursorShape.IBeamCursor
        elif (edges := self._edges()) in EDGE_CURSORS:
            cursor = EDGE_CURSORS[edges]
        elif self._is_on_button(canvas.pointer):
            cursor = Qt.CursorShape.PointingHandCursor
        else:
            cursor = Qt.CursorShape.ArrowCursor
        if canvas.cursor().shape() != cursor:
            canvas.setCursor(cursor)

    def _edges(self) -> str:
        """The edges of a frame or note under the pointer, by which it would be stretched."""
        canvas = self._canvas
        if canvas.looks.hovered is not None or not canvas.geometry_of.comments:
            return ""
        scene = canvas.map_to_scene(canvas.pointer)
        hit = canvas.comment_at(scene) if self.wire_under(scene) is None else None
        return hit[1] if hit is not None else ""

    def _is_on_button(self, point: QPointF) -> bool:
        """Whether a press would do something at once."""
        canvas = self._canvas
        if canvas.note is not None and canvas.note.button_rect.contains(point):
            return True
        return not self._overlay_button(point).isEmpty()

    def _overlay_button(self, point: QPointF) -> QRectF:
        """What lies over the drawing and can be pressed at a point; empty without any."""
        overlay = self._canvas.overlay
        crumb = overlay.crumb_at(point)
        if crumb is not None:
            return crumb.rect
        return overlay.zoom_rect if overlay.zoom_rect.contains(point) else QRectF()

    def _darken(self) -> None:
        self._dwell.stop()
        looks = self._canvas.looks
        if looks.hot is not None or looks.lit_nodes is not None:
            looks.hot = looks.lit_nodes = None
            looks.lit_wires = looks.run = frozenset()
            self._canvas.update()

    def _is_on_note(self, point: QPointF, air: float = 0.0) -> bool:
        note = self._canvas.note
        return note is not None and note.rect.adjusted(-air, -air, air, air).contains(point)

    def _drop_tip(self) -> None:
        """Take the tip away, and paint what it lay over."""
        canvas = self._canvas
        if canvas.tip is not None:
            canvas.update(canvas.tip.rect.toAlignedRect().adjusted(-2, -2, 2, 2))
        canvas.tip = None

    def _say_port(self, place: PortPlace | None) -> None:
        """Name the port under the pointer, with what it carries or needs."""
        canvas = self._canvas
        self._drop_tip()
        if place is None or self._is_typing():
            return
        text = canvas.labels.port_text(place.node, place.port, is_input=place.is_input)
        canvas.tip = Note(text, width=320.0)
        point = canvas.map_from_scene(QPointF(place.x, place.y))
        canvas.tip.place_beside(point, canvas.size(), left=place.is_input)
        canvas.update(canvas.tip.rect.toAlignedRect())

    def _say_title(self, id: str | None) -> None:
        """Name the node under the pointer where one is so far away that its title cannot be read."""
        canvas = self._canvas
        self._drop_tip()
        if id is None:
            return
        row = canvas.geometry_of.index[id]
        label = canvas.labels.node(canvas.geometry_of.nodes[row])
        if label.issues or canvas.geometry_of.boxes[row].is_dot:
            return  # the sheet on the fault names it
        canvas.tip = Note(label.title, width=320.0)
        rect = canvas.camera.rect_to_screen(*canvas.geometry_of.rects[row].tolist())
        canvas.tip.place_at(QPointF(rect.left() + 24, rect.top() + 8), canvas.size())
        canvas.update(canvas.tip.rect.toAlignedRect())

    def _say_value(self, id: str | None, row: int | None) -> None:
        """Say where the value under the pointer comes from and what it is for."""
        canvas = self._canvas
        self._drop_tip()
        if id is None or row is None or self._is_typing():
            return
        place = canvas.geometry_of.index[id]
        name = canvas.geometry_of.boxes[place].rows[row][0]
        canvas.tip = Note(canvas.labels.value_text(id, name), width=320.0)
        _, top, right, _ = canvas.geometry_of.rects[place].tolist()
        point = canvas.map_from_scene(QPointF(right, top + FIRST_ROW + ROW * row))
        canvas.tip.place_beside(point, canvas.size(), left=False)
        canvas.update(canvas.tip.rect.toAlignedRect())

    def _is_typing(self) -> bool:
        """Whether something is being edited in its place, over which no tip may lie."""
        return self._canvas.editor is not None and self._canvas.editor.is_open

    def _repaint(self, *ids: str | None) -> None:
        index = self._canvas.geometry_of.index
        for id in {id for id in ids if id is not None and id in index}:
            left, top, right, bottom = self._canvas.geometry_of.rects[index[id]].tolist()
            self._canvas.update_scene(left - REACH, top - 12, right + REACH, bottom + 12)


def _run(level: Level, wire: Wire) -> frozenset[Wire]:
    """The wires that carry the same through dots before and after one."""
    found, todo = {wire}, [wire]
    while todo:
        here = todo.pop()
        before = level.incoming(here.source) if level.nodes[here.source].is_dot else ()
        after = level.outgoing(here.target) if level.nodes[here.target].is_dot else ()
        fresh = {*before, *after} - found
        found |= fresh
        todo += fresh
    return frozenset(found)
