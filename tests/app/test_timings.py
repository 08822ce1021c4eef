"""A run as the blocks of the window show it: where it is, and how long each took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.live import Timings
from app.panels.properties import Properties
from app.settings import Settings
from graph.commands import SetParam

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow

RUN = 120_000
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(autouse=True)
def _off() -> Iterator[None]:
    yield
    Timings.is_on = False


@pytest.fixture
def gpt(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 3, "num_heads": 2, "vocab": 64, "context": 32})
    QApplication.processEvents()
    window.canvas.setFocus()
    qtbot.waitUntil(window.canvas.hasFocus)
    return window


def test_a_run_tells_where_it_is_and_how_long_each_block_took(window: MainWindow, qtbot: QtBot) -> None:
    # One that takes longer than what the engine waits between two messages.
    values = {"dim": 512, "layers": 8, "num_heads": 8, "vocab": 4096, "context": 128}
    window.filing.new_from_template("gpt", values)
    gpt = window
    gpt.canvas.setFocus()
    qtbot.waitUntil(gpt.canvas.hasFocus)
    live, seen = gpt.session.live, []
    live.changed.connect(lambda: seen.append(live.place))
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F5)
    assert live.is_running
    qtbot.waitUntil(lambda: gpt.workspace.run_state.state == "done", timeout=RUN)
    assert not live.is_running and not gpt.canvas.live_marks.states
    assert any(seen), "the calls are named while it runs"
    took = {path: live.took(tuple(path.split("/"))) for path in ("token_embedding", "decoder", "decoder/attn", "head")}
    assert all(took.values()) and took["decoder"] > took["decoder/attn"]
    assert live.total <= gpt.workspace.run_state.data["seconds"] * 1e3
    assert live.took(("tokens",)) is None


def test_timings_are_switched_on_by_key_and_remembered(gpt: MainWindow, qtbot: QtBot) -> None:
    assert not Timings.is_on and not Settings().timings
    QTest.keyClick(gpt.canvas, Qt.Key.Key_T, CONTROL)
    assert Timings.is_on
    assert "once the drawing has run" in gpt.banners.shown[-1].text
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: gpt.workspace.run_state.state == "done", timeout=RUN)
    gpt.settings.flush()
    assert Settings().timings
    gpt.commands.refresh()
    assert gpt.commands["timings"].isChecked()
    gpt.commands["timings"].trigger()
    assert not Timings.is_on
    gpt.settings.flush()
    assert not Settings().timings
    assert len(gpt.session.history.done) == 0, "it is no edit"


def test_the_panel_says_how_long_the_block_took(gpt: MainWindow, qtbot: QtBot) -> None:
    panel = gpt.findChild(Properties)
    gpt.session.show(("decoder", "mlp"))
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: gpt.workspace.run_state.state == "done", timeout=RUN)

    def row() -> object:
        return next((one for one in panel.node_page.cost_figures.figures if one.name == "time, last run"), None)

    qtbot.waitUntil(lambda: row() is not None, timeout=20_000)
    assert "all rounds together" in row().hint and row().tone == "text"
    gpt.session.do(SetParam((), "head", "bias", True))
    qtbot.waitUntil(lambda: row().tone == "faint")
    assert "has changed since" in row().hint
    gpt.session.undo()
    qtbot.waitUntil(lambda: row().tone == "text")


def test_a_run_that_is_cancelled_leaves_nothing_behind(gpt: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F5)
    assert gpt.session.live.is_running
    gpt.watch.cancel()
    qtbot.waitUntil(lambda: gpt.workspace.run_state.state in ("cancelled", "done"), timeout=RUN)
    assert not gpt.session.live.is_running and not gpt.canvas.live_marks.states
