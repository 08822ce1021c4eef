"""What a file held when it was read or written: enough to notice that another program has been at it. No Qt."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Stamp:
    """The content of a file as its size and hash; `time` only saves reading it again."""

    size: int
    digest: str
    time: int = field(default=0, compare=False)

    @staticmethod
    def of(path: Path, known: Stamp | None = None) -> Stamp | None:
        """The stamp of a file, or None when there is none that could be read.

        Args:
            path: the file.
            known: an earlier stamp, which still holds where neither time nor size have changed.
        """
        try:
            status = path.stat()
            if known is not None and known.time == status.st_mtime_ns and known.size == status.st_size:
                return known
            return Stamp.of_content(path.read_bytes(), status.st_mtime_ns)
        except OSError:
            return None

    @staticmethod
    def of_content(content: bytes, time: int = 0) -> Stamp:
        """The stamp of a file with this content."""
        return Stamp(len(content), hashlib.blake2b(content, digest_size=16).hexdigest(), time)
