"""Preferences hold at once and are remembered; one switch stops all motion; the bar below leads to the problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from app import theme
from app.dialogs.keys import KeysDialog
from app.dialogs.preferences import Preferences
from app.files.autosave import autosave_folder
from app.motion import Motion
from app.settings import Settings
from graph.commands import AddNode, SetParam
from graph.document import Node

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import Hand

ROOT = Path(__file__).parents[3] / "app"
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def preferences(window: MainWindow) -> Iterator[Preferences]:
    QTest.keyClick(window, Qt.Key.Key_Comma, CONTROL)
    dialog = window.findChild(Preferences)
    assert dialog is not None and dialog.isVisible()
    yield dialog
    while (open_now := QApplication.activeModalWidget()) is not None:  # those that were opened from it lie over it
        QTest.keyClick(open_now, Qt.Key.Key_Escape)
        assert QApplication.activeModalWidget() is not open_now, "Esc closes it"


def test_one_switch_stops_all_motion(window: MainWindow, preferences: Preferences) -> None:
    assert Motion.is_on and preferences.motion.isChecked()
    try:
        QTest.keyClick(preferences.motion, Qt.Key.Key_Space)
        assert not Motion.is_on
        assert not Settings().motion
        done: list[bool] = []
        assert Motion.run(window, lambda _moment: None, lambda: done.append(True)) is None
        assert done == [True], "what would glide is there at once"
    finally:
        preferences.motion.setChecked(True)
    assert Motion.is_on


def test_nothing_moves_but_through_that_switch() -> None:
    found = [
        str(file.relative_to(ROOT))
        for file in ROOT.rglob("*.py")
        if file.name != "motion.py"
        and re.search(
            r"\b(QPropertyAnimation|QVariantAnimation|QTimeLine)\(|setAnimated\(True\)", file.read_text("utf-8")
        )
    ]
    assert found == []
    assert theme.MOTION <= 150


def test_the_folder_for_drawings_is_where_dialogs_begin(
    window: MainWindow, preferences: Preferences, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawings = tmp_path / "drawings"
    drawings.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(drawings))
    assert not preferences.forget.isEnabled()
    QTest.mouseClick(preferences.folder, Qt.MouseButton.LeftButton)
    assert preferences.folder.text() == "drawings"
    window.settings.folder = tmp_path
    assert Settings().folder == drawings
    QTest.mouseClick(preferences.forget, Qt.MouseButton.LeftButton)
    assert Settings().folder == tmp_path


def test_autosave_can_be_turned_off(window: MainWindow, preferences: Preferences) -> None:
    def kept() -> list[Path]:
        return list(autosave_folder().rglob("*.json"))

    window.filing.new_empty()
    window.session.do(AddNode((), Node("first", "ReLU")))
    window.autosave.flush()
    assert len(kept()) == 1
    QTest.keyClick(preferences.autosave, Qt.Key.Key_Space)
    window.autosave.flush()
    assert kept() == []
    window.session.do(AddNode((), Node("second", "ReLU")))
    window.autosave.flush()
    assert kept() == []
    assert not Settings().autosave
    QTest.keyClick(preferences.autosave, Qt.Key.Key_Space)
    window.autosave.flush()
    assert len(kept()) == 1, "what is not saved is kept again at once"


def test_keys_are_reached_from_here(window: MainWindow, preferences: Preferences) -> None:
    QTest.keyClick(preferences.keys, Qt.Key.Key_Space)
    assert window.findChild(KeysDialog) is not None


def test_the_bar_says_device_state_and_problems_and_leads_to_them(window: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    status = window.status
    qtbot.waitUntil(lambda: status.engine.text().startswith("Ready on"), timeout=60_000)
    assert not status.problems.isVisible()
    window.session.do(SetParam(("decoder",), "attn", "dim", 48))
    qtbot.waitUntil(status.problems.isVisible)
    count = len(window.session.report.issues)
    assert status.problems.text().startswith(f"{count} problem")
    window.docks.reveal("memory")
    hand.click(status.problems)
    QApplication.processEvents()
    assert window.docks.group_of("problems").front == "problems"


def test_an_empty_canvas_is_no_problem_yet(window: MainWindow) -> None:
    window.filing.new_empty()
    QApplication.processEvents()
    problems = window.docks.reveal("problems")
    QApplication.processEvents()
    assert not window.status.problems.isVisible()
    assert problems.badge() == ""
    window.session.do(AddNode((), Node("first", "Linear")))
    QApplication.processEvents()
    assert problems.badge() != ""
    assert window.status.problems.isVisible()
