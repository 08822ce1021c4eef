"""Icons as files for style sheets, which take pictures from files only and cannot colour them."""

from __future__ import annotations

import atexit
import os
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from app import icons
from app.folders import cache_folder


@lru_cache(64)
def url(name: str, colour: str, size: int) -> str:
    """What a style sheet writes to show an icon in a colour; the file is kept in the cache."""
    drawing = icons.text(name, colour, icons.LINE * icons.VIEW / size)
    file = f"{name}-{colour.lstrip('#')}-{size}.svg"
    try:
        found = _kept(cache_folder() / "icons" / file, drawing)
    except OSError:  # the cache cannot be written; the program works without one
        found = _kept(_spare() / file, drawing)
    return f'url("{found.as_posix()}")'


def _kept(file: Path, drawing: str) -> Path:
    """A file that says so; another program that begins at the same moment never sees half of it."""
    if not file.is_file() or file.read_text(encoding="utf-8") != drawing:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(drawing, encoding="utf-8")
        part.replace(file)
    return file


@lru_cache(1)
def _spare() -> Path:
    folder = TemporaryDirectory(prefix="blockwright-icons-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    return Path(folder.name)
