"""How often a group runs, and with whose weights, said at the node itself."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.canvas.ink import faces
from graph.layout import TITLE_LEFT


@pytest.fixture
def canvas(show):
    canvas = show("gpt")
    canvas.session.select(["decoder"])
    return canvas


def times(canvas):
    """The middle of the "× 12" of the decoder."""
    row = canvas.geometry_of.index["decoder"]
    label = canvas.labels.node(canvas.geometry_of.nodes[row])
    x, y = (float(value) for value in canvas.geometry_of.rects[row, :2])
    wide = faces().title
    return QPointF(x + TITLE_LEFT + wide.width(label.title) + 6 + wide.width(label.times) / 2, y + 18)


def test_a_double_click_on_the_number_edits_it_and_beside_it_enters(canvas, hand_on, state_of):
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.double_click(times(canvas))
    assert canvas.session.at == ()
    assert canvas.editor.is_open and canvas.editor.text() == "=layers"
    QTest.keyClicks(canvas.editor, "3")
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
    assert canvas.session.document.node(("decoder",)).repeat == 3
    assert canvas.labels.node(canvas.session.document.node(("decoder",))).times == "× 3"
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before
    hand.double_click("decoder")
    assert canvas.session.at == ("decoder",)


def test_expressions_do_and_what_will_not_do_is_refused(canvas):
    said = []
    canvas.session.refused.connect(lambda sentence: said.append(sentence))
    canvas.edit_repeat()
    QTest.keyClicks(canvas.editor, "=2*layers")
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
    assert canvas.session.document.node(("decoder",)).repeat == "=2*layers"
    assert canvas.session.report.node(("decoder",)).rounds == 24
    canvas.edit_repeat()
    for text in ("0", "many", "-2"):
        canvas.editor.selectAll()
        QTest.keyClicks(canvas.editor, text)
        QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
        assert canvas.editor.is_open and canvas.editor.sheet.isVisible()
        assert canvas.editor.sheet.button.text() == ("" if text == "many" else "Set it to 1")
    assert not said
    QTest.keyClick(canvas.editor, Qt.Key.Key_Escape)
    assert canvas.session.document.node(("decoder",)).repeat == "=2*layers"
    canvas.session.select(["head"])
    canvas.edit_repeat()
    assert "Select one group" in said[-1]


def test_rounds_share_their_weights_or_have_their_own(canvas, state_of):
    before = state_of(canvas.session)
    canvas.toggle_shared()
    assert canvas.session.document.node(("decoder",)).shared
    canvas.toggle_shared()
    assert not canvas.session.document.node(("decoder",)).shared
    canvas.session.undo()
    canvas.session.undo()
    assert state_of(canvas.session) == before
