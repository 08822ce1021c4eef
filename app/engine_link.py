"""Qt's side of the engine: its pipe is watched, and what comes is handed out in the window's thread."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, QTimer

if TYPE_CHECKING:
    from app.workspace import Workspace
    from graph.engine import Engine

POLL = 20
"""Milliseconds between two looks where the pipe cannot be watched."""

log = logging.getLogger(__name__)


class EngineLink(QObject):
    """Connects a workspace to an engine for as long as the window lives."""

    def __init__(self, workspace: Workspace, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._engine = engine
        workspace.engine = engine
        self._notifier: QSocketNotifier | None = None
        self._timer: QTimer | None = None

    def start(self) -> None:
        """Listen to the engine, which has been started."""
        handle = self._engine.fileno()
        if handle >= 0:
            self._notifier = QSocketNotifier(handle, QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._poll)
        else:
            self._timer = QTimer(self)
            self._timer.setInterval(POLL)
            self._timer.timeout.connect(self._poll)
            self._timer.start()
        self._poll()

    def stop(self) -> None:
        """Stop listening."""
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._timer is not None:
            self._timer.stop()
        self._workspace.engine = None

    def _poll(self) -> None:
        self._workspace.poll()
