"""What the window works with: the open documents, the engine client, and the readings of the last run. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar

from psygnal import Signal

from app.files.stamps import Stamp
from app.freshness import Drawing, drawing_of
from app.session import Session
from graph import files
from graph.document import Document

if TYPE_CHECKING:
    from graph.engine import Engine
    from graph.messages import Reading

Receiver = Callable[[dict[str, Any]], None]


@dataclass
class _Pending:
    """Who wants to hear of a request."""

    job: str
    session: Session
    done: Receiver
    failed: Callable[[str], None] | None
    progress: Receiver | None
    counts: bool = True  # whether the answer speaks of the session's own document
    kept: bool = True  # whether the answer is of general interest: no what-if


@dataclass
class Run:
    """The last run of a session: its state and, once done, its reading.

    `state` is idle, running, done, failed or cancelled; `text` says what is happening or what went wrong. `died` tells
    that the engine stopped in the middle; `fault` that a failure is the user's to mend, not the program's. `drawing`
    and `options` are what was run and how.
    """

    state: str = "idle"
    text: str = ""
    done: int = 0
    total: int = 0
    revision: int = -1
    data: Mapping[str, Any] = field(default_factory=dict)
    request: int | None = None
    died: bool = False
    fault: bool = True
    drawing: Drawing | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The last result of a job for a session, and the revision of the document that it speaks of."""

    revision: int
    data: Mapping[str, Any]


