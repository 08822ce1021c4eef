"""The history panel: steps by name, a click goes there, the saved state is marked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.history import HistoryPanel
from graph.commands import SetDocument, SetParam
from graph.files import document_to_data


@pytest.fixture
def panel(gpt, shown, qtbot):
    gpt.do(SetParam((), "token_embedding", "dim", 48))
    gpt.do(SetDocument("seed", 3))
    gpt.history.mark_saved()
    gpt.do(SetDocument("title", "mine"))
    panel = shown(HistoryPanel)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 4)
    return panel


def labels(panel):
    return [panel.model.index(row).data() for row in range(panel.model.rowCount())]


def click(panel, row):
    place = panel.list.visualRect(panel.model.index(row)).center()
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def test_steps_are_named_and_the_saved_one_is_marked(panel):
    assert labels(panel) == ["New drawing", "Set dim of token_embedding", "Set seed", "Set title"]
    assert panel.model.here == 3
    spoken = [panel.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(4)]
    assert spoken[2:] == ["Set seed, saved", "Set title, now"]


def test_a_click_goes_there_and_back(panel, gpt, qtbot):
    after = document_to_data(gpt.document)
    told = []
    gpt.edited.connect(lambda: told.append(1))
    click(panel, 0)
    assert not gpt.history.can_undo and len(gpt.history.undone) == 3
    assert len(told) == 1, "however many steps it is, everyone is told once"
    qtbot.waitUntil(lambda: panel.model.here == 0)
    assert labels(panel)[3] == "Set title", "what can be redone stays in its place"
    assert panel.model.index(3).data(Qt.ItemDataRole.AccessibleTextRole) == "Set title, undone"
    click(panel, 2)
    assert gpt.is_saved
    click(panel, 3)
    assert document_to_data(gpt.document) == after
    click(panel, 3)
    assert len(told) == 3, "where one is already, nothing happens"


def test_the_saved_state_is_one_click_away(panel, gpt, qtbot):
    QTest.mouseClick(panel.to_saved, Qt.MouseButton.LeftButton)
    assert gpt.is_saved and len(gpt.history.done) == 2
    qtbot.waitUntil(lambda: not panel.to_saved.isEnabled())
    QTest.mouseClick(panel.back, Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.back.isEnabled())
    QTest.mouseClick(panel.forth, Qt.MouseButton.LeftButton)
    assert len(gpt.history.done) == 1


def test_enter_goes_to_the_chosen_step(panel, gpt, qtbot):
    panel.list.setFocus()
    QTest.keyClick(panel.list, Qt.Key.Key_Up)
    QTest.keyClick(panel.list, Qt.Key.Key_Return)
    assert len(gpt.history.done) == 2
    assert gpt.is_saved


def test_another_drawing_shows_its_own_steps(panel, gpt, qtbot):
    from app.session import Session
    from graph.templates import find

    panel.workspace.show(Session(find("mlp").build()))
    qtbot.waitUntil(lambda: labels(panel) == ["New drawing"])
    gpt.do(SetDocument("seed", 5))
    gpt.saved.emit()
    qtbot.wait(20)
    assert labels(panel) == ["New drawing"]
