"""Icons as files for style sheets, which take pictures from files only and cannot colour them."""

from __future__ import annotations

import atexit
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from app import icons


@lru_cache(64)
def url(name: str, colour: str, size: int) -> str:
    """What a style sheet writes to show an icon in a colour; the file lives as long as the program."""
    file = _folder() / f"{name}-{colour.lstrip('#')}-{size}.svg"
    drawing = icons.text(name, colour, icons.LINE * icons.VIEW / size)
    file.write_text(drawing, encoding="utf-8")
    return f'url("{file.as_posix()}")'


@lru_cache(1)
def _folder() -> Path:
    folder = TemporaryDirectory(prefix="blockwright-icons-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    return Path(folder.name)
