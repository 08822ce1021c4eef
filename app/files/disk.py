"""Notices what other programs do to the files of open drawings, and offers what can be done about it.

Nothing is lost either way: reading the file again is a step that can be undone, and keeping what is drawn here marks
it as not saved. A file that has changed is never written over without a word.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from app.files.stamps import Stamp

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.session import Session
    from app.workspace import Workspace

CALM = 300
"""Milliseconds that a file must be left alone: programs write in several steps."""
KEY = "disk"

log = logging.getLogger(__name__)


class Disk(QObject):
    """Watches the folders of the open files."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace: Workspace | None = None
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._stir)
        self._watcher.fileChanged.connect(self._stir)
        self._calm = QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.setInterval(CALM)
        self._calm.timeout.connect(self.check)
        self._told: dict[int, str] = {}

    def attach(self, workspace: Workspace) -> None:
        """Begin to watch."""
        self._workspace = workspace
        workspace.opened.connect(self.follow)
        workspace.closed.connect(self.follow)
        workspace.switched.connect(self._switched)
        self.follow()

    def stop(self) -> None:
        """Watch no longer."""
        workspace, self._workspace = self._workspace, None
        self._calm.stop()
        if workspace is not None:
            workspace.opened.disconnect(self.follow, missing_ok=True)
            workspace.closed.disconnect(self.follow, missing_ok=True)
            workspace.switched.disconnect(self._switched, missing_ok=True)
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if watched:
            self._watcher.removePaths(watched)

    def follow(self, _session: Session | None = None) -> None:
        """Watch what is open now: the files, and their folders, for files are often replaced rather than written."""
        if self._workspace is None:
            return
        paths = [session.path for session in self._workspace.sessions if session.path is not None]
        wanted = {str(path) for path in paths if path.exists()} | {str(p.parent) for p in paths if p.parent.is_dir()}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if watched - wanted:
            self._watcher.removePaths(sorted(watched - wanted))
        if wanted - watched:
            self._watcher.addPaths(sorted(wanted - watched))
        open = {id(session) for session in self._workspace.sessions}
        self._told = {key: state for key, state in self._told.items() if key in open}

    def check(self) -> None:
        """Look at every file again, and say of the drawing in front what has happened to its file."""
        if self._workspace is None:
            return
        self.follow()
        for session in self._workspace.sessions:
            state = state_of(session)
            if state == self._told.get(id(session), ""):
                continue
            self._told[id(session)] = state
            if state == "gone":
                session.history.mark_unsaved()
                session.saved.emit()
        self._tell()

    def may_write(self, session: Session, path: Path) -> bool:
        """Whether a drawing can be written without taking away what another program has written meanwhile."""
        if session.path != path or state_of(session) != "changed":
            return True
        self._told[id(session)] = "changed"
        self._say(
            f"{path.name} was changed by another program meanwhile, and is not written over.",
            session, ("Reload", lambda: self.reload(session)), ("Write over it", lambda: self._write_over(session)),
        )  # fmt: skip
        return False

    def reload(self, session: Session) -> bool:
        """Read the file again, as a step that can be undone."""
        from graph import files
        from graph.replacing import Replace

        assert session.path is not None
        stamp = Stamp.of(session.path)
        try:
            document = files.load(session.path)
        except files.FileError as error:
            session.refuse(str(error))
            return False
        if not session.do(Replace(document, f"Reload {session.path.name}")):
            return False
        session.stamp = stamp
        session.history.mark_saved()
        self._settled(session)
        return True

    def keep(self, session: Session) -> None:
        """Go on with what is drawn here; the next save writes over the file."""
        assert session.path is not None
        session.stamp = Stamp.of(session.path)
        session.history.mark_unsaved()
        self._settled(session)

    def rename(self, session: Session, path: Path) -> None:
        """Go on under the name that the file has now."""
        session.path = path
        if session.stamp == Stamp.of(path):
            session.history.mark_saved()
        self._window.settings.add_recent(path)
        self._settled(session)

    def _write_over(self, session: Session) -> None:
        assert session.path is not None
        session.stamp = Stamp.of(session.path)
        self._window.filing.save(session)
        self._settled(session)

    def _settled(self, session: Session) -> None:
        self._told.pop(id(session), None)
        session.saved.emit()
        self.follow()

    def _stir(self, _path: str) -> None:
        self._calm.start()

    def _switched(self, _session: Session) -> None:
        self._window.banners.clear(KEY)
        self._calm.start()
        self._tell()

    def _tell(self) -> None:
        """Say what has happened to the file of the drawing in front."""
        workspace = self._workspace
        if workspace is None or workspace.session.path is None:
            return
        session = workspace.session
        state, path = self._told.get(id(session), ""), workspace.session.path
        if state == "changed":
            self._say(
                f"{path.name} was changed by another program.",
                session, ("Reload", lambda: self.reload(session)), ("Keep mine", lambda: self.keep(session)),
            )  # fmt: skip
        elif state == "gone":
            moved = _renamed(session)
            if moved is not None:
                self._say(
                    f"{path.name} is called {moved.name} now.",
                    session, ("Use that name", lambda: self.rename(session, moved)),
                    (f"Save as {path.name}", lambda: self._window.filing.save(session)),
                )  # fmt: skip
            else:
                self._say(
                    f"{path.name} was moved or deleted. What is drawn here is kept.",
                    session, ("Save it again", lambda: self._window.filing.save(session)),
                    ("Save as …", lambda: self._window.filing.save_as(session)),
                )  # fmt: skip
        else:
            self._window.banners.clear(KEY)

    def _say(self, text: str, _session: Session, *buttons: tuple[str, object]) -> None:
        self._window.banners.say(text, *buttons, tone="warning", key=KEY)  # type: ignore[arg-type]


def state_of(session: Session) -> str:
    """What has happened to the file of a drawing since it was read or written: "changed", "gone", or nothing."""
    if session.path is None or session.stamp is None:
        return ""
    now = Stamp.of(session.path, session.stamp)
    if now is None:
        return "gone"
    return "" if now == session.stamp else "changed"


def _renamed(session: Session) -> Path | None:
    """Where in its folder a file is that was renamed, told by its content."""
    assert session.path is not None
    if session.stamp is None:
        return None
    try:
        beside = [p for p in session.path.parent.iterdir() if p.suffix == session.path.suffix and p.is_file()]
        alike = [path for path in beside if path.stat().st_size == session.stamp.size]
    except OSError as error:
        log.info("disk: %s", error)
        return None
    return next((path for path in alike if Stamp.of(path) == session.stamp), None)
