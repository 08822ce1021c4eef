"""What the window can show itself without: blocks, torch, canvas, panels and engine, imported after the first paint."""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.catalogue import Catalogue
    from app.panels.base import Panel
    from graph.engine import Engine

LATER = ("app.workspace", "app.autosave", "app.fitting", "app.export_dialog", "graph.judge")
"""Modules that the window's thread will want, so that it finds them imported."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Parts:
    """What was imported."""

    catalogue: Catalogue
    canvas: type[Canvas]
    panels: list[type[Panel]]
    engine: Callable[..., Engine]
    jobs: Mapping[str, Any]


def import_parts(catalogue: Catalogue | None = None) -> Parts:
    """Import everything; takes a second or two, most of it torch.

    Args:
        catalogue: what the cache gave, or None to read it off the classes.
    """
    import blocks

    blocks.catalogue()
    for name in LATER:
        importlib.import_module(name)
    from app.canvas.view import Canvas
    from app.catalogue import build
    from app.panels import panel_classes
    from exporters.jobs import JOBS
    from graph.engine import Engine
    from graph.templates import all_templates

    all_templates()
    return Parts(catalogue or build(), Canvas, panel_classes(), Engine, JOBS)


class Loader(QObject):
    """Imports in a thread of its own.

    Signals:
        loaded: carries the Parts.
        failed: carries the exception.
    """

    loaded = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._wanted = True

    def start(self, catalogue: Catalogue | None) -> None:
        """Begin."""
        self._thread = threading.Thread(target=self._work, args=(catalogue,), name="loader")
        self._thread.start()

    def stop(self) -> None:
        """Wait for the thread, which an import cannot be taken out of; its result is not wanted any more."""
        self._wanted = False
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self, catalogue: Catalogue | None) -> None:
        try:
            parts = import_parts(catalogue)
        except Exception as error:  # anything a broken installation may raise; the window says so
            log.exception("loading failed")
            if self._wanted:
                self.failed.emit(error)
            return
        if self._wanted:
            self.loaded.emit(parts)
