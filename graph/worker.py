"""The process that holds the tensors: takes one request at a time, reports, and stops at once when told to.

A thread listens to the window, so that a request can be interrupted while it runs: the running code needs no checks.
"""

from __future__ import annotations

import _thread
import importlib
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from types import FrameType
from typing import TYPE_CHECKING, Any

from graph import messages
from graph.slots import Slot

if TYPE_CHECKING:
    from graph.jobs import Job
    from graph.running import Workbench

REPORT_EVERY = 0.05
AGAIN = 0.02
"""Seconds until a cancellation that met an import tries again."""
OURS = ("graph", "exporters", "blocks")


class Interrupted(BaseException):
    """The window does not want the result any more."""


def main(connection: Connection, jobs: Mapping[str, Job | str], device: str) -> None:
    """Serve the window until it goes away.

    Args:
        connection: to the window, and to nobody else.
        jobs: what can be asked for; messages name a job, never a module.
        device: where tensors live.
    """
    _Worker(connection, jobs, device).serve()


class _Worker:
    def __init__(self, connection: Connection, jobs: Mapping[str, Job | str], device: str) -> None:
        self._connection = connection
        self._table = jobs
        self._jobs: dict[str, Job] = {}
        self._device = device
        self._bench: Workbench | None = None
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._grants: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._slot: Slot | None = None
        self._current: int | None = None
        self._unwanted: int | None = None
        self._shields = 0
        self._reported = 0.0
        self._untold: dict[str, Any] | None = None
        """What is to be reported and was not yet, as the last report is not long ago."""
        self._passed: list[str] = []
        """The calls that have ended since then."""
        self._talking = threading.Lock()

    def serve(self) -> None:
        """Answer requests one after another."""
        # Ctrl+C in a terminal reaches this process too; it ends when the window does.
        signal.signal(signal.SIGINT, self._interrupt)
        threading.Thread(target=self._listen, name="listener", daemon=True).start()
        self._jobs = {name: _resolve(job) for name, job in self._table.items()}
        import graph.running  # torch, while nobody waits yet  # noqa: F401

        self._send("ready")
        while True:
            message = self._requests.get()
            if message["type"] == "activate":
                self._activate()
            else:
                self._answer(message)

    def _listen(self) -> None:
        """Runs in a thread of its own."""
        while True:
            try:
                while not self._connection.poll(REPORT_EVERY if self._is_busy() else None):
                    with self._talking:
                        self._tell()  # what runs now may run for long, and nobody would know what it is
                message: dict[str, Any] = messages.decode(self._connection.recv_bytes())
            except (EOFError, OSError):
                message = {"type": "stop"}  # the window is gone
            kind = message["type"]
            if kind == "stop":
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
            if kind == "cancel":
                self._unwanted = message["request"]
                self._wake_main()
            elif kind == "grant":
                self._grants.put(message)
            else:
                self._requests.put(message)

    @staticmethod
    def _wake_main() -> None:
        main_thread = threading.main_thread().ident
        if hasattr(signal, "pthread_kill") and main_thread is not None:
            signal.pthread_kill(main_thread, signal.SIGINT)  # reaches a main thread that waits, too
        else:
            _thread.interrupt_main()

    def _interrupt(self, _number: int, frame: FrameType | None) -> None:
        """The signal, in the main thread: stop the request that is not wanted, and nothing else."""
        if self._shields:
            return
        if _is_importing(frame):
            if self._current is not None and self._unwanted == self._current:
                again = threading.Timer(AGAIN, self._wake_main)
                again.daemon = True
                again.start()
            return
        self._stop_if_unwanted()

    def _stop_if_unwanted(self) -> None:
        if self._current is not None and self._unwanted == self._current:
            self._unwanted = None
            raise Interrupted

    @contextmanager
    def _shielded(self) -> Iterator[None]:
        """What must not be torn in two, such as a message on its way."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
        if not self._shields:
            self._stop_if_unwanted()

    def _is_busy(self) -> bool:
        return self._current is not None or not self._requests.empty()

    def _send(self, kind: str, /, **fields: Any) -> None:
        with self._shielded(), self._talking:
            self._connection.send_bytes(messages.encode(kind, **fields))

    def _tell(self) -> None:
        """Say how far the request is, if that was left unsaid; called from both threads, while nothing else is said."""
        untold, self._untold = self._untold, None
        if untold is not None:
            self._reported = time.monotonic()
            passed, self._passed = self._passed, []
            self._connection.send_bytes(messages.encode("progress", **untold, passed=passed))

    def _activate(self) -> None:
        """Take the device; a spare does so only when it is needed."""
        from graph.running import Workbench

        try:
            self._bench = Workbench(self._device)
        except Exception as error:  # whatever it is, the window must hear of it
            self._send("failed", message=_sentence(error))
            return
        self._send("active", device=str(self._bench.device), name=self._bench.device_name)

    def _answer(self, message: dict[str, Any]) -> None:
        request = message["request"]
        try:
            try:
                self._current = request
                self._stop_if_unwanted()  # it may have been cancelled before it was begun
                self._work(request, message)
            finally:
                self._current = None
        except Interrupted:
            self._current = None
            if not self._is_sound():
                os._exit(1)  # torn at an unlucky place: the spare is as good as new
            self._send("stopped", request=request)
        except Exception as error:
            kind = type(error)
            self._send(
                "error",
                request=request,
                message=_sentence(error),
                name=kind.__name__,
                fault=kind.__module__.partition(".")[0] in OURS or _is_out_of_memory(error),
                trace="".join(traceback.format_exception(error)),
                place=str(getattr(error, "place", "")),
            )

    def _work(self, request: int, message: dict[str, Any]) -> None:
        assert self._bench is not None
        job = self._jobs[message["job"]]
        self._reported = 0.0

        self._passed.clear()
        here = ""

        def report(done: int, total: int, text: str, place: str = "", /) -> None:
            nonlocal here
            with self._shielded(), self._talking:
                if here:
                    self._passed.append(here)
                here = place
                self._untold = {"request": request, "done": done, "total": total, "text": text, "place": place}
                if time.monotonic() - self._reported >= REPORT_EVERY:
                    self._tell()

        try:
            data = job(self._bench, message["document"], message["options"], report)
        finally:
            self._untold = None
        plain, arrays = messages.pack(data)
        specs, size = messages.lay_out(arrays)
        if size:
            messages.write(arrays, specs, self._memory(request, size))
        with self._shielded(), self._talking:
            self._connection.send_bytes(messages.encode("result", request=request, data=plain, arrays=specs))
            self._current = None  # it has its answer: nothing is left to stop

    def _memory(self, request: int, size: int) -> memoryview:
        """Room for arrays, asked of the window."""
        self._send("need", request=request, bytes=size)
        while True:
            grant = self._grants.get()
            if grant["request"] == request:
                break
        if grant.get("fault"):
            raise MemoryError(grant["fault"])
        if self._slot is None or self._slot.name != grant["name"]:
            with self._shielded():
                if self._slot is not None:
                    self._slot.close()
                    self._slot = None
                self._slot = Slot.attach(grant["kind"], grant["name"], grant["size"])
        return self._slot.memory

    def _is_sound(self) -> bool:
        """Whether an interruption left nothing of torch switched on."""
        import torch
        from torch.utils import _python_dispatch

        if self._bench is not None:
            self._bench.settle()
        profiled = torch.autograd._profiler_enabled()  # pyright: ignore[reportPrivateImportUsage]
        return not profiled and not _python_dispatch._get_current_dispatch_mode_stack()


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a frame is within an import: one that is torn leaves parts of a package behind that never fit again."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib._bootstrap"):
            return True
        frame = frame.f_back
    return False


def _resolve(job: Job | str) -> Job:
    """The function of a job; the table comes from the program that started this process, never in a message."""
    if not isinstance(job, str):
        return job
    module, _, name = job.partition(":")
    return getattr(importlib.import_module(module), name)


def _sentence(error: Exception) -> str:
    """What an error says, in one line."""
    if _is_out_of_memory(error):
        return "The memory ran out; a smaller batch, a shorter sequence or a narrower number type needs less."
    text = str(error).strip().partition("\n")[0]
    return text or type(error).__name__


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
