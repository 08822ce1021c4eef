"""What the window can show itself without: blocks, torch, engine, canvas and panels, imported after the first paint.

What knows nothing of Qt, torch above all, is imported in a thread. What knows Qt is imported in the window's thread,
a module a turn of the event loop: PySide makes its classes when they are first asked for, and two threads that ask at
once crash it.
"""

from __future__ import annotations

import gc
import importlib
import logging
import pkgutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.equations import prepare

if TYPE_CHECKING:
    from app.canvas.view import Canvas
    from app.catalogue import Catalogue
    from app.panels.base import Panel
    from graph.engine import Engine

log = logging.getLogger(__name__)

EARLY = ("app.widgets.plots",)
"""Modules that need Qt and no torch and take a moment: imported at once, before anyone has reached for the mouse."""

PLAIN = (
    "numpy", "networkx", "graph.edits", "graph.clipboard", "graph.grouping", "graph.judge", "graph.layout",
    "graph.templates", "graph.validate",
)  # fmt: skip
"""Modules without Qt that those below import."""

LATER = (
    "app.workspace",
    "app.files.autosave",
    "app.searching.fitting",
    "app.dialogs.export",
    "app.canvas.surface",
    "app.canvas.view",
)
"""Modules that need Qt and torch, or that the window's thread will want without waiting; panels come after them."""


@dataclass(frozen=True)
class Parts:
    """What was imported."""

    catalogue: Catalogue
    canvas: type[Canvas]
    panels: list[type[Panel]]
    engine: Callable[..., Engine]
    jobs: Mapping[str, Any]


def import_plain(catalogue: Catalogue | None = None) -> Catalogue:
    """Import everything that knows nothing of Qt; takes a second or two, most of it torch.

    Args:
        catalogue: what the cache gave, or None to read it off the classes.
    """
    import blocks

    blocks.catalogue()
    for name in PLAIN:
        importlib.import_module(name)
    from app.catalogue import build
    from exporters.jobs import JOBS
    from graph.engine import Engine
    from graph.templates import all_templates

    all_templates()
    assert JOBS and Engine
    return catalogue or build()


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Make things that stay, and let the garbage collector never look at them.

    It would go through all of torch again and again: a second in all while that is imported, and then, every few
    minutes, a third of one in which the window stands still.
    """
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
        gc.enable()


class Loader(QObject):
    """Imports while the window lives.

    Signals:
        loaded: carries the Parts.
        failed: carries the exception.
    """

    loaded = Signal(object)
    failed = Signal(object)
    _ready = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._wanted = True
        self._catalogue: Catalogue | None = None
        self._steps: list[str] = []
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._step)
        self._ready.connect(self._begin)

    def start(self, catalogue: Catalogue | None) -> None:
        """Begin."""
        try:
            for name in EARLY:
                importlib.import_module(name)
        except Exception as error:
            self._give_up(error)
            return
        self._thread = threading.Thread(target=self._work, args=(catalogue,), name="loader")
        self._thread.start()

    def stop(self) -> None:
        """Wait for the thread, which an import cannot be taken out of; its result is not wanted any more."""
        self._wanted = False
        self._turn.stop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _work(self, catalogue: Catalogue | None) -> None:
        try:
            with _no_garbage():
                found = import_plain(catalogue)
        except Exception as error:  # anything a broken installation may raise; the window says so
            log.exception("loading failed")
            if self._wanted:
                self.failed.emit(error)
            return
        if self._wanted:
            self._ready.emit(found)
            prepare()  # nobody waits for it

    def _begin(self, catalogue: Catalogue) -> None:
        """Go on in the window's thread."""
        import app.panels

        self._catalogue = catalogue
        panels = [f"app.panels.{info.name}" for info in pkgutil.iter_modules(app.panels.__path__)]
        self._steps = [*LATER, *panels]
        if self._wanted:
            self._turn.start()

    def _step(self) -> None:
        try:
            if self._steps:
                importlib.import_module(self._steps.pop(0))
                return
            self._turn.stop()
            self.loaded.emit(self._parts())
        except Exception as error:
            self._turn.stop()
            self._give_up(error)

    def _parts(self) -> Parts:
        from app.canvas.view import Canvas
        from app.panels import panel_classes
        from exporters.jobs import JOBS
        from graph.engine import Engine

        assert self._catalogue is not None
        return Parts(self._catalogue, Canvas, panel_classes(), Engine, JOBS)

    def _give_up(self, error: Exception) -> None:
        log.error("loading failed", exc_info=error)
        self.failed.emit(error)
