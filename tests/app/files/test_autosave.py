"""A killed program loses seconds at most; what it left is offered, and nothing damaged stands in the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.files import autosave

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine


def journals(folder: Path) -> list[Path]:
    return sorted(folder.glob("state/autosave/*/*.json"))


def leave_behind(folder: Path, name: str = "0.json", **changes: object) -> Path:
    """What a killed program has left: a journal without a lock."""
    from graph.files import document_to_data
    from graph.templates import find

    owner = folder / "state" / "autosave" / "abc"
    owner.mkdir(parents=True, exist_ok=True)
    data = {
        "format": autosave.FORMAT, "path": "", "title": "gpt", "time": "2026-01-02T03:04:05",
        "drawing": document_to_data(find("gpt").build({"layers": 3})), **changes,
    }  # fmt: skip
    (owner / name).write_text(json.dumps(data))
    return owner / name


def test_an_edit_is_on_disk_within_five_seconds(window: MainWindow, home: Path, qtbot: QtBot) -> None:
    assert autosave.DELAY < 5_000
    window.add_block("Linear", None)
    started = time.monotonic()
    qtbot.waitUntil(lambda: len(journals(home)) == 1, timeout=5_000)
    assert time.monotonic() - started < 5
    window.add_block("GELU", None)
    window.autosave.flush()
    drawing = json.loads(journals(home)[0].read_text())["drawing"]
    assert [node["block"] for node in drawing["level"]["nodes"]] == ["Linear", "GELU"]


def test_saving_or_undoing_takes_the_journal_away(window: MainWindow, home: Path, tmp_path: Path) -> None:
    window.add_block("Linear", None)
    window.autosave.flush()
    assert len(journals(home)) == 1
    window.session.save(tmp_path / "mine.json")
    window.autosave.flush()
    assert journals(home) == []
    window.add_block("GELU", None)
    window.autosave.flush()
    assert len(journals(home)) == 1
    window.session.undo()
    window.autosave.flush()
    assert journals(home) == []


def test_a_quiet_end_leaves_nothing(
    open_window: Callable[..., MainWindow], engine: Engine, home: Path, quit_quietly: Callable[[MainWindow], None]
) -> None:
    window = open_window(engine=engine)
    window.add_block("Linear", None)
    window.autosave.flush()
    quit_quietly(window)
    assert list(home.glob("state/autosave/*")) == []


def test_what_was_left_is_recovered(open_window: Callable[..., MainWindow], engine: Engine, remembered: Path) -> None:
    file = leave_behind(remembered)
    window = open_window(engine=engine)
    (banner,) = window.banners.shown
    assert "gpt" in banner.text
    assert window.gallery.isVisible(), "the offer stands in nobody's way"
    recover = next(button for button in banner.buttons if button.text() == "Recover")
    QTest.mouseClick(recover, Qt.MouseButton.LeftButton)
    assert window.session.document.variables["layers"] == 3
    assert not window.session.is_saved
    assert not file.exists()
    assert len(journals(remembered)) == 1, "it stays in the journal until it is saved"


def test_what_was_left_can_be_given_up(
    open_window: Callable[..., MainWindow], engine: Engine, remembered: Path
) -> None:
    file = leave_behind(remembered)
    window = open_window(engine=engine)
    discard = next(button for button in window.banners.shown[0].buttons if button.text() == "Discard")
    QTest.mouseClick(discard, Qt.MouseButton.LeftButton)
    assert not file.exists()
    assert window.drawing is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "blockwright-autosave"}', "\x00\x01", "[" * 100_000])
def test_a_damaged_journal_never_blocks_the_start(
    open_window: Callable[..., MainWindow], engine: Engine, remembered: Path, content: str
) -> None:
    file = leave_behind(remembered)
    file.write_text(content)
    good = leave_behind(remembered, "1.json")
    window = open_window(engine=engine)
    assert [leftover.file for leftover in autosave.leftovers()] == [good]
    assert "gpt" in window.banners.shown[0].text
    assert file.with_suffix(".damaged").exists()


def test_a_place_that_cannot_be_written_is_no_obstacle(
    window: MainWindow, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "state").write_text("in the way")
    window.add_block("Linear", None)
    window.autosave.flush()
    assert "autosave" in caplog.text
    assert window.isVisible()


def test_what_cannot_be_kept_is_told_once_and_kept_as_soon_as_it_can(
    window: MainWindow, home: Path, qtbot: QtBot
) -> None:
    def told() -> list[str]:
        return [banner.text for banner in window.banners.shown if "journal" in banner.text]

    window.autosave._timer.setInterval(50)
    (home / "state").write_text("in the way")
    window.add_block("Linear", None)
    assert not window.autosave.flush()
    assert len(told()) == 1 and "Not a directory" in told()[0]
    window.banners.dismiss(next(banner for banner in window.banners.shown if banner.text == told()[0]))
    window.add_block("ReLU", None)
    qtbot.wait(200)
    assert told() == [], "it is told once"
    (home / "state").unlink()
    qtbot.waitUntil(lambda: len(journals(home)) == 1, timeout=5_000)
    assert window.autosave.flush()
    qtbot.waitUntil(lambda: not window.autosave._told, timeout=5_000)
    assert not window.autosave._timer.isActive()


def test_a_journal_that_was_cleared_away_is_written_again(window: MainWindow, home: Path) -> None:
    window.add_block("Linear", None)
    assert window.autosave.flush()
    shutil.rmtree(home / "state")
    window.add_block("ReLU", None)
    assert window.autosave.flush()
    (journal,) = journals(home)
    assert (journal.parent / "lock").exists()
    assert autosave.leftovers() == [], "its window is alive"


def test_without_a_lock_nothing_is_written_that_another_program_would_take(
    window: MainWindow, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(autosave.QLockFile, "tryLock", lambda *_: False)
        window.add_block("Linear", None)
        assert not window.autosave.flush()
        assert journals(home) == []
    assert window.autosave.flush()
    assert len(journals(home)) == 1


def test_a_living_windows_journal_is_not_offered(window: MainWindow, home: Path) -> None:
    window.add_block("Linear", None)
    window.autosave.flush()
    script = "from app.files.autosave import leftovers; print(len(leftovers()))"
    root = Path(__file__).parents[3]
    found = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "0"
    assert len(journals(home)) == 1


@pytest.mark.exhaustive
def test_a_killed_program_is_recovered(
    remembered: Path, tmp_path: Path, open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot
) -> None:
    """A program of its own edits three drawings, waits as long as a user may lose, edits once more, and is killed."""
    from graph.files import load, save
    from graph.templates import find

    saved = tmp_path / "saved.json"
    save(find("xor").build(), saved)
    script = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.main_window import MainWindow
application = QApplication([])
window = MainWindow()
def edit():
    window.filing.new_empty()
    window.add_block("Linear", None)
    window.filing.new_from_template("mlp", {})
    window.add_block("GELU", None)
    window.filing.open(Path(sys.argv[1]))
    window.add_block("Dropout", None)
    QTimer.singleShot(1500, last)
def last():
    window.show_session(window.workspace.sessions[0])
    window.add_block("ReLU", None)
    print("edited", flush=True)
window.start()
window.show()
window.ready.connect(edit)
application.exec()
"""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-c", script, str(saved)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline().strip() == "edited"
        time.sleep(5)
        os.kill(program.pid, signal.SIGKILL)
        program.wait(timeout=10)
    window = open_window(engine=engine)
    qtbot.waitUntil(lambda: window.drawing is not None, timeout=10_000)
    assert window.session.path == saved, "the tab has come back"
    offer = next(banner for banner in window.banners.shown if "was kept" in banner.text)
    recover = next(button for button in offer.buttons if button.text() == "Recover")
    QTest.mouseClick(recover, Qt.MouseButton.LeftButton)
    found = {
        session.title: {node.block for node in session.document.top.nodes.values()}
        for session in window.workspace.sessions
    }
    assert found.keys() == {"untitled", "multilayer perceptron", "saved"}, "the file is not open twice"
    assert found["untitled"] == {"Linear", "ReLU"}
    assert "GELU" in found["multilayer perceptron"]
    assert "Dropout" in found["saved"]
    assert not any(session.is_saved for session in window.workspace.sessions)
    session = window.workspace.find(saved)
    session.undo()
    assert session.document.top.nodes.keys() == load(saved).top.nodes.keys(), "what was saved is one undo away"
