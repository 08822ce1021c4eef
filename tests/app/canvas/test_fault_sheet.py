"""What will not do in place says so under its field, and offers what would."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph.layout import FIRST_ROW, ROW

CONTROL, LEFT = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton


def edit(canvas, hand, id, name):
    """Click a value of a node."""
    geometry = canvas.geometry_of
    row = geometry.index[id]
    place = [shown for shown, _ in geometry.boxes[row].rows].index(name)
    _, top, right, _ = geometry.rects[row].tolist()
    hand.click(QPointF(right - 24, top + FIRST_ROW + ROW * place))
    assert canvas.editor.is_open


def type_in(canvas, text, keys=Qt.KeyboardModifier.NoModifier):
    canvas.editor.selectAll()
    QTest.keyClicks(canvas.editor, text)
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return, keys)


def test_the_nearest_value_is_taken_by_a_click(show, hand_on, state_of):
    canvas = show()
    hand, before, sheet = hand_on(canvas), state_of(canvas.session), canvas.editor.sheet
    edit(canvas, hand, "first", "out_features")
    type_in(canvas, "0")
    assert sheet.isVisible() and sheet.sentence.text() == "It must be at least 1; it is 0."
    assert canvas.rect().contains(sheet.geometry())
    QTest.mouseClick(sheet.button, LEFT)
    assert not sheet.isVisible() and not canvas.editor.is_open
    assert canvas.session.document.top.node("first").params["out_features"] == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_it_is_taken_by_keys_too(show, hand_on):
    canvas = show()
    edit(canvas, hand_on(canvas), "first", "out_features")
    type_in(canvas, "-12")
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return, CONTROL)
    assert canvas.session.document.top.node("first").params["out_features"] == 1
    assert canvas.hasFocus()


def test_typing_on_or_leaving_takes_the_sheet_away(show, hand_on, refusals):
    canvas = show()
    said = refusals(canvas)
    edit(canvas, hand_on(canvas), "first", "out_features")
    type_in(canvas, "0")
    QTest.keyClicks(canvas.editor, "4")
    assert not canvas.editor.sheet.isVisible()
    type_in(canvas, "nothing")
    assert canvas.editor.sheet.isVisible() and not canvas.editor.sheet.button.isVisible()
    QTest.keyClick(canvas.editor, Qt.Key.Key_Escape)
    assert not canvas.editor.sheet.isVisible() and not said
    edit(canvas, hand_on(canvas), "first", "out_features")
    canvas.editor.selectAll()
    QTest.keyClicks(canvas.editor, "0")
    hand_on(canvas).click(QPointF(400, 300))
    assert not canvas.editor.sheet.isVisible() and "out_features" in said[-1], "what is left behind is said aloud"


def test_what_the_validator_would_mend_is_offered_beside_the_node(show, hand_on, state_of):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    hand = hand_on(canvas)
    edit(canvas, hand, "attn", "num_heads")
    type_in(canvas, "5")
    QApplication.processEvents()
    assert canvas.session.document.node(("decoder", "attn")).params["num_heads"] == 5
    before = state_of(canvas.session)
    assert canvas.note is not None and "5 heads" in canvas.note.text
    hand.click(canvas.note.button_rect.center().toPoint())
    assert 768 % canvas.session.document.node(("decoder", "attn")).params["num_heads"] == 0
    assert canvas.session.report.valid
    canvas.session.undo()
    assert state_of(canvas.session) == before
