"""Titles and values are edited where they stand, and what will not do is refused in words."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.canvas.view import Canvas

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier


def type_in(canvas: Canvas, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    assert canvas.editor.is_open
    QTest.keyClicks(canvas.editor, text)
    QTest.keyClick(canvas.editor, key)


def test_a_title_is_edited_in_its_place(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.double_click("first")
    assert canvas.editor.text() == "Linear"
    assert canvas.rect().contains(canvas.editor.geometry())
    type_in(canvas, "  Project   up ")
    assert canvas.session.document.top.node("first").title == "Project up"
    assert not canvas.editor.is_open
    assert canvas.hasFocus()
    canvas.rename()
    assert canvas.editor.text() == "Project up"
    type_in(canvas, "Linear")
    assert canvas.session.document.top.node("first").title == "", "the block's own title is no title of the node's"
    canvas.edit_title("first")
    type_in(canvas, "Nothing", Qt.Key.Key_Escape)
    assert canvas.session.document.top.node("first").title == ""


def test_a_value_is_edited_in_its_row(show, hand_on, refusals):
    canvas = show()
    hand = hand_on(canvas)
    said = refusals(canvas)

    def row(name):
        box = canvas.geometry_of.boxes[canvas.geometry_of.index["first"]]
        place = [shown for shown, _ in box.rows].index(name)
        left, top, right, _ = canvas.geometry_of.rects[canvas.geometry_of.index["first"]].tolist()
        return QPointF(right - 30, top + 40 + 20 * place)

    hand.double_click(row("out_features"))
    type_in(canvas, "=4*16")
    assert canvas.session.document.top.node("first").params["out_features"] == "=4*16"
    assert canvas.session.report.node(("first",)).params["out_features"] == 64
    hand.double_click(row("out_features"))
    assert canvas.editor.text() == "=4*16"
    type_in(canvas, "-3")
    assert canvas.editor.is_open, "a value that will not do stays to be mended"
    assert canvas.editor.property("state") == "error"
    assert canvas.editor.sheet.isVisible() and "at least 1" in canvas.editor.sheet.sentence.text()
    assert not said
    type_in(canvas, "48")
    assert canvas.session.document.top.node("first").params["out_features"] == 48
    hand.double_click(row("in_features"))
    type_in(canvas, "32")
    assert canvas.session.document.top.node("first").params["in_features"] == 32
    hand.double_click(row("in_features"))
    canvas.editor.clear()
    type_in(canvas, "")
    assert canvas.session.document.top.node("first").params["in_features"] == {"from": "wire"}


def test_a_switch_is_turned_by_a_click_and_no_more_by_a_second(show, hand_on):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    row = canvas.geometry_of.index["attn"]
    place = [name for name, _ in canvas.geometry_of.boxes[row].rows].index("causal")
    left, top, right, _ = canvas.geometry_of.rects[row].tolist()
    hand_on(canvas).double_click(QPointF(right - 20, top + 40 + 20 * place))
    assert canvas.session.document.node(("decoder", "attn")).params["causal"] is False
    assert not canvas.editor.is_open


def test_a_click_elsewhere_keeps_what_was_typed(show, hand_on):
    canvas = show()
    canvas.edit_title("first")
    QTest.keyClicks(canvas.editor, "Up")
    hand_on(canvas).click(QPointF(300, 300))
    assert canvas.session.document.top.node("first").title == "Up"
    assert not canvas.editor.isVisible()


def test_a_choice_offers_its_words(show):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    row = [name for name, _ in canvas.geometry_of.boxes[canvas.geometry_of.index["mlp"]].rows].index("activation")
    canvas.edit_row("mlp", row)
    model = canvas.editor.completer().model()
    assert "gelu_tanh" in [model.index(place, 0).data() for place in range(model.rowCount())]
    type_in(canvas, "relu")
    assert canvas.session.document.node(("decoder", "mlp")).params["activation"] == "relu"
