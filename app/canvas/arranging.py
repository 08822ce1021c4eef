"""Arranging: tidy, align and distribute what is selected. Menus and keys call these."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app import numbers
from graph import aligning
from graph.commands import Command
from graph.document import EditError
from graph.layout import Box
from graph.tidying import Task, gather

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.session import Session

MANY = 150
"""Tidying more nodes takes longer than the window may stand still: it is done beside it."""
PATIENCE = 300
"""Milliseconds after which it is said that work goes on."""
MOST_MOVING = 400
"""More nodes than this are where they belong at once."""


class Arranging(QObject):
    """Moves nodes of the level that a canvas shows, each time as one step.

    Signals:
        working: what takes its time, in words; empty when it is over.
        worked_out: where the nodes of a large level belong is known; for itself, from another thread.
    """

    working = Signal(str)
    worked_out = Signal(object)

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._asked: tuple[Session, int, Task] | None = None
        self.worked_out.connect(self._take)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self._say)

    @property
    def is_busy(self) -> bool:
        """Whether a large level is being worked out."""
        return self._asked is not None

    def stop(self) -> None:
        """Want nothing more of what is being worked out."""
        self._asked = None
        self._patience.stop()
        self.working.emit("")

    def tidy(self) -> None:
        """Lay out the selected nodes anew, or all where fewer than two are selected."""
        selection = self._canvas.session.selection
        self._tidy(selection if len(selection) > 1 else None)

    def tidy_all(self) -> None:
        """Lay out the whole level anew."""
        self._tidy(None)

    def align(self, side: str) -> None:
        """Put the selected nodes in line by a side: left, centre, right, top, middle or bottom."""
        session, boxes = self._canvas.session, self._boxes()
        self._try(lambda: aligning.align(session.document, session.at, sorted(session.selection), boxes, side))

    def distribute(self, way: str) -> None:
        """Put even gaps between the selected nodes: "across" or "down"."""
        session, boxes = self._canvas.session, self._boxes()
        self._try(lambda: aligning.distribute(session.document, session.at, sorted(session.selection), boxes, way))

    def _boxes(self) -> dict[str, Box]:
        geometry = self._canvas.geometry_of
        return dict(zip(geometry.ids, geometry.boxes, strict=True))

    def _tidy(self, ids: frozenset[str] | None) -> None:
        canvas = self._canvas
        session = canvas.session
        canvas.abandon()
        task = gather(session.document, session.at, self._boxes(), ids)
        if not task.before:
            session.refuse("There is nothing here to tidy")
        elif len(task.before) <= MANY:
            self._do(task.command())
        else:
            self._asked = (session, session.document.revision, task)
            self._patience.start()
            Thread(target=self._work_out, args=(task,), name="tidy", daemon=True).start()

    def _say(self) -> None:
        if self._asked is not None:
            self.working.emit(f"Tidying {numbers.exact(len(self._asked[2].before))} nodes …")

    def _work_out(self, task: Task) -> None:
        command = task.command()
        try:
            self.worked_out.emit((task, command))
        except RuntimeError:
            return  # the canvas was closed meanwhile: nobody waits for it

    def _take(self, found: tuple[Task, Command]) -> None:
        """A large level is worked out; it is of no use any more where the drawing has changed."""
        asked, (task, command) = self._asked, found
        if asked is None or asked[2] is not task:
            return
        self.stop()
        session, revision, _ = asked
        if session.document.revision != revision:
            session.refuse("The drawing has changed while it was being tidied; tidy it once more")
        elif session is self._canvas.session and session.at == task.at:
            self._do(command)
        else:
            session.do(command)

    def _try(self, make: Callable[[], Command]) -> None:
        try:
            command = make()
        except EditError as error:
            self._canvas.session.refuse(str(error))
            return
        self._do(command)

    def _do(self, command: Command) -> None:
        """Make the edit and let the nodes glide to where they belong."""
        if not getattr(command, "steps", ()):
            return  # everything lies there already: no step to undo
        canvas = self._canvas
        before = {node.id: node.position for node in canvas.geometry_of.nodes}
        if not canvas.session.do(command):
            return
        moved = {node.id: before[node.id] for node in canvas.geometry_of.nodes if node.position != before[node.id]}
        if moved and len(moved) <= MOST_MOVING:
            canvas.glide.start(moved)
