"""The canvases of the open drawings: made when a drawing is first shown, heard by the window, taken away with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF

from app.bars.context_menus import pop_up

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.main_window import MainWindow
    from app.session import Session

WORKING = "working"
"""The key of the message that something takes its time."""


class Canvases:
    """One canvas for each drawing that was shown, on the window's stack."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._canvases: dict[int, Canvas] = {}

    def __bool__(self) -> bool:
        """Whether there is one to go back to."""
        return bool(self._canvases)

    def __contains__(self, session: Session) -> bool:
        """Whether a drawing has one."""
        return id(session) in self._canvases

    @property
    def shown(self) -> Canvas | None:
        """The canvas in view; None while the gallery is."""
        shown = self._window.stack.currentWidget()
        return next((canvas for canvas in self._canvases.values() if canvas is shown), None)

    def show(self, session: Session, make: type[Canvas]) -> Canvas:
        """Bring a drawing's canvas into view, making it when it is the first time."""
        canvas = self._canvases.get(id(session))
        if canvas is None:
            canvas = make(session, self._window.stack)
            self._canvases[id(session)] = canvas
            self._window.stack.addWidget(canvas)
            self._connect(canvas)
        self._window.stack.setCurrentWidget(canvas)
        return canvas

    def drop(self, session: Session) -> None:
        """Take the canvas of a closed drawing away."""
        canvas = self._canvases.pop(id(session), None)
        if canvas is not None:
            canvas.arranging.stop()
            self._window.stack.removeWidget(canvas)
            canvas.hide()
            canvas.deleteLater()

    def repaint(self) -> None:
        """Paint all anew, in other colours."""
        for canvas in self._canvases.values():
            canvas.update()

    def take_files(self, paths: list[Any], scene: QPointF | None = None, inserts: bool = False) -> None:
        """Take files that were dropped: `scene` is the place on the canvas, if they fell on it."""
        window = self._window
        for path in paths:
            window.when_ready(lambda path=Path(path): window.filing.take(path, scene, inserts=inserts))

    def _say_working(self, canvas: Canvas, what: str) -> None:
        """Say what takes its time on a canvas, and offer to stop it."""
        self._window.banners.clear(WORKING)
        if what:
            self._window.banners.say(what, ("Stop", canvas.arranging.stop), key=WORKING)

    def _connect(self, canvas: Canvas) -> None:
        window = self._window
        canvas.search_requested.connect(lambda scene, at: window.finder.blocks(scene, at))
        canvas.wire_dropped.connect(window.finder.fitting)
        canvas.files_dropped.connect(self.take_files)
        canvas.template_dropped.connect(lambda name, _scene: window.filing.drop_template(name))
        canvas.block_added.connect(window.settings.add_use)
        canvas.arranging.working.connect(lambda what: self._say_working(canvas, what))
        canvas.menu_requested.connect(lambda _scene, at: pop_up(window, canvas, at))
