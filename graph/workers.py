"""A worker process as the window sees it: its pipe, the slot for its arrays, and how it ended."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graph import messages, worker
from graph.slots import Slot

if TYPE_CHECKING:
    from graph.jobs import Job

SMALLEST = 1 << 20
LARGE = 1 << 26
FAREWELL = 2.0
ENDS = ("result", "error", "stopped")


class Worker:
    """A process, started at once."""

    def __init__(self, jobs: Mapping[str, Job | str], device: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.ready = False
        self.active = False
        self._inbox: deque[dict[str, Any]] = deque()
        self._lock = threading.Lock()
        self._slot: Slot | None = None
        self._gone = False
        self._code: int | None = None
        self._process = context.Process(
            target=worker.main, args=(theirs, jobs, device), name="blockwright-engine", daemon=True
        )
        self._process.start()
        theirs.close()  # so that the end of the process is the end of the pipe

    @property
    def pid(self) -> int | None:
        """The process."""
        return self._process.pid

    @property
    def memory(self) -> memoryview | None:
        """Where its arrays lie."""
        return self._slot.memory if self._slot is not None else None

    @property
    def epitaph(self) -> str:
        """How it ended, in a sentence."""
        code = self._code
        how = f"with code {code}"
        if code is not None and code < 0:
            try:
                how = f"by {signal.Signals(-code).name}"
            except ValueError:
                how = f"by signal {-code}"
        if code == -9:
            how += ", perhaps because the memory ran out"
        return f"The engine's process was ended {how}; the drawing is as it was."

    def hear(self) -> tuple[list[dict[str, Any]], bool]:
        """What it said since, and whether it still lives."""
        alive = self._pull()
        with self._lock:
            said = list(self._inbox)
            self._inbox.clear()
        return said, alive

    def has_answered(self, request: int) -> bool:
        """Whether the end of a request has arrived but was not heard yet. Safe to call from any thread."""
        self._pull()
        with self._lock:
            return any(said.get("request") == request and said["type"] in ENDS for said in self._inbox)

    def _pull(self) -> bool:
        """Take in what has arrived; False once the process is gone."""
        with self._lock:
            if self._gone:
                return False
            try:
                while self.connection.poll(0):
                    self._inbox.append(messages.decode(self.connection.recv_bytes()))
            except (EOFError, OSError):
                self._gone = True
            except messages.MessageError:
                self._process.kill()
                self._gone = True
            return not self._gone

    def send(self, kind: str, /, **fields: Any) -> None:
        """Say something; if nobody listens any more, `pull` will notice."""
        data = messages.encode(kind, **fields)
        try:
            self.connection.send_bytes(data)
        except OSError:
            return

    def grant(self, request: int, size: int) -> None:
        """Give it room for arrays: the slot it has, or another where that is too small or far too large."""
        try:
            if self._slot is None or self._slot.size < size or self._slot.size > max(LARGE, 8 * size):
                if self._slot is not None:
                    self._slot.close()
                    self._slot = None
                self._slot = Slot.create(max(SMALLEST, 1 << (size - 1).bit_length()))
        except OSError as error:
            self.send("grant", request=request, fault=f"no room for {size:,} bytes: {error.strerror}")
            return
        slot = self._slot
        self.send("grant", request=request, kind=slot.kind, name=slot.name, size=slot.size)

    def kill(self) -> None:
        """End it now."""
        self._process.kill()

    def close(self, *, patience: float = FAREWELL) -> None:
        """End it, by force when it takes longer than `patience`, and give back what it had."""
        if patience:
            self.send("stop")
            self._process.join(patience)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        self._code = self._process.exitcode
        self._process.close()
        with self._lock:
            self._gone = True
            self.connection.close()
        if self._slot is not None:
            self._slot.close()
            self._slot = None
