"""Where the program keeps what is not the user's drawing: settings, the catalogue's cache, autosaves, the log.

`BLOCKWRIGHT_HOME` puts all of it under one folder, for a portable copy and for tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

NAME = "blockwright"


def settings_folder() -> Path:
    """Where the settings lie."""
    return _folder("settings", platformdirs.user_config_path)


def cache_folder() -> Path:
    """Where things lie that can be made anew."""
    return _folder("cache", platformdirs.user_cache_path)


def state_folder() -> Path:
    """Where autosaves lie."""
    return _folder("state", platformdirs.user_state_path)


def library_folder() -> Path:
    """Where the user's own blocks lie."""
    return _folder("data", platformdirs.user_data_path) / "blocks"


def log_folder() -> Path:
    """Where the log lies."""
    return _folder("log", platformdirs.user_log_path)


def documents_folder() -> Path:
    """Where a file dialog starts when nothing was opened before."""
    home = os.environ.get("BLOCKWRIGHT_HOME")
    return Path(home) if home else Path(platformdirs.user_documents_path())


def _folder(part: str, usual: object) -> Path:
    home = os.environ.get("BLOCKWRIGHT_HOME")
    if home:
        return Path(home) / part
    assert callable(usual)
    return Path(usual(NAME, appauthor=False))
