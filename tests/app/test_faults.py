"""The program's own faults: logged, the work kept, one dialog; the window goes on."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from app.faults import Faults, _LogFile, start_log

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow


@pytest.fixture
def faults(window: MainWindow) -> Iterator[Faults]:
    before = sys.excepthook, threading.excepthook
    faults = Faults(window)
    yield faults
    faults.stop()
    assert (sys.excepthook, threading.excepthook) == before


def boxes() -> list[QMessageBox]:
    return [box for box in QApplication.topLevelWidgets() if isinstance(box, QMessageBox) and box.isVisible()]


def test_an_unhandled_exception_is_one_dialog_and_keeps_the_work(
    window: MainWindow, faults: Faults, home: Path, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    window.add_block("Linear", None)
    try:
        raise RuntimeError("the sky is falling")
    except RuntimeError as error:
        sys.excepthook(RuntimeError, error, error.__traceback__)
        sys.excepthook(RuntimeError, error, error.__traceback__)
    qtbot.waitUntil(lambda: len(boxes()) > 0)
    QApplication.processEvents()
    (box,) = boxes()
    assert "safe" in box.informativeText()
    assert "the sky is falling" in box.detailedText()
    assert "the sky is falling" in caplog.text
    assert len(list(home.glob("state/autosave/*/*.json"))) == 1
    go_on = next(button for button in box.buttons() if button.text() == "Go on")
    QTest.mouseClick(go_on, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not boxes())
    window.add_block("GELU", None)
    assert len(window.session.document.top.nodes) == 2


def test_a_fault_in_another_thread_is_told_too(faults: Faults, qtbot: QtBot) -> None:
    def fall() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fall)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(boxes()) == 1)
    assert "in a thread" in boxes()[0].detailedText()
    QTest.keyClick(boxes()[0], Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not boxes())


def test_the_log_is_a_file_in_the_log_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    monkeypatch.setattr("app.faults.qInstallMessageHandler", lambda handler: None)
    try:
        start_log()
        logging.getLogger("blockwright").warning("something odd")
        (handler,) = [handler for handler in root.handlers if handler not in before]
        handler.close()
        root.removeHandler(handler)
    finally:
        root.setLevel(level)
    assert "something odd" in (home / "log" / "blockwright.log").read_text()


def test_work_that_no_journal_keeps_is_not_called_safe(window: MainWindow, faults: Faults, qtbot: QtBot) -> None:
    window.add_block("Linear", None)
    window.autosave.turn(False)
    sys.excepthook(RuntimeError, RuntimeError("again"), None)
    qtbot.waitUntil(lambda: len(boxes()) > 0)
    assert boxes()[0].informativeText().startswith("Save your drawings now.")
    QTest.keyClick(boxes()[0], Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not boxes())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_a_full_disk_costs_a_line_on_the_terminal_and_no_tale(capsys: pytest.CaptureFixture[str]) -> None:
    handler = _LogFile("/dev/full", delay=True)
    handler.emit(logging.LogRecord("blockwright", logging.WARNING, "", 0, "something odd", None, None))
    assert capsys.readouterr().err == "something odd\n"
    with pytest.raises(OSError, match="No space left"):
        handler.close()
