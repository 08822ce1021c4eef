"""The drawings that were open come back at the next start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.main_window import MainWindow
    from app.session import Session
    from app.workspace import Workspace


class Reopening(QObject):
    """Remembers which files are open and which one is in front; a killed program's are remembered too."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace: Workspace | None = None
        self._is_opening = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.remember)

    def attach(self, workspace: Workspace) -> None:
        """Begin to remember."""
        self._workspace = workspace
        for signal in (workspace.opened, workspace.closed, workspace.moved, workspace.switched):
            signal.connect(self.note)

    def stop(self) -> None:
        """Remember once more, and no longer."""
        workspace, self._workspace = self._workspace, None
        self._soon.stop()
        if workspace is not None:
            self._write(workspace)
            for signal in (workspace.opened, workspace.closed, workspace.moved, workspace.switched):
                signal.disconnect(self.note, missing_ok=True)

    def remember(self) -> None:
        """Write down what is open."""
        if self._workspace is not None:
            self._write(self._workspace)

    def restore(self, then: Callable[[], object] | None = None) -> None:
        """Open what was open, a file in each turn of the event loop; `then` shows something else in front."""
        settings = self._window.settings
        paths, front = settings.open_drawings, settings.front_drawing
        self._is_opening = True
        self._open_next(list(paths), front, [], then)

    def _open_next(
        self, paths: list[Path], front: Path | None, lost: list[str], then: Callable[[], object] | None
    ) -> None:
        from graph.files import FileError

        workspace = self._workspace
        if workspace is None:
            return
        if paths:
            try:
                workspace.add(paths[0])
            except FileError as error:
                lost.append(str(error))
            QTimer.singleShot(0, self, lambda: self._open_next(paths[1:], front, lost, then))
            return
        self._is_opening = False
        window = self._window
        opened = [session for session in workspace.sessions if session.path is not None]
        chosen = next((session for session in opened if session.path == front), opened[-1] if opened else None)
        if lost:
            text = lost[0] if len(lost) == 1 else f"{len(lost)} drawings could not be opened again. {lost[0]}"
            window.banners.say(text, tone="warning", brief=True)
        if chosen is not None:
            blank = workspace.session
            window.show_session(chosen)
            if blank is not chosen and blank.is_blank:
                workspace.close(blank)
        if then is not None:
            then()
        elif chosen is None:
            window.show_gallery()
        self.remember()

    def note(self, _session: Session | None = None) -> None:
        """What is open, or where it lies, has changed."""
        if not self._is_opening and not self._soon.isActive():
            self._soon.start()

    def _write(self, workspace: Workspace) -> None:
        if self._is_opening:
            return
        paths = [session.path for session in workspace.sessions if session.path is not None]
        self._window.settings.set_open_drawings(paths, workspace.session.path)
