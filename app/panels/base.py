"""What every panel is: a widget that listens to the workspace and the current session, and writes back to them only."""

from __future__ import annotations

from typing import ClassVar, Literal

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.session import Session
from app.workspace import Workspace


class Panel(QWidget):
    """A panel.

    A subclass gives `title`, `side`, `rank` and overrides `refresh`, which is called, at most once an event-loop turn
    and only while the panel can be seen, after anything it may depend on has changed: the document, the selection, the
    level, the run, the theme. `badge` is what the tab shows after the title.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    side: ClassVar[Literal["bottom", "right", "left"]] = "bottom"
    rank: ClassVar[int] = 0

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        self._stale = True
        super().__init__(parent)
        self.workspace = workspace
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._refresh_now)
        self._session: Session | None = None
        workspace.switched.connect(self._switch)
        workspace.ran.connect(self.invalidate)
        workspace.engine_changed.connect(self.invalidate)
        self._switch(workspace.session)

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return self.workspace.session

    def refresh(self) -> None:
        """Show what the workspace and the session say now."""
        raise NotImplementedError

    def badge(self) -> str:
        """A short text after the title of the tab, such as the number of problems."""
        return ""

    def take_focus(self) -> None:
        """Put the focus where work in this panel begins."""
        self.setFocus()

    def invalidate(self) -> None:
        """Ask for a refresh soon."""
        self._stale = True
        if self.isVisible():
            self._timer.start()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.invalidate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _switch(self, session: Session) -> None:
        old = self._session
        if old is not None:
            for signal in (old.edited, old.selected, old.entered):
                signal.disconnect(self.invalidate, missing_ok=True)
        for signal in (session.edited, session.selected, session.entered):
            signal.connect(self.invalidate)
        self._session = session
        self.invalidate()

    def _refresh_now(self) -> None:
        if self._stale and self.isVisible():
            self._stale = False
            self.refresh()
