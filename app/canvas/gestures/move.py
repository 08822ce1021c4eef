"""Move: drag nodes, in steps of the grid; one that has no wires is put into the wire it is dropped on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.snapping import Snapping
from app.canvas.insertion import fits_in
from graph import edits
from graph.commands import Command, Move, Sequence
from graph.document import Wire

if TYPE_CHECKING:
    from app.canvas.view import Canvas

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


class MoveNodes(Gesture):
    """Drag the selected nodes. A click without a drag selects; Shift adds, Ctrl toggles.

    Nodes keep to the grid and line up with others, unless Ctrl is held meanwhile. Alt keeps out of wires.
    """

    def __init__(self, canvas: Canvas, press: Pointer, node: str) -> None:
        super().__init__(canvas, press)
        self._node = node
        self._ids: list[str] = []
        self._way = (0.0, 0.0)
        self._is_loose = False
        self._snapping: Snapping | None = None

    def start(self) -> None:
        session = self.canvas.session
        if self.press.has(CTRL):
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
        step = self._snapping.step(pointer.scene - self.press.scene, is_free=pointer.has(CTRL))
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
            return
        gap = canvas.looks.gap
        canvas.looks.gap = None
        self._let_go()
        canvas.geometry_of.shift(self._ids, *self._way, rest=True)
        canvas.update()
        if self._way == (0.0, 0.0):
            return
        level = session.document.level(session.at)
        places = {id: level.node(id).position for id in self._ids}
        command: Command = Move(session.at, {id: (x + self._way[0], y + self._way[1]) for id, (x, y) in places.items()})
        if gap is not None:
            insertion = edits.insert_on_wire(session.document, session.at, level.node(self._node), gap, add=False)
            command = Sequence((command, insertion), insertion.label)
        if not session.do(command):
            canvas.geometry_of.shift(self._ids, 0, 0, rest=True)

    def cancel(self) -> None:
        if self._ids:
            self.canvas.geometry_of.shift(self._ids, 0, 0, rest=True)
            self.canvas.looks.gap = None
            self._let_go()
            self.canvas.update()

    def paint(self, painter: QPainter) -> None:
        if self._snapping is not None:
            self._snapping.paint(painter)

    def _let_go(self) -> None:
        if self._snapping is not None:
            self._snapping.stop()

    def _begin(self, pointer: Pointer) -> bool:
        session = self.canvas.session
        if not self.has_left(pointer) or self._node not in session.selection:
            return False
        self._ids = sorted(session.selection)
        self._snapping = Snapping(self.canvas, self._ids, self._node)
        level = session.document.level(session.at)
        self._is_loose = len(self._ids) == 1 and not level.incoming(self._node) and not level.outgoing(self._node)
        self.canvas.drop_notes()
        return True

    def _aim(self, pointer: Pointer) -> None:
        """Mark the wire that the node would be put into."""
        canvas = self.canvas
        gap: Wire | None = None
        if self._is_loose and not pointer.has(ALT):
            gap = canvas.geometry_of.wire_at(pointer.scene.x(), pointer.scene.y(), 12 / canvas.camera.zoom)
            node = canvas.session.document.level(canvas.session.at).node(self._node)
            if gap is not None and (self._node in (gap.source, gap.target) or not fits_in(canvas.session, node, gap)):
                gap = None
        if gap != canvas.looks.gap:
            canvas.looks.gap = gap
            canvas.update()
