"""The engine may die or be stopped at any time: the window lives, the drawing is whole, the next run works."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

RUN = 120_000
SHIFT = Qt.KeyboardModifier.ShiftModifier
SLOW = {"dim": 512, "layers": 12, "num_heads": 8, "vocab": 20_000, "context": 512}
QUICK = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 256, "context": 64}


@pytest.fixture
def slow(window: MainWindow, engine: Engine, qtbot: QtBot) -> MainWindow:
    """A window with a model that takes a while, and an engine that is ready."""
    window.filing.new_from_template("gpt", SLOW)
    qtbot.waitUntil(lambda: engine.state in ("ready", "running"), timeout=RUN)
    return window


def test_killing_the_engine_in_mid_run(slow: MainWindow, engine: Engine, hand: Hand, qtbot: QtBot) -> None:
    from graph.files import to_text

    before = to_text(slow.session.document)
    hand.click(slow.top_bar.run)
    qtbot.waitUntil(lambda: slow.workspace.run_state.done > 0, timeout=RUN)
    os.kill(engine._worker.pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: slow.workspace.run_state.died, timeout=10_000)
    assert slow.isVisible()
    assert to_text(slow.session.document) == before
    (banner,) = slow.banners.shown
    assert "engine" in banner.text
    assert banner.tone == "error"
    assert QApplication.activeModalWidget() is None
    slow.add_block("GELU", None)
    slow.session.undo()
    again = next(button for button in banner.buttons if button.text() == "Run again")
    hand.click(again)
    qtbot.waitUntil(lambda: slow.workspace.run_state.state == "done", timeout=RUN)
    assert slow.banners.shown == []


def test_cancel_answers_within_100_ms(slow: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    hand.click(slow.top_bar.run)
    qtbot.waitUntil(lambda: slow.workspace.run_state.done > 0, timeout=RUN)
    started = time.perf_counter()
    hand.click(slow.top_bar.run)
    assert time.perf_counter() - started < 0.1
    assert not slow.is_running
    QApplication.processEvents()
    assert slow.top_bar.run.text() == "Run"
    assert slow.status.last.text() == "Run cancelled"
    hand.click(slow.top_bar.run)
    qtbot.waitUntil(lambda: slow.workspace.run_state.state == "done", timeout=RUN)


def test_escape_and_shift_f5_cancel(slow: MainWindow, qtbot: QtBot) -> None:
    for key, modifier in ((Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_F5, SHIFT)):
        QTest.keyClick(slow.canvas, Qt.Key.Key_F5)
        assert slow.is_running
        QApplication.processEvents()
        QTest.keyClick(slow.canvas, key, modifier)
        qtbot.waitUntil(lambda: not slow.is_running, timeout=2_000)
        assert slow.workspace.run_state.state == "cancelled"
        QApplication.processEvents()


def test_progress_is_shown_while_it_runs(slow: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    hand.click(slow.top_bar.run)
    qtbot.waitUntil(lambda: slow.workspace.run_state.done > 0 or not slow.is_running, timeout=RUN)
    QApplication.processEvents()
    assert slow.top_bar.progress.isVisible()
    assert " of " in slow.status.last.text()
    qtbot.waitUntil(lambda: not slow.is_running, timeout=RUN)
    QApplication.processEvents()
    assert not slow.top_bar.progress.isVisible()
    assert slow.status.last.text().startswith("Last run")


def test_the_window_starts_and_ends_its_own_engine(
    open_window: Callable[..., MainWindow], hand: Hand, qtbot: QtBot
) -> None:
    window = open_window()
    window.filing.new_from_template("gpt", QUICK)
    hand.click(window.top_bar.run)
    qtbot.waitUntil(lambda: window.workspace.run_state.state == "done", timeout=RUN)
    assert window.status.engine.text().startswith("Ready on") or window.engine.state == "running"
    window.close()
    assert window.engine.state == "dead"


def test_what_a_drawing_weighs_is_said_without_a_run(window: MainWindow, qtbot: QtBot) -> None:
    window.filing.new_from_template("gpt", QUICK)
    qtbot.waitUntil(lambda: "parameters" in window.status.weight.text(), timeout=RUN)
    assert "to run" in window.status.weight.text()
    assert "seq must be at most 64" in window.status.weight.text()


def test_only_a_run_is_said_to_run(
    window: MainWindow, engine: Engine, hand: Hand, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.filing.new_from_template("gpt", QUICK)
    qtbot.waitUntil(lambda: engine.state == "ready" and window.workspace.latest("estimate") is not None, timeout=RUN)
    monkeypatch.setattr(type(engine), "state", property(lambda _engine: "running"))
    window.watch.refresh()
    assert window.status.engine.text().startswith("Working on")
    hand.click(window.top_bar.run)
    window.watch.refresh()
    assert window.status.engine.text().startswith("Running on")
    qtbot.waitUntil(lambda: window.workspace.run_state.state == "done", timeout=RUN)
    window.watch.refresh()
    assert window.status.engine.text().startswith("Working on")
