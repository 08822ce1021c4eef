"""A block of memory that two processes see: shared memory, or a mapped file where that is too small.

The window makes and removes slots; the worker only looks into them. So what a killed worker leaves behind is nothing.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

SHARED = Path("/dev/shm")
SPARE = 16 * 2**20


class Slot:
    """A block of memory under a name.

    Args:
        kind: "memory" or "file".
        name: what the other process finds it by.
        size: bytes.
    """

    def __init__(self, kind: str, name: str, size: int, block: Any, owned: bool) -> None:
        self.kind = kind
        self.name = name
        self.size = size
        self._block = block
        self._owned = owned
        self._view = memoryview(block) if kind == "file" else None

    @classmethod
    def create(cls, size: int) -> Slot:
        """A new block of at least that many bytes.

        Raises:
            OSError: there is no room for it.
        """
        if _has_room(size):
            block = shared_memory.SharedMemory(create=True, size=size)
            return cls("memory", block.name, size, block, True)
        handle, path = tempfile.mkstemp(prefix="blockwright-")
        try:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(handle, 0, size)  # a full disk is an error here, a crash later
            else:
                os.ftruncate(handle, size)
            block = mmap.mmap(handle, size)
        except OSError:
            os.close(handle)
            os.unlink(path)
            raise
        os.close(handle)
        return cls("file", path, size, block, True)

    @classmethod
    def attach(cls, kind: str, name: str, size: int) -> Slot:
        """A block that the other process made."""
        if kind == "file":
            with open(name, "r+b") as file:
                return cls(kind, name, size, mmap.mmap(file.fileno(), size), False)
        if sys.version_info >= (3, 13):
            return cls(kind, name, size, shared_memory.SharedMemory(name, track=False), False)
        # This registers the block once more with the tracker that both processes share, which does no harm: names
        # are a set there, and the owner removes its slots only after the worker was done with them.
        return cls(kind, name, size, shared_memory.SharedMemory(name), False)

    @property
    def memory(self) -> memoryview:
        """The bytes."""
        return self._block.buf if self._view is None else self._view

    def close(self) -> None:
        """Let go of it; its owner removes it, too."""
        if self._view is not None:
            self._view.release()
            self._view = None
        self._block.close()
        if not self._owned:
            return
        self._owned = False
        if self.kind == "memory":
            self._block.unlink()
        else:
            Path(self.name).unlink(missing_ok=True)


def _has_room(size: int) -> bool:
    """Whether shared memory can take that much; writing beyond its end would kill the process."""
    if not SHARED.is_dir():
        return True
    state = os.statvfs(SHARED)
    return size + SPARE <= state.f_bavail * state.f_frsize
