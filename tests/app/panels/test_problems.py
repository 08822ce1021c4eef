from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from app.panels.problems import MOST, Problems
from graph.commands import Disconnect, SetParam


@pytest.fixture
def broken(gpt):
    """The small GPT with a wrong size and a loose end."""
    gpt.do(SetParam(("decoder",), "attn", "dim", 48))
    gpt.do(Disconnect((), gpt.document.top.incoming("head")[0]))
    return gpt


@pytest.fixture
def panel(broken, shown):
    return shown(Problems)


def test_each_issue_is_a_row_in_words(panel, broken):
    assert [row.where.text() for row in panel.rows] == ["Unembedding, input x", "Multi-head attention, input x"]
    assert panel.rows[1].message.text() == "It receives 32 features per token from Layer norm, but its dim is 48."
    assert panel.rows[0].accessibleName().startswith("error: Unembedding, input x.")
    assert panel.badge() == "2"


def test_a_click_goes_to_the_node(panel, broken, qtbot):
    shown = []
    broken.reveal.connect(shown.append)
    qtbot.mouseClick(panel.rows[1], Qt.MouseButton.LeftButton)
    assert broken.focus == ("decoder", "attn")
    assert shown == [("decoder", "attn")]


def test_the_repair_mends_it_and_can_be_undone(panel, broken, qtbot):
    row = panel.rows[1]
    assert row.button.text() == "Set dim to 32"
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert broken.document.node(("decoder", "attn")).params["dim"] == 32
    qtbot.waitUntil(lambda: len(panel.rows) == 1)
    broken.undo()
    qtbot.waitUntil(lambda: len(panel.rows) == 2)


def test_the_keyboard_walks_and_goes(panel, broken, qtbot):
    panel.rows[0].setFocus()
    qtbot.keyClick(panel.rows[0], Qt.Key.Key_Down)
    assert panel.rows[1].hasFocus()
    qtbot.keyClick(panel.rows[1], Qt.Key.Key_Return)
    assert broken.focus == ("decoder", "attn")
    qtbot.keyClick(panel.rows[1], Qt.Key.Key_Tab)
    assert panel.rows[1].button.hasFocus()
    qtbot.keyClick(panel.rows[1].button, Qt.Key.Key_Space)
    assert broken.document.node(("decoder", "attn")).params["dim"] == 32
    qtbot.waitUntil(lambda: len(panel.rows) == 1)
    qtbot.keyClick(panel.rows[0], Qt.Key.Key_Up)
    assert panel.rows[0].where.text() == "Unembedding, input x"


def test_without_problems_it_says_so(gpt, shown):
    panel = shown(Problems)
    assert panel.is_empty
    assert panel.empty.sentence.text() == "No problems."
    assert not panel.empty.button.isVisible()
    assert panel.badge() == ""


def test_an_empty_drawing_has_no_problems_yet(workspace, shown):
    panel = shown(Problems)
    assert panel.empty.sentence.text() == "Nothing is drawn yet."
    assert panel.badge() == ""


def test_an_issue_of_the_drawing_selects_nothing(workspace, shown, qtbot):
    from graph.commands import AddNode
    from graph.document import Node

    workspace.session.do(AddNode((), Node("x", "FeatureInput")))  # and nothing that comes out
    panel = shown(Problems)
    assert panel.rows[0].where.text() == "Drawing"
    qtbot.mouseClick(panel.rows[0], Qt.MouseButton.LeftButton)
    assert workspace.session.selection == frozenset()


def test_hundreds_of_issues_are_cut_short(gpt, shown):
    from graph.commands import AddNode, Sequence
    from graph.document import Node

    steps = tuple(AddNode((), Node(f"loose_{place}", "ReLU")) for place in range(MOST + 7))
    gpt.do(Sequence(steps, "Add"))
    panel = shown(Problems)
    assert len(panel.rows) == MOST
    assert panel._more.text() == "and 7 more"
