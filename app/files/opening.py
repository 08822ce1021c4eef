"""Large drawings are read, checked and laid out in a thread, so that the window goes on painting meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEventLoop, Qt, QThread
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from app.session import Session

LARGE = 200_000
"""Bytes of a file, some eight hundred nodes, from which on reading it would be felt."""


class _Reading(QThread):
    """Makes the session of a file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self.session: Session | None = None
        self.fault: Exception | None = None

    def run(self) -> None:
        from app.canvas.geometry import prepare
        from app.workspace import read

        try:
            session = read(self._path)
            prepare(session.document.top, session.report.top)
            self.session = session
        except Exception as fault:  # noqa: BLE001, it is raised where the session was asked for
            self.fault = fault


def read_apart(path: Path) -> Session:
    """The session of a file; while a large one is read, the window paints but takes no input.

    Raises:
        FileError: it cannot be read.
    """
    from app.canvas import geometry  # noqa: F401 - only the window's thread may be the first to import what knows Qt
    from app.workspace import read

    if not path.is_file() or path.stat().st_size < LARGE:
        return read(path)
    reading, loop = _Reading(path), QEventLoop()
    reading.finished.connect(loop.quit)
    QGuiApplication.setOverrideCursor(Qt.CursorShape.BusyCursor)
    try:
        reading.start()
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    finally:
        reading.wait()
        QGuiApplication.restoreOverrideCursor()
    if reading.fault is not None:
        raise reading.fault
    assert reading.session is not None
    return reading.session
