"""Says what keys have done on the canvas: the node one came to and its wires, the step that was made, the level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.access import in_words
from app.access.voice import VOICE

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.session import Session
    from app.workspace import Workspace
    from graph.document import Wire

MOST_NODES = 2000
"""Up to so many nodes of a level the wires before and after a step are compared."""


class Announcer(QObject):
    """Listens to the drawing in front, and says in one breath what came of one key."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace: Workspace | None = None
        self._session: Session | None = None
        self._steps: tuple[int, int, object] = (0, 0, None)
        self._wires: set[Wire] = set()
        self._titles: dict[str, str] = {}
        self._problems = ""
        self._run = "idle"
        self._sentences: dict[str, str] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._speak)

    def attach(self, workspace: Workspace) -> None:
        """Begin to listen."""
        self._workspace = workspace
        workspace.switched.connect(self._listen)
        workspace.ran.connect(self._ran)
        self._listen(workspace.session)

    def stop(self) -> None:
        """Listen no longer."""
        self._soon.stop()
        if self._workspace is not None:
            self._workspace.switched.disconnect(self._listen, missing_ok=True)
            self._workspace.ran.disconnect(self._ran, missing_ok=True)
        self._leave()

    def _listen(self, session: Session) -> None:
        self._leave()
        self._session = session
        session.edited.connect(self._edited)
        session.selected.connect(self._selected)
        session.entered.connect(self._entered)
        self._keep()

    def _leave(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.edited.disconnect(self._edited, missing_ok=True)
            session.selected.disconnect(self._selected, missing_ok=True)
            session.entered.disconnect(self._entered, missing_ok=True)

    def _keep(self) -> None:
        """Keep what is so before the next step."""
        session = self._session
        if session is None or not VOICE.is_heard:
            self._wires, self._titles = set(), {}
            return
        history = session.history
        self._steps = (len(history.done), len(history.undone), history.done[-1].state if history.done else None)
        level = session.document.level(session.at)
        small = len(level.nodes) <= MOST_NODES
        self._wires = set(level.wires()) if small else set()
        self._titles = {id: in_words.title_in_words(node) for id, node in level.nodes.items()} if small else {}
        self._problems = in_words.problems_in_words(session)

    def _edited(self) -> None:
        if not VOICE.is_heard or self._session is None:
            return
        self._say("step", self._step(self._session))
        before = self._problems
        self._keep()
        if self._problems != before:
            self._say("problems", f"{self._problems}.")

    def _step(self, session: Session) -> str:
        """What was done, undone or done again."""
        history, (done, undone, _) = session.history, self._steps
        if len(history.undone) > undone:
            return f"Undone: {history.undone[-1].label}."
        if undone and len(history.undone) == undone - 1 and len(history.done) == done + 1:
            return f"Done again: {history.done[-1].label}."
        level = session.document.level(session.at)
        label = history.done[-1].label if history.done else ""
        if not self._titles or len(level.nodes) > MOST_NODES:
            return f"{label}."
        wires = set(level.wires())
        new = sorted(wires - self._wires, key=lambda wire: (wire.target, wire.input, wire.order))
        gone = sorted(self._wires - wires, key=lambda wire: (wire.target, wire.input, wire.order))
        words = in_words.wires_in_words(session, new, gone, self._titles)
        if words and level.nodes.keys() == self._titles.keys():
            return f"{words}."  # the ends say more than the name of the step
        return ". ".join(part for part in (label, words) if part) + "."

    def _selected(self) -> None:
        canvas, session = self._window.canvas, self._session
        if session is None or canvas is None or not VOICE.is_heard or not canvas.hasFocus():
            return
        if session.wire is not None:
            words = in_words.wire_in_words(session, session.wire)
        elif canvas.walker.reached in session.selection:
            words = in_words.node_in_words(session, canvas.walker.reached)
        elif session.focus is not None:
            words = in_words.node_in_words(session, session.focus[-1])
        else:
            words = ""
        count = len(session.selection) + len(session.comments)
        if count > 1:
            words = f"{count} selected. {words}".strip()
        elif not words and session.comments:
            comment = session.document.level(session.at).comments[next(iter(session.comments))]
            words = f"{comment.kind}: {comment.text}".capitalize()
        self._say("node", words or "Nothing selected.")

    def _entered(self) -> None:
        if self._session is not None and VOICE.is_heard:
            self._say("level", in_words.level_in_words(self._session))
        self._keep()

    def _ran(self) -> None:
        workspace = self._workspace
        if workspace is None or not VOICE.is_heard:
            return
        words = {"running": "Running.", "done": "The run is done.", "cancelled": "The run was cancelled."}
        text = words.get(workspace.run_state.state, "")
        if text and workspace.run_state.state != self._run:
            self._say("run", text)
        self._run = workspace.run_state.state

    def _say(self, about: str, text: str) -> None:
        """Say something when the key is done; a later sentence about the same thing replaces an earlier one."""
        self._sentences.pop(about, None)
        self._sentences[about] = text
        self._soon.start(0)

    def _speak(self) -> None:
        sentences, self._sentences = self._sentences, {}
        order = ("step", "problems", "level", "node", "run")
        text = " ".join(sentences[about] for about in order if sentences.get(about))
        VOICE.say(self._window.canvas or self._window, text)
