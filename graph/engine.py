"""The window's side of the engine: a process of its own that runs models, and can be cancelled, killed and replaced.

Everything here returns at once. `poll` gives what has arrived; `fileno` becomes readable when there is something. Use
an engine from one thread.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import wait as wait_for
from typing import TYPE_CHECKING, Any, Literal

from graph import messages
from graph.waking import Waker
from graph.workers import FAREWELL, Worker

if TYPE_CHECKING:
    from types import TracebackType

    from graph.jobs import Job

PATIENCE = 0.5
"""Seconds a cancelled request may go on before its process is killed."""

Kind = Literal["progress", "result", "error", "cancelled", "died"]
State = Literal["starting", "ready", "running", "dead"]


@dataclass(frozen=True)
class Reading:
    """Something that arrived.

    Args:
        request: what `submit` gave.
        revision: of the drawing when it was asked.
        job: what was asked for.
        kind: progress {"done", "total", "text", "place", "passed"} (the address of the call that runs, and of those
            that have ended since), or the end of the request: result (the job's data), error {"message", "type",
            "place", "fault", "trace"}, cancelled {"reason"}, died {"message"}.
        data: plain values; arrays have memory of their own.
    """

    request: int
    revision: int
    job: str
    kind: Kind
    data: dict[str, Any]

    @property
    def is_last(self) -> bool:
        """Whether the request has ended with it."""
        return self.kind != "progress"


@dataclass
class _Request:
    id: int
    job: str
    revision: int
    document: Mapping[str, Any]
    options: dict[str, Any]
    closed: bool = False
    """Whether it has had its last reading already, so that what still comes is dropped."""
    timer: threading.Timer | None = field(default=None, repr=False)


class Engine:
    """A worker process, a spare one that is warm, and the requests on their way.

    Args:
        jobs: what the worker can do: functions that can be imported, or "module:function" so that the window need not
            import them (and torch) itself.
        device: where tensors live; "auto" takes a CUDA device where there is one.
        spare: whether a second process waits with torch imported, to take over when the first is killed.
    """

    def __init__(self, jobs: Mapping[str, Job | str], device: str = "auto", *, spare: bool = True) -> None:
        self._jobs = dict(jobs)
        self._device = device
        self._wants_spare = spare
        self._worker: Worker | None = None
        self._spare: Worker | None = None
        self._ids = itertools.count(1)
        self._queue: list[_Request] = []
        self._running: _Request | None = None
        self._readings: list[Reading] = []
        self._open: set[int] = set()
        self._closed = False
        self._polling = False
        self.device_name = ""
        self._waker = Waker() if sys.platform != "win32" else None

    def __enter__(self) -> Engine:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def state(self) -> State:
        """Whether it can work: starting, ready, running, or dead (it could not start, or is closed)."""
        if self._worker is None:
            return "dead"
        if not self._worker.active:
            return "starting"
        return "running" if self._running else "ready"

    def start(self) -> None:
        """Start the worker, unless it runs already."""
        if self._worker is None and not self._closed:
            self._worker = self._launch()

    def submit(self, job: str, document_data: Mapping[str, Any], revision: int = 0, **options: Any) -> int:
        """Ask for a job; an older request for the same job ends as cancelled.

        Returns:
            The number by which readings name this request.

        Raises:
            KeyError: there is no such job.
            RuntimeError: the engine is closed.
        """
        if job not in self._jobs:
            raise KeyError(job)
        if self._closed:
            raise RuntimeError("the engine is closed")
        plain, arrays = messages.pack(options)
        if arrays:
            raise messages.MessageError("Options are plain values; an array goes through a file.")
        for older in [request for request in self._queue if request.job == job]:
            self._queue.remove(older)
            self._finish(older, "cancelled", {"reason": "superseded"})
        if self._running and self._running.job == job and not self._running.closed:
            self._stop_running("superseded")
        request = _Request(next(self._ids), job, revision, document_data, plain)
        self._open.add(request.id)
        self._queue.append(request)
        self.start()
        self._pump()
        return request.id

    def cancel(self, id: int) -> None:
        """End a request: its last reading is there at once, and what does not stop in half a second is killed."""
        for request in self._queue:
            if request.id == id:
                self._queue.remove(request)
                self._finish(request, "cancelled", {"reason": "asked"})
                return
        if self._running and self._running.id == id and not self._running.closed:
            self._stop_running("asked")

    def poll(self) -> list[Reading]:
        """What has arrived since the last call; returns at once."""
        if self._waker is not None:
            self._waker.drain()
        self._polling = True
        for worker in (self._worker, self._spare):
            if worker is not None:
                self._attend(worker)
        self._pump()
        self._polling = False
        readings, self._readings = self._readings, []
        return readings

    def wait(self, id: int, timeout: float | None = None) -> Reading:
        """Wait for the last reading of a request; those of others stay for `poll`.

        Raises:
            KeyError: it has had its last reading already, or never was.
            TimeoutError: it has none yet.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        others: list[Reading] = []
        try:
            while True:
                mine, rest = [], []
                for reading in self.poll():
                    (mine if reading.request == id else rest).append(reading)
                others.extend(rest)
                if mine and mine[-1].is_last:
                    return mine[-1]
                if id not in self._open:
                    raise KeyError(id)
                left = 0.2 if deadline is None else min(0.2, deadline - time.monotonic())
                if left <= 0:
                    raise TimeoutError(f"request {id} has not ended")
                self._sleep(left)
        finally:
            self._readings[:0] = others
            if others and self._waker is not None:
                self._waker.wake()

    def fileno(self) -> int:
        """A descriptor that is readable when `poll` has something to say; -1 on Windows, where a timer must do."""
        return self._waker.fileno() if self._waker is not None else -1

    def close(self) -> None:
        """End the processes and give back all memory; requests that are open end as cancelled."""
        if self._closed:
            return
        self._closed = True
        for request in [*self._queue, *([self._running] if self._running else [])]:
            if not request.closed:
                self._finish(request, "cancelled", {"reason": "closed"})
            self._disarm(request)
        busy = self._running is not None
        self._queue.clear()
        self._running = None
        for worker, kill in ((self._worker, busy), (self._spare, False)):
            if worker is not None:
                self._forget(worker)
                worker.close(patience=FAREWELL if worker.ready and not kill else 0)
        self._worker = self._spare = None
        if self._waker is not None:
            self._waker.close()
            self._waker = None

    def _launch(self) -> Worker:
        worker = Worker(self._jobs, self._device)
        if self._waker is not None:
            self._waker.add(worker)
        return worker

    def _forget(self, worker: Worker) -> None:
        if self._waker is not None:
            self._waker.remove(worker)

    def _attend(self, worker: Worker) -> None:
        """Hear what a process has to say, and whether it still lives."""
        said, alive = worker.hear()
        for message in said:
            self._hear(worker, message)
        if not alive and worker in (self._worker, self._spare):
            self._bury(worker)

    def _hear(self, worker: Worker, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "ready":
            worker.ready = True
            if worker is self._worker:
                worker.send("activate")
        elif kind == "active":
            worker.active = True
            self.device_name = message["name"]
            if self._wants_spare and self._spare is None:
                self._spare = self._launch()
        elif kind == "failed":
            self._fail(worker, message["message"])
        else:
            self._hear_of_request(worker, message)

    def _hear_of_request(self, worker: Worker, message: dict[str, Any]) -> None:
        request = self._running
        if request is None or message.get("request") != request.id or worker is not self._worker:
            return
        kind = message["type"]
        if kind == "need":
            worker.grant(request.id, message["bytes"])
            return
        if kind == "progress":
            if not request.closed:
                data = {name: message[name] for name in ("done", "total", "text", "place", "passed")}
                self._readings.append(Reading(request.id, request.revision, request.job, "progress", data))
            return
        self._disarm(request)
        self._running = None
        if request.closed:
            return
        if kind == "result":
            arrays = messages.read(message["arrays"], worker.memory)
            self._finish(request, "result", messages.unpack(message["data"], arrays))
        elif kind == "error":
            data = {"message": message["message"], "type": message["name"], "place": message["place"]}
            self._finish(request, "error", {**data, "fault": message["fault"], "trace": message["trace"]})
        else:
            self._finish(request, "cancelled", {"reason": "asked"})

    def _pump(self) -> None:
        """Give the next request to a worker that has nothing to do."""
        worker = self._worker
        if self._running or not self._queue or worker is None or not worker.active:
            return
        request = self._queue.pop(0)
        self._running = request
        worker.send(
            "request",
            request=request.id,
            job=request.job,
            revision=request.revision,
            document=request.document,
            options=request.options,
        )

    def _stop_running(self, reason: str) -> None:
        request, worker = self._running, self._worker
        assert request is not None and worker is not None
        self._finish(request, "cancelled", {"reason": reason})
        worker.send("cancel", request=request.id)
        request.timer = threading.Timer(PATIENCE, self._lose_patience, (worker, request.id))
        request.timer.name = "engine-cancel"
        request.timer.daemon = True
        request.timer.start()

    def _lose_patience(self, worker: Worker, id: int) -> None:
        """Runs in the timer's thread: kill a process that goes on, unless its answer lies unread."""
        if not worker.has_answered(id):
            worker.kill()
        waker = self._waker
        if waker is not None:
            waker.wake()

    @staticmethod
    def _disarm(request: _Request) -> None:
        if request.timer is not None:
            request.timer.cancel()
            request.timer.join()
            request.timer = None

    def _finish(self, request: _Request, kind: Kind, data: dict[str, Any]) -> None:
        request.closed = True
        self._open.discard(request.id)
        self._readings.append(Reading(request.id, request.revision, request.job, kind, data))
        if self._waker is not None and not self._polling:
            self._waker.wake()

    def _bury(self, worker: Worker) -> None:
        """A process is gone: tell whom it concerns, and let the spare take over."""
        self._forget(worker)
        worker.close()
        if worker is self._spare:
            self._spare = None
            return
        request, self._running = self._running, None
        if request is not None:
            self._disarm(request)
            if not request.closed:
                self._finish(request, "died", {"message": worker.epitaph})
        self._worker, self._spare = self._spare, None
        if self._worker is not None:
            if self._worker.ready:
                self._worker.send("activate")
        elif worker.active:
            self._worker = self._launch()
        else:
            self._fail(None, worker.epitaph)

    def _fail(self, worker: Worker | None, message: str) -> None:
        """The engine cannot start: whoever waits is told so, and the next request tries again."""
        if worker is not None:
            self._forget(worker)
            worker.close()
            if worker is self._spare:
                self._spare = None
                return
            self._worker = None
        for request in self._queue:
            self._finish(request, "died", {"message": message})
        self._queue.clear()

    def _sleep(self, seconds: float) -> None:
        """Until something arrives."""
        if self._waker is not None:
            self._waker.wait(seconds)
            return
        wait_for([w.connection for w in (self._worker, self._spare) if w is not None], min(seconds, 0.02))
