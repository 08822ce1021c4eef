"""Viewpoints: leave a place and come back to it, for a moment or by a numbered bookmark."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from app.canvas.camera import LARGEST, SMALLEST, Camera
from graph.bookmarks import Bookmark, bookmarks, level_of, set_bookmark
from graph.document import EditError, Path

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.session import Session

READABLE = 0.7
"""What is looked at is shown no smaller than this."""


@dataclass(frozen=True)
class Kept:
    """Where one was: the level, the selection and the view of every level."""

    session: Session
    at: Path
    selection: frozenset[str]
    cameras: dict[Path, Camera]


class Viewpoints:
    """Where one looks, to be kept, marked and restored."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def keep(self) -> Kept:
        """Remember where one is."""
        session = self._canvas.session
        cameras = {path: replace(camera) for path, camera in self._canvas.cameras.items()}
        return Kept(session, session.at, session.selection, cameras)

    def restore(self, kept: Kept) -> None:
        """Go back to where one was; a level that is gone by now is left where one is."""
        canvas, session = self._canvas, kept.session
        if session is not canvas.session:
            return
        canvas.cameras.clear()
        canvas.cameras.update({path: replace(camera) for path, camera in kept.cameras.items()})
        try:
            session.enter(kept.at)
        except EditError:
            return
        session.select(kept.selection)
        canvas.cameras[kept.at] = replace(kept.cameras.get(kept.at, Camera()))
        canvas.show_camera()

    def look_at(self, path: Path) -> None:
        """Go to a node, select it and bring it to the middle, large enough to be read."""
        canvas = self._canvas
        canvas.session.show(path)
        bounds = canvas.geometry_of.bounds([path[-1]])
        if bounds is not None:
            middle = QPointF((bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2)
            self._look(middle, max(canvas.camera.zoom, READABLE))

    def set_bookmark(self, number: int) -> None:
        """Remember this place by a number, with the drawing."""
        canvas = self._canvas
        session = canvas.session
        group = session.document.node(session.at).uid if session.at else ""
        middle = canvas.map_to_scene(QRectF(canvas.rect()).center())
        mark = Bookmark(group, middle.x(), middle.y(), canvas.camera.zoom)
        session.do(set_bookmark(session.document, number, mark))

    def go_to_bookmark(self, number: int) -> None:
        """Go to the place of a number."""
        session = self._canvas.session
        mark = bookmarks(session.document).get(number)
        if mark is None:
            session.refuse(f"There is no bookmark {number} yet; Ctrl+Shift+{number} sets it here")
            return
        at = level_of(session.document, mark)
        if at is None:
            session.refuse(f"The group of bookmark {number} is not there any more")
            return
        session.enter(at)
        self._look(QPointF(mark.x, mark.y), mark.zoom)

    def _look(self, middle: QPointF, zoom: float) -> None:
        canvas = self._canvas
        camera = canvas.camera
        camera.zoom = min(LARGEST, max(SMALLEST, zoom))
        camera.x = round(canvas.width() / 2 - middle.x() * camera.zoom)
        camera.y = round(canvas.height() / 2 - middle.y() * camera.zoom)
        canvas.view_changed()
