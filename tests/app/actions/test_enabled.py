"""Keys find every action as it is at that moment, however little time there was since the drawing was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.table import ACTIONS
from graph.files import document_to_data

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import Hand

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Key = Qt.Key


def press(*keys: Qt.Key | str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press keys where the focus is; the loop has no turn between them."""
    for key in keys:
        target = QApplication.focusWidget()
        assert target is not None
        if isinstance(key, str):
            QTest.keyClicks(target, key)
        else:
            QTest.keyClick(target, key, held)


def test_undo_right_behind_an_edit(gpt: MainWindow, hand: Hand) -> None:
    session, canvas = gpt.session, gpt.canvas
    assert canvas is not None
    canvas.zoom_reset()
    QApplication.processEvents()
    before = document_to_data(session.document)
    hand.click(canvas, hand.middle(canvas, "head"))
    press(Key.Key_F2)
    press("Result", Key.Key_Return)
    assert session.document.top.node("head").title == "Result"
    press(Key.Key_Z, held=CONTROL)
    assert document_to_data(session.document) == before
    press(Key.Key_Z, held=CONTROL | SHIFT)
    assert session.document.top.node("head").title == "Result"
    press(Key.Key_Z, held=CONTROL)
    press(Key.Key_Z, held=CONTROL)
    assert document_to_data(session.document) == before, "there was nothing more to undo"
    assert not session.history.can_undo and session.history.can_redo


def test_keys_of_what_is_selected_right_behind_the_click(gpt: MainWindow, hand: Hand) -> None:
    session, canvas = gpt.session, gpt.canvas
    assert canvas is not None
    count = len(session.document.top.nodes)
    hand.click(canvas, hand.middle(canvas, "decoder"))
    press("m")
    assert session.document.top.node("decoder").muted
    press(Key.Key_D, held=CONTROL)
    assert len(session.document.top.nodes) == count + 1
    press(Key.Key_Z, held=CONTROL)
    assert len(session.document.top.nodes) == count
    assert session.document.top.node("decoder").muted
    press(Key.Key_Z, held=CONTROL)
    assert not session.document.top.node("decoder").muted
    assert not session.history.can_undo


def test_what_is_found_can_be_taken_back_at_once(gpt: MainWindow) -> None:
    session = gpt.session
    count = len(session.document.top.nodes)
    press(Key.Key_A, held=SHIFT)
    press("gelu", Key.Key_Return)
    assert len(session.document.top.nodes) == count + 1
    press(Key.Key_Z, held=CONTROL)
    assert len(session.document.top.nodes) == count


def test_undo_in_a_window_of_panels(gpt: MainWindow, qtbot: QtBot) -> None:
    session = gpt.session
    outline = gpt.docks.reveal("outline")
    gpt.docks.turn(["outline"])
    window = outline.window()
    assert window is not gpt
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    session.show(("decoder",))
    QApplication.processEvents()
    tree = outline.tree
    tree.setFocus()
    press(Key.Key_Delete)
    assert "decoder" not in session.document.top
    press(Key.Key_Z, held=CONTROL)
    assert "decoder" in session.document.top


@pytest.mark.parametrize("key", [Key.Key_F35, Key.Key_Z])
def test_before_any_key_every_action_is_as_it_should_be(gpt: MainWindow, key: Qt.Key) -> None:
    for can in (False, True):
        for action in ACTIONS:
            gpt.commands[action.id].setEnabled(can)
        press(key)
        states = {action.id: gpt.commands[action.id].isEnabled() for action in ACTIONS}
        assert states == {action.id: bool(action.enabled(gpt)) for action in ACTIONS}


def test_a_field_keeps_its_own_undo(gpt: MainWindow) -> None:
    session = gpt.session
    session.show(("decoder",))
    press("m", Key.Key_F2)
    press("Other", Key.Key_Z, held=CONTROL)
    assert session.document.top.node("decoder").muted, "only the words in the field were taken back"
