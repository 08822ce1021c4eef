"""One row of a form, with real clicks and keys; what it tells is what a page writes to the document."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor

from app.editors import editor_classes, editor_for
from app.editors.base import Setting
from app.editors.number import NumberEditor
from app.editors.row import ParamRow
from app.editors.text import TextEditor
from blocks.spec import Choice, Flag, Number, Param, Ratio, Size, Text
from graph.commands import UNSET
from graph.document import FROM_WIRE

SIZE = Param("num_heads", int, 8, Size("heads that look"))
WIRE = Param("dim", int, 256, Size("features per token", from_wire=True))
OPTIONAL = Param("kv_heads", int, None, Size("heads that are looked at; empty: as many"), optional=True)
NUMBER = Param("theta", float, 10000.0, Number("base", low=1.0))
RATIO = Param("dropout", float, 0.0, Ratio("dropped"))
WORD = Param("mode", str, "zeros", Choice("edges", ("zeros", "reflect_all")))
FLAG = Param("bias", bool, True, Flag("add a learned number"))
TEXT = Param("pattern", str, "b c", Text("a pattern", r"[a-z ]+", "lower-case words"))


@pytest.fixture
def make(qtbot):
    """Makes a shown row that keeps what it tells and shows it back, as a page does."""

    def make(param, raw=UNSET, **rest):
        row = ParamRow(param)
        qtbot.addWidget(row)
        row.told = []
        value = rest.pop("value", param.default if raw is UNSET else raw)
        row.show_setting(Setting(raw, value, rest.pop("origin", "default" if raw is UNSET else "set"), **rest))

        def hear(value, gesture):
            row.told.append((value, gesture))
            shown = param.default if value is UNSET else value
            row.show_setting(Setting(value, shown, "default" if value is UNSET else "set"))

        row.edited.connect(hear)
        row.resize(300, 60)
        row.show()
        qtbot.waitExposed(row)
        row.activateWindow()
        qtbot.waitUntil(row.isActiveWindow)
        return row

    return make


def values(row):
    return [value for value, _ in row.told]


def type_over(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_each_rule_has_an_editor():
    assert {Size, Number, Ratio, Choice, Flag, Text} <= set(editor_classes())
    assert isinstance(editor_for(SIZE), NumberEditor)


def test_an_unknown_rule_is_a_line_and_a_kind_of_a_known_one_has_its_editor():
    class Odd:
        doc = "something new"

        def fault(self, value):
            return None

    class Even(Size):
        pass

    assert isinstance(editor_for(Param("odd", str, "a", Odd())), TextEditor)
    assert isinstance(editor_for(Param("even", int, 2, Even("an even number"))), NumberEditor)


def test_one_visit_is_one_gesture(make, qtbot):
    row = make(SIZE)
    type_over(qtbot, row.editor.field, "128")
    qtbot.keyClick(row.editor.field, Qt.Key.Key_Return)
    type_over(qtbot, row.editor.field, "9")
    assert values(row) == [1, 12, 128, 9]
    gestures = [gesture for _, gesture in row.told]
    assert gestures[0] is gestures[1] is gestures[2] is not gestures[3]


def test_arrow_keys_step(make, qtbot):
    row = make(SIZE)
    row.editor.field.setFocus()
    qtbot.keyClick(row.editor.field, Qt.Key.Key_Up)
    qtbot.keyClick(row.editor.field, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(row.editor.field, Qt.Key.Key_PageDown)
    qtbot.keyClick(row.editor.field, Qt.Key.Key_PageDown)
    assert values(row) == [9, 19, 9, 1]
    qtbot.keyClick(row.editor.field, Qt.Key.Key_Down)
    assert values(row)[-1] == 1 and len(row.told) == 4
    number = make(NUMBER)
    number.editor.field.setFocus()
    qtbot.keyClick(number.editor.field, Qt.Key.Key_Up)
    assert values(number) == [11000.0]


def test_what_will_not_do_goes_back_to_what_was(make, qtbot):
    row = make(SIZE, 4)
    field = row.editor.field
    type_over(qtbot, field, "12x")
    assert values(row) == [1, 12, 4]
    assert field.text() == "12x" and field.property("state") == "error"
    assert row.fault.text() == "It must be a whole number, not '12x'." and row.fault.isVisible()
    row.show_setting(Setting(5, 5, "set"))
    assert field.text() == "12x"
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert values(row)[-1] == 12
    assert not row.fault.isVisible() and not field.property("state")


def test_escape_goes_back(make, qtbot):
    row = make(SIZE, 4)
    type_over(qtbot, row.editor.field, "99")
    qtbot.keyClick(row.editor.field, Qt.Key.Key_Escape)
    assert values(row) == [9, 99, 4]
    assert row.editor.field.text() == "4"


def test_an_undo_elsewhere_is_seen_while_the_field_has_the_keyboard(make, qtbot):
    row = make(SIZE, 4)
    type_over(qtbot, row.editor.field, "99")
    row.show_setting(Setting(4, 4, "set"))
    assert row.editor.field.text() == "4"


def test_how_it_is_written_stays_while_it_is_typed(make, qtbot):
    row = make(NUMBER)
    type_over(qtbot, row.editor.field, "1.50")
    assert row.editor.field.text() == "1.50"
    row.editor.field.clearFocus()
    assert row.editor.field.text() == "1.5"


def test_an_optional_value_may_be_empty(make, qtbot):
    row = make(OPTIONAL)
    assert (row.editor.field.text(), row.editor.field.placeholderText()) == ("", "as many")
    type_over(qtbot, row.editor.field, "2")
    assert row.editor.field.trailing == "heads that are looked at"
    qtbot.keyClick(row.editor.field, Qt.Key.Key_Backspace)
    assert values(row) == [2, None]


def test_an_expression_shows_its_value(make):
    row = make(SIZE, "=4*dim", value=3072, origin="expression", variables={"dim": 768})
    assert (row.editor.field.text(), row.editor.field.trailing) == ("=4*dim", "= 3\u2009072")


def test_off_the_wire(make, qtbot):
    row = make(WIRE, FROM_WIRE, value=64, origin="wire", source="Attention 1")
    field = row.editor.field
    assert (field.text(), field.trailing, field.property("tone")) == ("64", "from Attention 1", "quiet")
    assert row.button.accessibleName() == "Read off the wire; press to set it here instead"
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert values(row) == [64]
    assert row.button.accessibleName() == "Set here; press to read it off the wire"
    assert not field.property("tone")
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert values(row) == [64, FROM_WIRE]


def test_typing_over_what_comes_off_the_wire_sets_it(make, qtbot):
    row = make(WIRE, FROM_WIRE, value=64, origin="wire", source="Attention 1")
    type_over(qtbot, row.editor.field, "32")
    assert values(row) == [3, 32]


def test_a_changed_value_is_reset_where_the_keyboard_is(make, qtbot):
    QCursor.setPos(700, 500)  # not over the row
    row = make(SIZE, 4)
    row.editor.field.clearFocus()
    assert not row.button.isVisible()
    row.editor.field.setFocus()
    assert row.button.isVisible() and row.button.toolTip() == "Reset to 8"
    qtbot.mouseClick(row.button, Qt.MouseButton.LeftButton)
    assert row.told[-1][0] is UNSET
    assert row.editor.field.text() == "8"
    assert not row.button.isVisible()


def test_the_menu_resets_and_releases(make):
    row = make(SIZE, 4)
    reset = row.menu().actions()[0]
    assert (reset.text(), reset.isEnabled()) == ("Reset to 8", True)
    reset.trigger()
    assert row.told[-1][0] is UNSET
    assert not row.menu().actions()[0].isEnabled()
    wire = make(WIRE, 32)
    wire.menu().actions()[0].trigger()
    assert values(wire) == [FROM_WIRE]


def test_a_list_is_picked_from_with_keys(make, qtbot):
    row = make(WORD)
    combo = row.editor.combo
    assert combo.currentText() == "zeros"
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert values(row) == ["reflect_all"]
    assert combo.currentText() == "reflect all"


def test_a_box_is_ticked_on_its_words_too(make, qtbot):
    row = make(FLAG)
    words = row.editor._holder.itemAt(1).widget()
    qtbot.mouseClick(words, Qt.MouseButton.LeftButton, pos=QPoint(4, 4))
    assert values(row) == [False]
    row.editor.box.setFocus()
    qtbot.keyClick(row.editor.box, Qt.Key.Key_Space)
    assert values(row) == [False, True]


def test_a_box_may_hold_an_expression(make, qtbot):
    row = make(FLAG, "=tied", value=True, origin="expression", variables={"tied": True})
    assert row.editor.pages.currentIndex() == 1
    assert (row.editor.line.field.text(), row.editor.line.field.trailing) == ("=tied", "= yes")
    plain = make(FLAG)
    next(action for action in plain.menu().actions() if action.text() == "Use an expression").trigger()
    assert plain.editor.pages.currentIndex() == 1
    assert plain.fault.isVisible()


def test_a_share_is_dragged_in_one_gesture(make, qtbot):
    row = make(RATIO)
    slider = row.editor.slider
    middle = slider.height() // 2
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() // 4, middle))
    qtbot.mouseMove(slider, QPoint(slider.width() // 2, middle))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(slider.width() // 2, middle))
    assert values(row)[-1] == pytest.approx(0.5, abs=0.03)
    assert len({id(gesture) for _, gesture in row.told}) == 1 and len(row.told) >= 2
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert values(row)[-1] == pytest.approx(values(row)[-2] + 0.01)
    type_over(qtbot, row.editor.field, "0.255")
    assert values(row)[-1] == 0.255


def test_a_text_that_does_not_match(make, qtbot):
    row = make(TEXT)
    type_over(qtbot, row.editor.field, "A")
    assert row.fault.text() == "It must be lower-case words, not 'A'."
    assert row.told == []


def test_an_issue_and_its_repair(make, qtbot):
    row = make(SIZE)
    repaired = []
    row.repaired.connect(lambda: repaired.append(True))
    row.show_issue("8 heads do not divide 100 features.", "Set num_heads to 10")
    assert row.fault.isVisible() and row.repair.text() == "Set num_heads to 10"
    qtbot.mouseClick(row.repair, Qt.MouseButton.LeftButton)
    assert repaired == [True]
    type_over(qtbot, row.editor.field, "x")
    assert row.fault.text() == "It must be a whole number, not 'x'." and not row.repair.isVisible()


def test_what_it_means_is_in_the_tooltip(make):
    row = make(NUMBER)
    assert row.editor.field.toolTip() == "theta: base\nat least 1"
    assert make(RATIO).editor.field.toolTip() == "dropout: dropped\nfrom 0 to 1"
    assert row.editor.field.accessibleName() == "theta"
    period = make(Param("period", float, 100.0, Number("longest wave", low=1.0, unit="steps")))
    assert period.editor.field.toolTip() == "period: longest wave, in steps\nat least 1"
    assert period.editor.field.trailing == "steps"


def test_several_values(make):
    row = make(SIZE, several=True)
    assert (row.editor.field.text(), row.editor.field.placeholderText()) == ("", "several values")
    assert make(WORD, several=True).editor.combo.currentIndex() == -1
