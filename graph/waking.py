"""One descriptor for everything that may wake the window, on systems where descriptors can be waited for."""

from __future__ import annotations

import os
import selectors
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.workers import Worker


class Waker:
    """One descriptor for everything that may wake the window: the processes, and the engine itself."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._out, self._in = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(self._in, False)
        self._selector.register(self._out, selectors.EVENT_READ)

    def fileno(self) -> int:
        """The descriptor."""
        return self._selector.fileno()  # type: ignore[attr-defined]  # epoll and kqueue can be waited for themselves

    def add(self, worker: Worker) -> None:
        """Wake when this process says something or ends."""
        self._selector.register(worker.connection, selectors.EVENT_READ)

    def remove(self, worker: Worker) -> None:
        """Do so no longer."""
        self._selector.unregister(worker.connection)

    def wake(self) -> None:
        """Wake now. Safe to call from any thread."""
        try:
            os.write(self._in, b".")
        except (BlockingIOError, OSError):
            return  # it is awake already, or closed

    def drain(self) -> None:
        """Having been woken, forget it."""
        try:
            while os.read(self._out, 4096):
                continue
        except BlockingIOError:
            return

    def wait(self, seconds: float) -> None:
        """Sleep until something wakes, or so long."""
        self._selector.select(seconds)

    def close(self) -> None:
        """Give the descriptors back."""
        self._selector.close()
        os.close(self._out)
        os.close(self._in)
