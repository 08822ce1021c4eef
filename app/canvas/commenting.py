"""Frames and notes on the canvas: put, hit, written, coloured, carried by every edit of what is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from app.canvas.gestures.base import Gesture, Pointer
from app.canvas.gestures.comment import EDGE_CURSORS, MoveComment, ResizeComment, stretched
from app.canvas.ink import faces
from app.canvas.looks import FAR
from app.canvas.marking import Marking
from app.canvas.note_editor import NoteEditor
from app.garbage import uncollected
from app.note_text import INSET, note_height
from app.session import Session
from graph import clipboard, comments, edits, grouping
from graph.colouring import colour_all
from graph.commands import Command, Move, Sequence
from graph.comments import FRAME, NOTE, TITLE, Annotate, Comment
from graph.document import EditError
from graph.layout import GRID

if TYPE_CHECKING:
    from app.canvas.view import Canvas

NOTE_SIZE = (240.0, 44.0)
FRAME_SIZE = (320.0, 200.0)
REACH = 5.0


class Commenting(Marking):
    """A surface on which frames and notes are put and written."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self.note_editor: NoteEditor | None = None
        super().__init__(session, parent)
        self.note_editor = NoteEditor(self)

    # What is where

    def comment_at(self, scene: QPointF) -> tuple[Comment, str] | None:
        """The frame or note under a point, and what of it: "title", or the edges by which it is stretched."""
        reach = min(REACH / self.camera.zoom, 10.0)
        for comment in reversed(self.geometry_of.comments.values()):
            if comment.kind not in (FRAME, NOTE):
                continue
            left, top, right, bottom = comment.rect
            x, y = scene.x(), scene.y()
            if not (left - reach <= x <= right + reach and top - reach <= y <= bottom + reach):
                continue
            upright = "top" if abs(y - top) <= reach else "bottom" if abs(y - bottom) <= reach else ""
            across = "left" if abs(x - left) <= reach else "right" if abs(x - right) <= reach else ""
            edges = f"{upright} {across}".strip()
            if edges and self.camera.zoom >= FAR:
                return comment, edges
            if comment.kind == NOTE or y <= top + TITLE:
                return comment, "title"
        return None

    def grasp_comment(self, pointer: Pointer) -> Gesture | None:
        """The gesture that a press on a frame or note begins."""
        hit = self.comment_at(pointer.scene)
        if hit is None:
            return None
        canvas: Canvas = self  # pyright: ignore[reportAssignmentType]
        comment, part = hit
        return (
            ResizeComment(canvas, pointer, comment, part)
            if part in EDGE_CURSORS
            else MoveComment(canvas, pointer, comment.id)
        )

    # Putting and writing

    def add_frame(self) -> None:
        """Put a frame around what is selected, or an empty one at the pointer, and write its title."""
        session = self.session
        level = session.document.level(session.at)
        rects = [self.geometry_of.bounds(session.selection)] if session.selection else []
        rects += [level.comments[id].rect for id in session.comments]
        around = [rect for rect in rects if rect is not None]
        if around:
            lefts, tops, rights, bottoms = zip(*around, strict=True)
            frame = comments.frame_around(level, (min(lefts), min(tops), max(rights), max(bottoms)))
        else:
            frame = Comment(comments.fresh_id(level, FRAME), FRAME, "Frame", self._corner(FRAME_SIZE), FRAME_SIZE)
        self._put(frame)

    def add_note(self) -> None:
        """Put a note at the pointer and write it."""
        session = self.session
        level = session.document.level(session.at)
        self._put(Comment(comments.fresh_id(level, NOTE), NOTE, "", self._corner(NOTE_SIZE), NOTE_SIZE))

    def edit_comment(self, id: str, gesture: object | None = None) -> None:
        """Write the title of a frame or the text of a note in its place.

        Args:
            id: which of them.
            gesture: the token of the step that this belongs to; else it is a step of its own.
        """
        comment = self.geometry_of.comments.get(id)
        if comment is None or self.editor is None or self.note_editor is None:
            return
        self.keep_typed()
        left, top, right, bottom = comment.rect
        if self.camera.zoom < 0.6:
            self.camera.zoom_at(self.map_from_scene(QPointF(left, top)), 1 / self.camera.zoom)
            self.view_changed()
        zoom = self.camera.zoom

        def keep(text: str) -> bool:
            return self._write(id, text, gesture)

        if comment.kind == NOTE:
            high = max(bottom - top, 88.0)
            self.note_editor.open(self.camera.rect_to_screen(left, top, right, top + high), zoom, comment.text, keep)
            return
        face = faces().title
        font = type(face.font)(face.font)
        font.setPixelSize(max(9, round(face.font.pixelSize() * zoom)))
        place = self.camera.rect_to_screen(left + INSET - 6, top + 2, right - INSET + 6, top + TITLE - 2)
        self.editor.open(place, font, comment.text, keep, "Title of the frame")

    def keep_typed(self) -> None:
        """Take what is being typed on the canvas, as when one leaves it."""
        for editor in (self.editor, self.note_editor):
            if editor is not None:
                editor.close_editor()

    def next_comment(self, step: int = 1) -> None:
        """Select the next frame or note of the level and bring it into view."""
        known = list(self.geometry_of.comments)
        if not known:
            self.session.refuse("There are no frames and notes here")
            return
        here = next((known.index(id) for id in known if id in self.session.comments), -1 if step > 0 else 0)
        goal = known[(here + step) % len(known)]
        self.session.select((), [goal])
        self.camera.reveal(self.geometry_of.comments[goal].rect, self.size())
        self.view_changed()

    # What edits of the selection do to frames and notes

    def rename(self) -> None:
        """Write the selected frame or note, or the title of the selected node."""
        if len(self.session.comments) == 1 and not self.session.selection:
            self.edit_comment(next(iter(self.session.comments)))
        else:
            super().rename()

    def delete_selection(self, *, heal: bool = False) -> None:
        """Take away the chosen wire, or what is selected."""
        session = self.session
        if self.looks.chosen is not None or not session.comments:
            super().delete_selection(heal=heal)
            return
        level = session.document.level(session.at)
        gone: list[Command] = [comments.remove(level, session.at, sorted(session.comments))]
        if session.selection:
            ids = [id for id in level.nodes if id in session.selection]
            gone.insert(0, edits.remove(session.document, session.at, ids, heal=heal))
        session.do(Sequence(tuple(gone), gone[0].label))

    def nudge(self, dx: float, dy: float) -> None:
        """Move what is selected a little; moves in a row are one step."""
        session = self.session
        if not session.comments:
            super().nudge(dx, dy)
            return
        level = session.document.level(session.at)
        key = session.selection | session.comments
        if self._nudge is None or self._nudge[0] != key:
            self._nudge = (key,)
        moved = [level.comments[id].moved(dx, dy) for id in sorted(session.comments)]
        places = {id: level.node(id).position for id in sorted(session.selection)}
        change = comments.change(session.at, moved, "Move", "nudge")
        if not places:
            session.do(change, gesture=self._nudge)
            return
        steps = (change, Move(session.at, {id: (x + dx, y + dy) for id, (x, y) in places.items()}))
        session.do(Sequence(steps, change.label, ("nudge", session.at, key)), gesture=self._nudge)

    def stretch_selection(self, dx: float, dy: float) -> None:
        """Make the selected frames and notes wider or higher; in a row that is one step."""
        session = self.session
        level = session.document.level(session.at)
        if self._nudge is None or self._nudge[0] != session.comments:
            self._nudge = (session.comments,)
        after = [stretched(level.comments[id], "bottom right", dx, dy) for id in sorted(session.comments)]
        if after:
            session.do(comments.change(session.at, after, "Resize", "stretch"), gesture=self._nudge)

    def group_selection(self) -> None:
        """Put the selected nodes into a group, with the frames and notes that are selected."""
        session = self.session
        self._try(lambda: grouping.group(session.document, session.at, session.selection, notes=session.comments))

    def tag_selection(self, colour: str) -> None:
        """Give what is selected a colour tag; an empty name takes it off."""
        session = self.session
        if not session.comments:
            super().tag_selection(colour)
            return
        session.do(colour_all(session.document, session.at, session.selection, session.comments, colour))

    # How it is done

    def abandon(self) -> None:
        if self.note_editor is not None:
            self.note_editor.close_editor()
        super().abandon()

    def _taken(self) -> clipboard.Clip | None:
        session = self.session
        if not session.selection and not session.comments:
            return None
        return clipboard.take(session.document, session.at, session.selection, session.comments)

    @uncollected()
    def _paste(self, copied: str | clipboard.Clip, place: tuple[float, float] | None, keep_inputs: bool) -> None:
        session = self.session
        try:
            command, ids = clipboard.paste(session.document, session.at, copied, place, keep_inputs=keep_inputs)
        except EditError as error:
            session.refuse(str(error))
            return
        steps = command.steps if isinstance(command, Sequence) else ()
        written = [id for step in steps if isinstance(step, Annotate) for id in step.changes]
        if session.do(command):
            session.select(ids, written)

    def _put(self, comment: Comment) -> None:
        """Put a frame or note and write it; what is written at once is the same step."""
        session, gesture = self.session, object()
        if session.do(comments.change(session.at, [comment], "Add", "write"), gesture):
            session.select((), [comment.id])
            self.edit_comment(comment.id, gesture)

    def _write(self, id: str, text: str, gesture: object | None) -> bool:
        session = self.session
        comment = session.document.level(session.at).comments.get(id)
        if comment is None:
            return False
        words = text.strip() if comment.kind == NOTE else " ".join(text.split())[:200]
        after = comment.with_(text=words)
        if comment.kind == NOTE:
            wide, high = comment.size
            after = after.with_(size=(wide, max(high, note_height(words, wide))))
        return after == comment or session.do(comments.change(session.at, [after], "Write", "write"), gesture)

    def _corner(self, size: tuple[float, float]) -> tuple[float, float]:
        """Where something is put: at the pointer, or in the middle of the view."""
        aim, middle = self.aim, self.rect().toRectF().center()
        point = self.map_to_scene(aim)
        x, y = (point.x(), point.y()) if aim != middle else (point.x() - size[0] / 2, point.y() - size[1] / 2)
        return float(round(x / GRID) * GRID), float(round(y / GRID) * GRID)