class Workspace:
    """The open documents and the process that runs them.

    Signals:
        switched: another session is shown; carries it.
        opened, closed: a session has come or gone; carry it.
        moved: the order of the sessions has changed; carries the one that was moved.
        ran: the run of the current session has changed (begun, progressed, ended).
        engine_changed: the engine's state or device has changed.
        answered: a job has ended well for the current session; carries its name (see `latest`).
        failed: something could not be done; carries a title and a sentence.

    `options` go with every request, below what the request itself says: the device and dtype that the user prefers.
    """

    switched: ClassVar[Signal] = Signal(Session)
    opened: ClassVar[Signal] = Signal(Session)
    closed: ClassVar[Signal] = Signal(Session)
    moved: ClassVar[Signal] = Signal(Session)
    ran: ClassVar[Signal] = Signal()
    engine_changed: ClassVar[Signal] = Signal()
    answered: ClassVar[Signal] = Signal(str)
    failed: ClassVar[Signal] = Signal(str, str)

    def __init__(self, engine: Engine | None = None) -> None:
        self.engine = engine
        self.sessions: list[Session] = []
        self.session = Session(Document())
        self.sessions.append(self.session)
        self.options: dict[str, Any] = {}
        self._runs: dict[int, Run] = {}
        self._answers: dict[tuple[int, str], Answer] = {}
        self._pending: dict[int, _Pending] = {}
        self._engine_state = ""
        self.reading: Reading | None = None
        """The one that is being handed out, for receivers that want to know more of a failure."""

    @property
    def run_state(self) -> Run:
        """The last run of the current session."""
        return self._runs.setdefault(id(self.session), Run())

    @property
    def is_running(self) -> bool:
        """Whether the current session is being run."""
        return self.run_state.state == "running"

    def latest(self, job: str) -> Answer | None:
        """The last result of a job for the current session, whoever asked for it."""
        return self._answers.get((id(self.session), job))

    def is_pending(self, job: str) -> bool:
        """Whether an answer for `latest` is on its way; the engine drops the older of two requests of one job."""
        waits = self._pending.values()
        return any(wait.job == job and wait.counts and wait.kept and wait.session is self.session for wait in waits)

    def show(self, session: Session) -> None:
        """Make a session the current one, opening it if it is new."""
        if session not in self.sessions:
            blank = self.session
            if blank.is_blank:
                self._forget(blank)
            self.sessions.append(session)
            self.opened.emit(session)
        if session is not self.session:
            self.session = session
            self.switched.emit(session)
            self.ran.emit()

    def close(self, session: Session) -> None:
        """Close a session; the last one leaves an empty document behind."""
        position = self.sessions.index(session)
        self._forget(session)
        if not self.sessions:
            self.sessions.append(Session(Document()))
        if session is self.session:
            self.session = self.sessions[max(0, position - 1)]
            self.switched.emit(self.session)
            self.ran.emit()

    def open(self, path: FilePath, reader: Callable[[FilePath], Session] | None = None) -> Session:
        """Open a drawing, or show it when it is open already.

        Args:
            path: the file.
            reader: makes the session of a file; by default `read`.

        Raises:
            FileError: it cannot be read.
        """
        path = path.resolve()
        session = self.find(path)
        if session is None:
            session = (reader or read)(path)
        self.show(session)
        return session

    def add(self, path: FilePath) -> Session:
        """Open a drawing behind the others, without showing it.

        Raises:
            FileError: it cannot be read.
        """
        path = path.resolve()
        session = self.find(path)
        if session is None:
            session = read(path)
            self.sessions.append(session)
            self.opened.emit(session)
        return session

    def find(self, path: FilePath) -> Session | None:
        """The session of a file, if it is open."""
        return next((session for session in self.sessions if session.path == path), None)

    def move(self, session: Session, place: int) -> None:
        """Put a session at another place in their order."""
        self.sessions.remove(session)
        self.sessions.insert(place, session)
        self.moved.emit(session)

    def request(
        self,
        job: str,
        done: Receiver,
        *,
        failed: Callable[[str], None] | None = None,
        progress: Receiver | None = None,
        document: Document | None = None,
        keep: bool = True,
        **options: Any,
    ) -> int | None:
        """Ask the engine for something about the current document, or about one that is not open.

        The receivers are called from `poll`, and only while the session is open. `keep` makes the answer the `latest`
        of the job; a what-if is not kept. Returns the id of the request, or None when there is no engine.
        """
        if self.engine is None:
            return None
        asked = self.session.document if document is None else document
        data = files.document_to_data(asked)
        given = {**self.options, **options}
        if self.session.path is not None and document is None:
            given.setdefault("folder", str(self.session.path.parent))
        request = self.engine.submit(job, data, revision=asked.revision, **given)
        self._pending[request] = _Pending(job, self.session, done, failed, progress, document is None, keep)
        return request

    def run(self, **options: Any) -> None:
        """Run the current document forward; progress and result arrive through `ran`."""
        document = self.session.document
        run = Run("running", "Starting", revision=document.revision, drawing=drawing_of(document), options=options)
        self._runs[id(self.session)] = run
        session = self.session
        until = str(options.get("until") or "")
        session.live.begin(tuple(until.split("/")) if until else ())

        def over(timings: Mapping[str, float] | None = None) -> None:
            if self._runs.get(id(session)) is run:  # else another has begun meanwhile
                session.live.end(timings, run.drawing)

        def done(data: dict[str, Any]) -> None:
            run.state, run.text, run.data = "done", "", data
            over(data.get("timings", {}))
            self.ran.emit()

        def failed(sentence: str) -> None:
            over()
            run.state, run.text = ("cancelled", "Cancelled.") if sentence == "cancelled" else ("failed", sentence)
            if self.reading is not None:
                run.died = self.reading.kind == "died"
                run.fault = bool(self.reading.data.get("fault", True))
            self.ran.emit()

        def progress(data: dict[str, Any]) -> None:
            run.done, run.total, run.text = data.get("done", 0), data.get("total", 0), data.get("text", "")
            session.live.follow(data.get("place", ""), data.get("passed", ()))
            self.ran.emit()

        run.request = self.request("run", done, failed=failed, progress=progress, **options)
        if run.request is None:
            run.state, run.text = "failed", "The engine is not running."
            over()
        self.ran.emit()

    def cancel(self, request: int | None = None) -> None:
        """Cancel a request, by default the current run."""
        request = self.run_state.request if request is None else request
        if self.engine is not None and request is not None:
            self.engine.cancel(request)

    def poll(self) -> None:
        """Hand out what has come from the engine; the window calls it when the engine's pipe is readable."""
        if self.engine is None:
            return
        for reading in self.engine.poll():
            self._receive(reading)
        if self.engine.state != self._engine_state:
            self._engine_state = self.engine.state
            self.engine_changed.emit()

    def _receive(self, reading: Reading) -> None:
        pending = self._pending.get(reading.request)
        if pending is None:
            return
        if reading.kind == "progress":
            if pending.progress is not None and pending.session in self.sessions:
                pending.progress(reading.data)
            return
        del self._pending[reading.request]
        if pending.session not in self.sessions:
            return
        self.reading = reading
        if reading.kind == "result":
            if pending.counts and pending.kept:
                self._answers[id(pending.session), pending.job] = Answer(reading.revision, reading.data)
            pending.done(reading.data)
            if pending.counts and pending.kept and pending.session is self.session:
                self.answered.emit(pending.job)
        elif pending.failed is not None:
            sentence = "cancelled" if reading.kind == "cancelled" else str(reading.data.get("message", ""))
            pending.failed(sentence)
        self.reading = None

    def _forget(self, session: Session) -> None:
        self.sessions.remove(session)
        if self.engine is not None:
            for request in [id for id, wait in self._pending.items() if wait.session is session]:
                self.engine.cancel(request)
        self._runs.pop(id(session), None)
        self._answers = {key: answer for key, answer in self._answers.items() if key[0] != id(session)}
        self.closed.emit(session)


def read(path: FilePath) -> Session:
    """A session of a file.

    Raises:
        FileError: it cannot be read.
    """
    stamp = Stamp.of(path)  # before it is read: what is written in between is noticed
    session = Session(files.load(path), path)
    session.stamp = stamp
    return session
