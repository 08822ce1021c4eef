"""A journal of every unsaved drawing, so that a killed program loses seconds, and its recovery at the next start.

Each running window owns a folder with a lock and one file per drawing. Folders whose lock nobody holds are what a
killed program has left.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from app.files.stamps import Stamp
from app.folders import state_folder
from app.session import Session
from app.workspace import Workspace
from graph import files
from graph.document import Document
from graph.freezing import frozen

FORMAT = "blockwright-autosave"
DELAY = 2000
"""Milliseconds from an edit to the journal; half of what may be lost at most."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Leftover:
    """A drawing that a killed program has left."""

    file: Path
    title: str
    path: Path | None
    time: datetime
    document: Document
    stamp: Stamp | None = None
    """What its file held when it was read or written last."""


class Autosave(QObject):
    """Writes what is not saved, soon after each edit, and takes it away once it is saved or given up.

    What cannot be written is tried again until it can.

    Signals:
        failed: nothing can be kept, for the reason it carries; once, until it was possible again.
    """

    failed = Signal(str)
    _tried = Signal(str)

    def __init__(self, workspace: Workspace, parent: QObject | None = None, folder: Path | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._root = folder or autosave_folder()
        self._folder = self._root / secrets.token_hex(6)
        self._lock: QLockFile | None = None
        self._names: dict[int, str] = {}
        self._dirty: list[Session] = []
        self._is_on = True
        self._fault = ""
        """Why what is not saved could not be kept at the last try."""
        self._told = ""
        self._tried.connect(self._follow)
        self._writer = ThreadPoolExecutor(1, "autosave")
        self._last: Future[None] | None = None
        self._listeners: dict[int, Callable[[], None]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY)
        self._timer.timeout.connect(self.write)
        workspace.opened.connect(self.watch)
        workspace.closed.connect(self.forget)
        for session in workspace.sessions:
            self.watch(session)

    def watch(self, session: Session) -> None:
        """Keep a journal of a session from now on."""
        if id(session) in self._listeners:
            return

        def changed() -> None:
            self._note(session)

        self._listeners[id(session)] = changed
        session.edited.connect(changed)
        session.saved.connect(changed)
        if not session.is_saved:
            changed()

    def forget(self, session: Session) -> None:
        """Give a session's journal up; it was closed, saved or not, on the user's word."""
        changed = self._listeners.pop(id(session), None)
        if changed is not None:
            session.edited.disconnect(changed, missing_ok=True)
            session.saved.disconnect(changed, missing_ok=True)
        self._dirty = [other for other in self._dirty if other is not session]
        self._remove(session)

    def write(self) -> None:
        """Write what is waiting, in the background."""
        self._timer.stop()
        waiting = [session for session in self._dirty if not session.is_saved]
        self._dirty = []
        if waiting and self._own_folder():
            for session in waiting:
                data = {
                    "format": FORMAT,
                    "path": str(session.path) if session.path else "",
                    "stamp": [session.stamp.size, session.stamp.digest] if session.stamp else None,
                    "title": session.title,
                    "time": datetime.now().isoformat(timespec="seconds"),
                }
                name = self._names.setdefault(id(session), f"{secrets.token_hex(4)}.json")
                self._last = self._writer.submit(self._put, name, data, frozen(session.document))

    def flush(self) -> bool:
        """Write what is waiting and wait until it is on disk; whether all that is not saved is kept there."""
        self.write()
        if self._last is not None:
            self._last.result(timeout=10)
        is_saved = all(session.is_saved for session in self._workspace.sessions)
        return is_saved or (self._is_on and not self._fault)

    def close(self) -> None:
        """Stop; the journals of this window go, for whatever was to be kept has been saved."""
        self._is_on = False
        self._timer.stop()
        for session in list(self._workspace.sessions):
            self.forget(session)
        self._workspace.opened.disconnect(self.watch, missing_ok=True)
        self._workspace.closed.disconnect(self.forget, missing_ok=True)
        self._writer.shutdown(wait=True)
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None
            shutil.rmtree(self._folder, ignore_errors=True)

    def turn(self, is_on: bool) -> None:
        """Keep journals, or none, from now on."""
        self._is_on, self._told = is_on, ""
        for session in self._workspace.sessions:
            if is_on:
                self._note(session)
            else:
                self._remove(session)
        if not is_on:
            self._timer.stop()
            self._dirty = []

    def _note(self, session: Session) -> None:
        if not self._is_on:
            return
        if session.is_saved:
            self._dirty = [other for other in self._dirty if other is not session]
            self._remove(session)
            return
        if session not in self._dirty:
            self._dirty.append(session)
        if not self._timer.isActive():
            self._timer.start()

    def _own_folder(self) -> bool:
        """Make the folder and its lock, if they are not there yet or any more; whether that was possible."""
        if self._lock is not None and self._folder.is_dir():
            return True
        if self._lock is not None:  # at its end it would take the new one away
            self._lock.unlock()
            self._lock = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._end(error.strerror or str(error))
            return False
        lock = QLockFile(str(self._folder / "lock"))
        lock.setStaleLockTime(0)
        if not lock.tryLock(0):  # another program would take the journals for those of a dead one
            self._end("the folder takes no lock")
            return False
        self._lock = lock
        return True

    def _put(self, name: str, data: dict[str, Any], document: Document) -> None:
        """Runs in a thread of its own, so that no large drawing and no slow disk hold the window."""
        try:
            drawing = files.document_to_data(document)
            text = json.dumps({**data, "drawing": drawing}, ensure_ascii=False, allow_nan=False)
            files.write_atomically(self._folder / name, text.encode())
        except (OSError, ValueError) as error:
            self._end(str(error))
        else:
            self._end("")

    def _end(self, fault: str) -> None:
        """A try to keep something is over, in whichever thread."""
        self._fault = fault
        self._tried.emit(fault)

    def _follow(self, fault: str) -> None:
        """Tell of a fault once, and try again what is not kept."""
        if not self._is_on:
            return
        if fault:
            for session in self._workspace.sessions:
                self._note(session)
        if fault and not self._told:
            log.warning("autosave: %s", fault)
            self.failed.emit(fault)
        self._told = fault

    def _remove(self, session: Session) -> None:
        name = self._names.pop(id(session), None)
        if name is not None:
            self._last = self._writer.submit(self._unlink, name)

    def _unlink(self, name: str) -> None:
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            log.warning("autosave: %s", error)


def autosave_folder() -> Path:
    """Where journals lie."""
    return state_folder() / "autosave"


def leftovers(folder: Path | None = None) -> list[Leftover]:
    """What killed programs have left, the latest first; what cannot be read is logged and set aside."""
    found: list[Leftover] = []
    root = folder or autosave_folder()
    try:
        owners = [owner for owner in root.iterdir() if owner.is_dir()]
    except OSError:
        return []
    for owner in owners:
        lock = QLockFile(str(owner / "lock"))
        lock.setStaleLockTime(0)
        if not lock.tryLock(0):
            continue  # its window is alive
        try:
            for file in owner.glob("*.json"):
                leftover = _read(file)
                if leftover is not None:
                    found.append(leftover)
        except OSError as error:
            log.warning("autosave: %s", error)
        lock.unlock()
        if not any(leftover.file.parent == owner for leftover in found):
            _tidy(owner)
    return sorted(found, key=lambda leftover: leftover.time, reverse=True)


def discard(leftover: Leftover) -> None:
    """Take a leftover away, once it was recovered or is not wanted."""
    try:
        leftover.file.unlink(missing_ok=True)
    except OSError as error:
        log.warning("autosave: %s", error)
    _tidy(leftover.file.parent)


def _read(file: Path) -> Leftover | None:
    try:
        if file.stat().st_size > files.LARGEST_FILE:
            raise ValueError("it is larger than any drawing")
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError("it is no autosave")
        document = files.document_from_data(data.get("drawing"))
        path = Path(data["path"]) if isinstance(data.get("path"), str) and data["path"] else None
        title = data["title"] if isinstance(data.get("title"), str) else document.title
        time = datetime.fromisoformat(str(data.get("time")))
        return Leftover(file, title, path, time, document, _stamp(data.get("stamp")))
    except (OSError, ValueError, RecursionError) as error:
        log.warning("autosave %s cannot be read and is set aside: %s", file.name, error)
        try:
            file.rename(file.with_suffix(".damaged"))
        except OSError as problem:
            log.warning("autosave: %s", problem)
        return None


def _stamp(value: Any) -> Stamp | None:
    known = isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str)
    return Stamp(value[0], value[1]) if known else None


def _tidy(owner: Path) -> None:
    """Remove a folder that holds nothing to recover; damaged files stay for whoever wants to look."""
    try:
        for name in ("lock",):
            (owner / name).unlink(missing_ok=True)
        if not any(owner.iterdir()):
            owner.rmdir()
    except OSError as error:
        log.warning("autosave: %s", error)
