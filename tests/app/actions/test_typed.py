"""What is asked for by key while something is typed on the canvas or beside it is done with what was typed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.properties import Properties
from graph import files

if TYPE_CHECKING:
    from app.main_window import MainWindow

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def type_and_save(window: MainWindow, path: Path, words: str) -> None:
    """Type over what is in the editor that is open, and save without leaving it."""
    window.session.save(path)
    editor = QApplication.focusWidget()
    editor.selectAll()
    QTest.keyClicks(editor, words)
    QTest.keyClick(editor, Qt.Key.Key_S, CONTROL)


def test_a_title_is_saved_with_the_rest(gpt: MainWindow, tmp_path: Path) -> None:
    session = gpt.session
    session.show(("head",))
    QTest.keyClick(gpt.canvas, Qt.Key.Key_F2)
    type_and_save(gpt, tmp_path / "one.json", "Result")
    assert files.load(tmp_path / "one.json").top.node("head").title == "Result"
    assert session.is_saved
    assert gpt.canvas.hasFocus()
    assert not gpt.canvas.editor.is_open


def test_a_note_is_saved_with_the_rest(gpt: MainWindow, tmp_path: Path) -> None:
    gpt.canvas.pointer = QPoint(300, 60).toPointF()
    QTest.keyClick(gpt.canvas, Qt.Key.Key_C, SHIFT)
    type_and_save(gpt, tmp_path / "one.json", "Mind this")
    assert files.load(tmp_path / "one.json").top.comments["note"].text == "Mind this"
    assert gpt.session.is_saved


def test_a_value_that_will_not_do_is_refused_and_the_rest_is_saved(gpt: MainWindow, tmp_path: Path) -> None:
    session, said = gpt.session, []
    session.refused.connect(said.append)
    session.show(("head",))
    gpt.canvas.edit_row("head", 0)
    before = session.document.top.node("head")
    type_and_save(gpt, tmp_path / "one.json", "a lot")
    assert len(said) == 1 and "will not do" in said[0]
    assert session.document.top.node("head") == before
    assert (tmp_path / "one.json").exists() and session.is_saved


def test_a_name_in_the_properties_is_saved_with_the_rest(gpt: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    session = gpt.session
    session.select(["head"])
    panel = gpt.findChild(Properties)
    assert panel is not None
    qtbot.waitUntil(lambda: panel.page is panel.node_page and panel.node_page.id_field.text() == "head")
    panel.node_page.id_field.setFocus()
    type_and_save(gpt, tmp_path / "one.json", "result")
    assert "result" in files.load(tmp_path / "one.json").top.nodes
    assert session.is_saved
    assert session.undo() is not None
    assert "head" in session.document.top.nodes
    assert not session.history.can_undo
