"""Files that other programs change, delete or rename, and two windows on one file: noticed, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph.files import document_to_data, load, save
from graph.templates import find

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.json"
    save(find("mlp").build(), path)
    return path


@pytest.fixture
def opened(window: MainWindow, file: Path) -> MainWindow:
    assert window.filing.open(file)
    return window


def wait_for(window: MainWindow, words: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: any(words in banner.text for banner in window.banners.shown), timeout=5_000)


def press(window: MainWindow, label: str) -> None:
    buttons = [button for banner in window.banners.shown for button in banner.buttons]
    QTest.mouseClick(next(button for button in buttons if button.text() == label), Qt.MouseButton.LeftButton)


def test_a_changed_file_can_be_read_again_and_that_undone(opened: MainWindow, file: Path, qtbot: QtBot) -> None:
    opened.add_block("GELU", None)
    mine = document_to_data(opened.session.document)
    save(find("xor").build(), file)
    wait_for(opened, "net.json was changed by another program", qtbot)
    press(opened, "Reload")
    assert document_to_data(opened.session.document) == document_to_data(load(file))
    assert opened.session.is_saved
    assert opened.session.report.valid
    assert opened.canvas is not None and set(opened.canvas.geometry_of.ids) == set(load(file).top.nodes)
    opened.canvas.setFocus()
    QTest.keyClick(opened.canvas, Qt.Key.Key_Z, CONTROL)
    assert document_to_data(opened.session.document) == mine
    assert not opened.session.is_saved
    QApplication.processEvents()
    QTest.keyClick(opened.canvas, Qt.Key.Key_Y, CONTROL)
    assert opened.session.is_saved, "what was read is what is on disk, however one comes to it"


def test_what_is_drawn_here_can_be_kept(opened: MainWindow, file: Path, qtbot: QtBot) -> None:
    theirs = find("xor").build()
    save(theirs, file)
    wait_for(opened, "was changed by another program", qtbot)
    press(opened, "Keep mine")
    assert not opened.session.is_saved, "closing asks for it"
    assert document_to_data(load(file)) == document_to_data(theirs), "the file is left alone until one saves"
    assert opened.filing.save()
    assert document_to_data(load(file)) == document_to_data(opened.session.document)


def test_saving_never_writes_over_what_is_not_known(opened: MainWindow, file: Path) -> None:
    opened.add_block("GELU", None)
    theirs = find("xor").build()
    save(theirs, file)
    assert not opened.filing.save(), "even before the change was noticed"
    assert document_to_data(load(file)) == document_to_data(theirs)
    press(opened, "Write over it")
    assert document_to_data(load(file)) == document_to_data(opened.session.document)
    assert opened.session.is_saved
    assert not opened.banners.shown


def test_a_touch_without_a_change_is_nothing(opened: MainWindow, file: Path, qtbot: QtBot) -> None:
    file.write_bytes(file.read_bytes())
    opened.filing.save()
    qtbot.wait(600)
    assert not opened.banners.shown


def test_a_deleted_file_leaves_the_drawing_unsaved(opened: MainWindow, file: Path, qtbot: QtBot) -> None:
    file.unlink()
    wait_for(opened, "net.json was moved or deleted", qtbot)
    assert not opened.session.is_saved
    press(opened, "Save it again")
    assert document_to_data(load(file)) == document_to_data(opened.session.document)
    assert opened.session.is_saved


def test_a_renamed_file_is_followed(opened: MainWindow, file: Path, qtbot: QtBot) -> None:
    other = file.with_name("better.json")
    file.rename(other)
    wait_for(opened, "net.json is called better.json now", qtbot)
    press(opened, "Use that name")
    assert opened.session.path == other
    assert opened.session.is_saved
    save(find("xor").build(), other)
    wait_for(opened, "better.json was changed", qtbot)


def test_a_file_that_is_broken_meanwhile_is_refused(opened: MainWindow, file: Path, qtbot: QtBot) -> None:
    before = document_to_data(opened.session.document)
    file.write_text("{ no drawing")
    wait_for(opened, "was changed", qtbot)
    press(opened, "Reload")
    assert any("is no JSON" in banner.text for banner in opened.banners.shown)
    assert document_to_data(opened.session.document) == before


def test_a_drawing_behind_the_others_tells_when_it_is_shown(
    opened: MainWindow, file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    save(find("xor").build(), tmp_path / "other.json")
    opened.filing.open(tmp_path / "other.json")
    save(find("xor").build(), file)
    qtbot.wait(600)
    assert not opened.banners.shown
    opened.filing.show_next()
    wait_for(opened, "net.json was changed", qtbot)
    opened.filing.show_next()
    assert not opened.banners.shown


def test_two_windows_on_one_file(
    open_window: Callable[..., MainWindow], engine: Engine, file: Path, qtbot: QtBot
) -> None:
    first = open_window(engine=engine, path=file)
    second = open_window(engine=engine, path=file)
    qtbot.waitUntil(lambda: first.drawing is not None and second.drawing is not None, timeout=5_000)
    first.add_block("GELU", None)
    second.add_block("Linear", None)
    assert first.filing.save()
    wait_for(second, "net.json was changed by another program", qtbot)
    assert not second.filing.save()
    assert document_to_data(load(file)) == document_to_data(first.session.document)
    press(second, "Reload")
    assert document_to_data(second.session.document) == document_to_data(first.session.document)
    second.session.undo()
    assert any(node.block == "Linear" for node in second.session.document.top.nodes.values())
