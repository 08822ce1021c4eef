"""What a panel asks the engine: once, after a pause, one at a time for each job, and never for what is known already.

The engine lets the newest request of a job win. Panels that ask for the same job must therefore wait for each other;
a question of one's own that has been overtaken by a newer wish is what may be dropped.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.freshness import drawing_of
from app.session import Session
from app.workspace import Workspace

DELAY = 120
"""Milliseconds of quiet before something is asked."""
PATIENCE = 100
"""Milliseconds between looks at whether the job is free."""
REMEMBERED = 12


class _Answers:
    """The last answers of a workspace, by what was asked; few, so that a list does."""

    def __init__(self) -> None:
        self._kept: list[tuple[Any, Any]] = []

    def find(self, key: Any) -> Any | None:
        return next((data for known, data in self._kept if known == key), None)

    def keep(self, key: Any, data: Any) -> None:
        self._kept = [(known, old) for known, old in self._kept if known != key][1 - REMEMBERED :]
        self._kept.append((key, data))


_answers: WeakKeyDictionary[Workspace, _Answers] = WeakKeyDictionary()
_asking: WeakKeyDictionary[Workspace, dict[str, Question]] = WeakKeyDictionary()


def _asker(workspace: Workspace, job: str) -> Question | None:
    """Whose request of a job is on its way; a closed session's answers never come."""
    other = _asking.get(workspace, {}).get(job)
    return other if other is not None and other._session in workspace.sessions else None


class Question(QObject):
    """One thing a panel wants to know; `ask` as often as you like.

    Signals:
        answered: the answer to what is wanted now has come; carries it.
        failed: it cannot be answered; carries the sentence.
        stirred: `busy`, `done` or `total` has changed.
    """

    answered = Signal(object)
    failed = Signal(str)
    stirred = Signal()

    def __init__(self, workspace: Workspace, job: str, parent: QObject | None = None, *, delay: int = DELAY) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._job = job
        self._wanted: Any = None
        self._options: dict[str, Any] = {}
        self._session: Session | None = None
        self._turn = 0  # counts wishes
        self._flight = 0  # counts requests
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._submit)
        self._delay = delay
        self._lost = False  # whether the engine died over it
        self._revived = False  # whether another engine was asked since: what kills two is asked of no third
        workspace.engine_changed.connect(self._engine_changed)
        self.busy = False
        self.done, self.total = 0, 0
        self.data: Any = None
        self.sentence = ""

    def ask(self, *, at_once: bool = False, **options: Any) -> None:
        """Want to know this of the current document; nothing happens where it is known or being found out."""
        session = self._workspace.session
        everything = {**self._workspace.options, **options}
        key = (self._job, id(session), drawing_of(session.document), everything)
        if self._wanted == key:
            return
        self._wanted, self._options, self._session = key, options, session
        self._turn += 1
        known = self._known()
        if known is not None:
            self._timer.stop()
            self._finish(known)
            return
        self.sentence, self._lost, self._revived = "", False, False
        self._set_busy(True)
        self._timer.start(0 if at_once else self._delay)

    def forget(self) -> None:
        """Want nothing any more."""
        self._wanted = None
        self._turn += 1
        self.data, self.sentence = None, ""
        self._timer.stop()
        self._set_busy(False)

    def drop(self) -> None:
        """Want nothing for now, but keep the last answer to look at."""
        self._wanted = None
        self._turn += 1
        self._timer.stop()
        self._set_busy(False)

    def again(self) -> None:
        """Ask once more for what could not be answered."""
        if self._wanted is not None:
            self.sentence = ""
            self._set_busy(True)
            self._timer.start(0)

    def _known(self) -> Any | None:
        """The answer, where it has been given already: to a panel, or to whoever asked the plain question."""
        found = _answers.setdefault(self._workspace, _Answers()).find(self._wanted)
        latest = self._workspace.latest(self._job) if not self._options else None
        if found is None and latest is not None and latest.revision == self._workspace.session.document.revision:
            found = latest.data
        return found

    def _submit(self) -> None:
        workspace, key = self._workspace, self._wanted
        if key is None:
            return
        if self._session is not workspace.session or key[2] != drawing_of(workspace.session.document):
            self.drop()  # what was asked about is gone; the panel asks again when it looks
            return
        known = self._known()
        if known is not None:
            self._finish(known)
            return
        other = _asker(workspace, self._job)
        if other is not self and (other is not None or workspace.is_pending(self._job)):
            self._timer.start(PATIENCE)
            return
        _asking.setdefault(workspace, {})[self._job] = self
        self._flight += 1
        turn, flight = self._turn, self._flight

        def done(data: dict[str, Any]) -> None:
            self._land(flight)
            _answers.setdefault(workspace, _Answers()).keep(key, data)
            if turn == self._turn and isValid(self):
                self._finish(data)

        def failed(sentence: str) -> None:
            self._land(flight)
            if turn != self._turn or not isValid(self):
                return
            if sentence == "cancelled":  # someone else asked for the same job; wait until it is free
                self._timer.start(3 * PATIENCE)
                return
            gone = workspace.engine is None or workspace.engine.state in ("starting", "dead")
            self._lost = gone and not self._revived
            self.sentence = sentence or "The engine has stopped."
            self._set_busy(False)
            self.failed.emit(self.sentence)

        def progress(data: dict[str, Any]) -> None:
            if turn == self._turn and isValid(self):
                self.done, self.total = int(data.get("done", 0)), int(data.get("total", 0))
                self.stirred.emit()

        keep = not self._options or self._job != "estimate"  # a what-if is nobody else's business
        if workspace.request(self._job, done, failed=failed, progress=progress, keep=keep, **self._options) is None:
            failed("The engine is not running.")

    def _engine_changed(self) -> None:
        """Another process has taken over: ask it what the last one took to its grave, once."""
        engine = self._workspace.engine
        if isValid(self) and self._lost and engine is not None and engine.state == "ready":
            self._lost, self._revived = False, True
            self.again()

    def _land(self, flight: int) -> None:
        """A request has ended; unless a newer one of ours is on its way, the job is free."""
        asking = _asking.get(self._workspace, {})
        if flight == self._flight and asking.get(self._job) is self:
            del asking[self._job]

    def _finish(self, data: Any) -> None:
        self.data, self.sentence = data, ""
        self._set_busy(False)
        self.answered.emit(data)

    def _set_busy(self, busy: bool) -> None:
        if busy != self.busy:
            self.busy = busy
            self.done, self.total = 0, 0
            self.stirred.emit()
