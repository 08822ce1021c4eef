"""Move: drag nodes, in steps of the grid; one that has no wires is put into the wire it is dropped on.

With Alt from the start (or Ctrl and Shift) nodes are pulled out of their wires first, and the gap closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.snapping import Snapping
from app.canvas.in_hand import paint_lines
from app.canvas.ink import ink
from app.canvas.insertion import fits_in
from graph.commands import Command, Connect, Disconnect, Move, Sequence
from graph.document import EditError, Wire
from graph.rewiring import pull_out
from graph.spacing import insert_with_room

if TYPE_CHECKING:
    from app.canvas.view import Canvas

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


class MoveNodes(Gesture):
    """Drag the selected nodes. A click without a drag selects; Shift adds, Ctrl toggles.

    Nodes keep to the grid and line up with others, unless Ctrl is held meanwhile. Alt at the start pulls them out of
    their wires; held while the drag goes on, it also keeps them out of others.
    """

    def __init__(self, canvas: Canvas, press: Pointer, node: str) -> None:
        super().__init__(canvas, press)
        self._node = node
        self._ids: list[str] = []
        self._way = (0.0, 0.0)
        self._is_loose = False
        self._snapping: Snapping | None = None
        self._pull: Sequence | None = None
        """The edit that takes the nodes out of their wires."""

    def start(self) -> None:
        session = self.canvas.session
        if self.press.pulls:
            if self._node not in session.selection:
                session.select([self._node])
        elif self.press.has(CTRL):
            session.select(session.selection ^ {self._node})
        elif self.press.has(SHIFT):
            session.select(session.selection | {self._node})
        elif self._node not in session.selection:
            session.select([self._node])

    def move(self, pointer: Pointer) -> None:
        if not self._ids and not self._begin(pointer):
            return
        canvas = self.canvas
        assert self._snapping is not None
        step = self._snapping.step(pointer.scene - self.press.scene, is_free=pointer.has(CTRL) and not pointer.pulls)
        if step != self._way:
            self._way = step
            before = canvas.touched_area(self._ids)
            canvas.geometry_of.shift(self._ids, *step)
            canvas.repaint_areas(before, canvas.touched_area(self._ids))
        self._aim(pointer)

    def finish(self, pointer: Pointer) -> None:
        canvas = self.canvas
        session = canvas.session
        if not self._ids:
            if not self.press.has(CTRL) and not self.press.has(SHIFT):
                session.select([self._node])
                canvas.edit_value_at(self._node, pointer.scene)
            return
        gap = canvas.looks.gap
        self._let_go()
        canvas.geometry_of.shift(self._ids, *self._way, rest=True)
        if self._way == (0.0, 0.0):
            return
        command = self._edit(gap)
        if not session.do(command):
            canvas.geometry_of.shift(self._ids, 0, 0, rest=True)

    def cancel(self) -> None:
        if self._ids:
            self.canvas.geometry_of.shift(self._ids, 0, 0, rest=True)
            self._let_go()

    def paint(self, painter: QPainter) -> None:
        """Paint the guides, and the wires that close the gap."""
        if self._snapping is not None:
            self._snapping.paint(painter)
        if self._pull is None:
            return
        geometry = self.canvas.geometry_of
        ends = [
            ((start.x, start.y), (end.x, end.y))
            for step in self._pull.steps
            if isinstance(step, Connect)
            and (start := geometry.port(step.wire.source, step.wire.output, is_input=False)) is not None
            and (end := geometry.port(step.wire.target, step.wire.input, is_input=True, order=step.wire.order))
        ]
        painter.save()
        painter.setClipPath(self._around(), Qt.ClipOperation.IntersectClip)
        paint_lines(painter, ends, ink().accent, self.canvas.camera.zoom)
        painter.restore()

    def _around(self) -> QPainterPath:
        """All but the nodes in the hand, which lie above the wires that close the gap."""
        geometry = self.canvas.geometry_of
        left, top, right, bottom = self.canvas.camera.rect_to_scene(QRectF(self.canvas.rect()))
        path = QPainterPath()
        path.addRect(QRectF(left, top, right - left, bottom - top))
        for id in self._ids:
            x, y, far, low = geometry.rects[geometry.index[id]].tolist()
            path.addRect(QRectF(x - 1, y - 1, far - x + 2, low - y + 2))
        return path

    def _edit(self, gap: Wire | None) -> Command:
        session = self.canvas.session
        level = session.document.level(session.at)
        places = {id: level.node(id).position for id in self._ids}
        moved = {id: (x + self._way[0], y + self._way[1]) for id, (x, y) in places.items()}
        steps: list[Command] = [] if self._pull is None else [self._pull]
        label = steps[0].label if steps else ""
        if gap is None:
            steps.append(Move(session.at, moved))
        else:
            node = level.node(self._node).with_(position=moved[self._node])
            insertion = insert_with_room(session.document, session.at, node, gap, add=False)
            steps.append(insertion)
            label = label or insertion.label
        return steps[0] if len(steps) == 1 else Sequence(tuple(steps), label)

    def _let_go(self) -> None:
        if self._snapping is not None:
            self._snapping.stop()
        self.canvas.looks.gap = None
        self.canvas.looks.lifted = frozenset()
        self.canvas.update()

    def _begin(self, pointer: Pointer) -> bool:
        session = self.canvas.session
        if not self.has_left(pointer) or self._node not in session.selection:
            return False
        self._ids = sorted(session.selection)
        level = session.document.level(session.at)
        self.canvas.drop_notes()
        if pointer.pulls:
            self._pull_out()
        self._snapping = Snapping(self.canvas, self._ids, self._node)
        is_free = self._pull is not None or not (level.incoming(self._node) or level.outgoing(self._node))
        self._is_loose = len(self._ids) == 1 and is_free
        return True

    def _pull_out(self) -> None:
        """Take the nodes out of their wires for as long as they are in the hand."""
        session = self.canvas.session
        try:
            pull = pull_out(session.document, session.at, self._ids)
        except EditError:
            return  # they have no wires: nothing to pull
        assert isinstance(pull, Sequence)
        self._pull = pull
        self.canvas.looks.lifted = frozenset(step.wire for step in pull.steps if isinstance(step, Disconnect))
        self.canvas.update()

    def _aim(self, pointer: Pointer) -> None:
        """Mark the wire that the node would be put into."""
        canvas = self.canvas
        gap: Wire | None = None
        if self._is_loose and not pointer.pulls:
            gap = canvas.geometry_of.wire_at(pointer.scene.x(), pointer.scene.y(), 12 / canvas.camera.zoom)
            node = canvas.session.document.level(canvas.session.at).node(self._node)
            if gap in canvas.looks.lifted:
                gap = None
            if gap is not None and (self._node in (gap.source, gap.target) or not fits_in(canvas.session, node, gap)):
                gap = None
        if gap != canvas.looks.gap:
            canvas.looks.gap = gap
            canvas.update()
