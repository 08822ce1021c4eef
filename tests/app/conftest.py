"""A window with real mouse and keys: settings in a folder of the test, one engine for all tests of a file."""

from __future__ import annotations

import gc
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QDrag, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.canvas.view import Canvas
    from app.main_window import MainWindow
    from graph.engine import Engine

PATIENCE = 120.0
"""Seconds after which what has not ended is taken for one that never will; no test waits as long."""
SOON, LATER, RUN = 20_000, 120_000, 120_000
"""Milliseconds after which the window, what is loaded behind it, or the engine is given up; far more than they need."""

SIZE = QSize(1600, 1000)

LIVING: list[Engine] = []
"""Engines that all tests of a file share, and that live on after one of them."""


ENDLESS = {"tqdm_monitor"}
"""Threads of libraries that go on until the program ends."""


@pytest.fixture(autouse=True)
def _a_clean_end(qapp: QApplication) -> Iterator[None]:
    """Whatever a test has shown or started is gone after it: windows, timers, threads, processes.

    It waits for each of them by name rather than for a time, so that a busy machine makes it slow, not red.
    """
    threads, processes = set(threading.enumerate()), set(multiprocessing.active_children())
    windows, timers = QApplication.topLevelWidgets(), _running_timers()
    yield
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()
    dialog = QApplication.activeModalWidget()
    if dialog is not None:
        dialog.hide()
        dialog.deleteLater()
        pytest.fail(f"a dialog is left: {dialog}")
    for thread in set(threading.enumerate()) - threads:
        if isinstance(thread, threading._DummyThread) or thread.name in ENDLESS:
            continue  # the first is Python's name for a thread of Qt, which ends with its QThread
        thread.join(PATIENCE)
        assert not thread.is_alive(), f"the thread {thread.name} is left"
    own = {worker.pid for engine in LIVING for worker in (engine._worker, engine._spare) if worker is not None}
    for process in set(multiprocessing.active_children()) - processes:
        assert process.pid in own, f"the process {process.name} is left"
    left = [widget for widget in QApplication.topLevelWidgets() if widget not in windows]
    if left:
        gc.collect()  # a window that nothing but a circle of references holds
        left = [widget for widget in QApplication.topLevelWidgets() if widget not in windows]
    assert not left, f"windows are left: {left}"
    running = [timer for timer in _running_timers() if timer not in timers]
    assert not running, f"timers are left: {[(timer.parent(), timer.interval()) for timer in running]}"


