"""Frames and notes in the hand: a frame takes what is inside along, unless Alt is held; edges make them larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.canvas.gestures.base import Gesture, Pointer
from graph import comments
from graph.commands import Command, Move, Sequence
from graph.comments import FRAME, Comment
from graph.layout import GRID

if TYPE_CHECKING:
    from app.canvas.view import Canvas

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
EDGE_CURSORS = {
    "left": Qt.CursorShape.SizeHorCursor, "right": Qt.CursorShape.SizeHorCursor,
    "top": Qt.CursorShape.SizeVerCursor, "bottom": Qt.CursorShape.SizeVerCursor,
    "top left": Qt.CursorShape.SizeFDiagCursor, "bottom right": Qt.CursorShape.SizeFDiagCursor,
    "top right": Qt.CursorShape.SizeBDiagCursor, "bottom left": Qt.CursorShape.SizeBDiagCursor,
}  # fmt: skip


class MoveComment(Gesture):
    """Drag a frame by its title, or a note. What else is selected comes along, and what lies in the frames.

    A click selects; Shift adds, Ctrl toggles. With Alt a frame leaves what is inside where it is.
    """

    def __init__(self, canvas: Canvas, press: Pointer, id: str) -> None:
        super().__init__(canvas, press)
        self._id = id
        self._way = (0.0, 0.0)
        self._has_begun = False
        self._nodes: list[str] = []
        self._comments: list[Comment] = []

    def start(self) -> None:
        session = self.canvas.session
        if self.press.has(CTRL):
            session.select(session.selection, session.comments ^ {self._id})
        elif self.press.has(SHIFT):
            session.select(session.selection, session.comments | {self._id})
        elif self._id not in session.comments:
            session.select((), [self._id])

    def move(self, pointer: Pointer) -> None:
        if not self._has_begun and (not self.has_left(pointer) or self._id not in self.canvas.session.comments):
            return
        if not self._has_begun:
            self._has_begun = True
            self.canvas.drop_notes()
        self._gather(alone=pointer.has(ALT))
        way = pointer.scene - self.press.scene
        self._way = (round(way.x() / GRID) * GRID, round(way.y() / GRID) * GRID)
        geometry = self.canvas.geometry_of
        geometry.shift(self._nodes, *self._way)
        geometry.hold([comment.moved(*self._way) for comment in self._comments])
        self.canvas.update()

    def finish(self, pointer: Pointer) -> None:
        session = self.canvas.session
        if not self._has_begun:
            if not self.press.has(CTRL) and not self.press.has(SHIFT):
                session.select((), [self._id])
            return
        nodes, written, way = self._nodes, self._comments, self._way
        self._nodes, self._comments = [], []
        geometry = self.canvas.geometry_of
        geometry.shift(nodes, *way, rest=True)
        geometry.hold([])
        self.canvas.update()
        if way == (0.0, 0.0):
            return
        level = session.document.level(session.at)
        steps: list[Command] = [comments.change(session.at, [one.moved(*way) for one in written], "Move")]
        places = {id: level.node(id).position for id in nodes}
        if places:
            steps.append(Move(session.at, {id: (x + way[0], y + way[1]) for id, (x, y) in places.items()}))
        session.do(Sequence(tuple(steps), steps[0].label))

    def cancel(self) -> None:
        self._let_stay(self._nodes)
        self._nodes, self._comments = [], []
        self.canvas.geometry_of.hold([])
        self.canvas.update()

    def _gather(self, *, alone: bool) -> None:
        """What is moved: what is selected and, unless alone, what lies in the frames among it."""
        canvas, session = self.canvas, self.canvas.session
        level = session.document.level(session.at)
        chosen = {id: level.comments[id] for id in level.comments if id in session.comments}
        nodes = dict.fromkeys(id for id in level.nodes if id in session.selection)
        if not alone:
            homes = canvas.geometry_of.home_rects()
            others = {id: comment.rect for id, comment in level.comments.items()}
            for frame in [comment for comment in chosen.values() if comment.kind == FRAME]:
                nodes |= dict.fromkeys(comments.inside(frame, homes))
                chosen |= {id: level.comments[id] for id in comments.inside(frame, others)}
        self._let_stay([id for id in self._nodes if id not in nodes])
        self._nodes, self._comments = list(nodes), list(chosen.values())

    def _let_stay(self, ids: list[str]) -> None:
        if ids:
            self.canvas.geometry_of.shift(ids, 0, 0, rest=True)


class ResizeComment(Gesture):
    """Drag an edge or corner of a frame or note."""

    def __init__(self, canvas: Canvas, press: Pointer, comment: Comment, edges: str) -> None:
        super().__init__(canvas, press)
        self._comment, self._edges = comment, edges
        self._result = comment
        self.cursor = EDGE_CURSORS[edges]

    def start(self) -> None:
        self.canvas.session.select((), [self._comment.id])

    def move(self, pointer: Pointer) -> None:
        way = pointer.scene - self.press.scene
        dx, dy = round(way.x() / GRID) * GRID, round(way.y() / GRID) * GRID
        self._result = stretched(self._comment, self._edges, dx, dy)
        self.canvas.geometry_of.hold([self._result])
        self.canvas.update()

    def finish(self, pointer: Pointer) -> None:
        self.canvas.geometry_of.hold([])
        self.canvas.update()
        session = self.canvas.session
        if self._result != self._comment:
            session.do(comments.change(session.at, [self._result], "Resize"))

    def cancel(self) -> None:
        self.canvas.geometry_of.hold([])
        self.canvas.update()


def stretched(comment: Comment, edges: str, dx: float, dy: float) -> Comment:
    """A comment of which some edges have moved; the others stay where they are."""
    left, top, right, bottom = comment.rect
    wide, high = comments.LEAST.get(comment.kind, (80.0, 36.0))
    if "left" in edges:
        left = min(left + dx, right - wide)
    if "right" in edges:
        right = max(right + dx, left + wide)
    if "top" in edges:
        top = min(top + dy, bottom - high)
    if "bottom" in edges:
        bottom = max(bottom + dy, top + high)
    return comment.resized(left, top, right, bottom)