def _running_timers() -> list[QTimer]:
    return [one for one in gc.get_objects() if type(one) is QTimer and isValid(one) and one.isActive()]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test for settings, cache, autosaves and log."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("BLOCKWRIGHT_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def catalogue_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The cached catalogue, made once."""
    from app import catalogue

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLOCKWRIGHT_HOME", str(tmp_path_factory.mktemp("catalogue")))
        catalogue.build()
        return catalogue._file().read_bytes()


@pytest.fixture
def remembered(home: Path, catalogue_file: bytes) -> Path:
    """A home in which the program was started before, and the first steps were seen."""
    from app.settings import Settings

    settings = Settings()
    settings.has_seen_tour = True
    settings.flush()
    (home / "cache").mkdir(exist_ok=True)
    (home / "cache" / "catalogue.json").write_bytes(catalogue_file)
    return home


@pytest.fixture(autouse=True)
def _look(qapp: QApplication) -> None:
    from app import theme

    if theme.current().name != "dark" or not qapp.styleSheet():
        theme.apply("dark")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """An engine on the CPU for all tests of a file."""
    from exporters.jobs import JOBS
    from graph.engine import Engine

    engine = Engine(JOBS, device="cpu", spare=False)
    engine.start()
    LIVING.append(engine)
    yield engine
    LIVING.remove(engine)
    engine.close()


@pytest.fixture
def open_window(qtbot: QtBot, remembered: Path) -> Iterator[Callable[..., MainWindow]]:
    """Shows windows and closes them after the test."""
    from app.main_window import MainWindow

    windows: list[MainWindow] = []

    def show(*, engine: Engine | None = None, wait: bool = True, size: QSize = SIZE, **start: Any) -> MainWindow:
        window = MainWindow(engine=engine)
        windows.append(window)
        window.resize(size)
        window.start(**start)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window, timeout=SOON)
        if wait:
            qtbot.waitUntil(lambda: window.is_ready, timeout=LATER)
        return window

    yield show
    for window in windows:
        close_quietly(window)
        window.deleteLater()


@pytest.fixture
def window(open_window: Callable[..., MainWindow], engine: Engine) -> MainWindow:
    """A window with the gallery, ready, on the shared engine."""
    return open_window(engine=engine)


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    """A window with a small GPT on the canvas, which has the keys."""
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    QApplication.processEvents()
    assert window.canvas is not None
    window.canvas.setFocus()
    return window


@pytest.fixture
def quit_quietly() -> Callable[[MainWindow], None]:
    """Closes a window without its question about what is not saved."""
    return close_quietly


@pytest.fixture
def hand(qtbot: QtBot) -> Hand:
    """What moves the mouse."""
    return Hand(qtbot)


def close_quietly(window: MainWindow) -> None:
    """Close a window without its question about what is not saved."""
    if window.workspace is not None:
        for session in window.workspace.sessions:
            session.history.mark_saved()
    window.close()


class Hand:
    """Clicks and drags as a person makes them: press, several moves, release."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        """Click the middle of a widget, or a place of it."""
        place = at or widget.rect().center()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    def double_click(self, widget: QWidget, at: QPoint) -> None:
        """Click twice."""
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        QTest.mouseDClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)

    def drag(self, widget: QWidget, start: QPoint, end: QPoint, *, steps: int = 6) -> None:
        """Drag within a widget."""
        QTest.mouseMove(widget, start)
        QTest.mousePress(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
        for step in range(1, steps + 1):
            QTest.mouseMove(widget, start + (end - start) * step / steps)
            QApplication.processEvents()
        QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)
        QApplication.processEvents()

    def port(self, canvas: Canvas, node: str, port: str, *, is_input: bool, order: int = 0) -> QPoint:
        """Where a port is on the canvas."""
        place = canvas.geometry_of.port(node, port, is_input=is_input, order=order)
        assert place is not None, f"{node} has no port {port}"
        return canvas.map_from_scene(QPointF(place.x, place.y)).toPoint()

    def middle(self, canvas: Canvas, node: str) -> QPoint:
        """Where the title of a node is on the canvas."""
        bounds = canvas.geometry_of.bounds([node])
        assert bounds is not None
        return canvas.map_from_scene(QPointF((bounds[0] + bounds[2]) / 2, bounds[1] + 12)).toPoint()

    def wire(self, canvas: Canvas, source: str, target: str, *, order: int = 0) -> None:
        """Drag a wire from "node.port" to "node.port"; without a port it is the first."""
        report = canvas.session.report
        start, _, output = source.partition(".")
        end, _, input = target.partition(".")
        output = output or next(iter(report.node((*canvas.session.at, start)).output_ports))
        input = input or next(iter(report.node((*canvas.session.at, end)).input_ports))
        self.drag(
            canvas,
            self.port(canvas, start, output, is_input=False),
            self.port(canvas, end, input, is_input=True, order=order),
        )

    def pull(self, window: MainWindow, block: str, to: QPointF) -> None:
        """Drag a block from the palette to a place of the drawing."""
        palette, canvas = window.block_palette, window.canvas
        assert canvas is not None
        row = palette.model.row_of("block", block)
        assert row >= 0, f"the palette has no {block}"
        index = palette.model.index(row)
        palette.list.scrollTo(index)
        start = palette.list.visualRect(index).center()
        view = palette.list.viewport()
        place = canvas.map_from_scene(to).toPoint()
        with pytest.MonkeyPatch.context() as patch:
            if QApplication.platformName() == "offscreen":  # it carries no drags
                patch.setattr(QDrag, "exec", lambda drag, _actions: _drop_on(canvas, place, drag.mimeData()))
            else:
                QTimer.singleShot(50, lambda: self._carry(window, canvas.mapTo(window, place)))
            QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
            for step in range(1, 4):
                QTest.mouseMove(view, start + QPoint(8 * step, 4 * step))
                QApplication.processEvents()
            QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
        QApplication.processEvents()

    @staticmethod
    def _carry(window: MainWindow, place: QPoint) -> None:
        frame = window.windowHandle()
        for step in (QPoint(-24, -16), QPoint(-8, -8), QPoint(0, 0)):
            QTest.mouseMove(frame, place + step)
            QTest.qWait(20)
        QTest.mouseRelease(frame, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    @staticmethod
    def drop(
        widget: QWidget,
        place: QPoint,
        data: QMimeData,
        keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        """Carry something from outside over a widget and let it go."""
        _drop_on(widget, place, data, keys)


def _drop_on(
    widget: QWidget, place: QPoint, data: QMimeData, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> Qt.DropAction:
    """What a platform sends to a widget when something is carried over it and let go."""
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place - QPoint(24, 16), copy, data, left, keys)
    QApplication.sendEvent(widget, enter)
    if not enter.isAccepted():
        return Qt.DropAction.IgnoreAction
    for step in (QPoint(-8, -8), QPoint(0, 0)):
        QApplication.sendEvent(widget, QDragMoveEvent(place + step, copy, data, left, keys))
    drop = QDropEvent(QPointF(place), copy, data, left, keys)
    QApplication.sendEvent(widget, drop)
    return copy if drop.isAccepted() else Qt.DropAction.IgnoreAction
