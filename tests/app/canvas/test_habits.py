"""What people do without thinking: quick clicks, keys held down, a change of mind in the middle of a drag."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QTreeWidget, QWidget

from graph.layout import FIRST_ROW, ROW

NONE = Qt.KeyboardModifier.NoModifier
LEFT, MIDDLE, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton
EMPTY = QPoint(500, 560)


def key(canvas, kind, key, at, *, repeated=False):
    event = QKeyEvent(kind, key, NONE, "", repeated)
    event.setTimestamp(at)
    QApplication.sendEvent(canvas, event)


def enter(canvas, point):
    where = QPointF(point)
    QApplication.sendEvent(canvas, QEnterEvent(where, where, QPointF(canvas.mapToGlobal(point))))


def press_again(canvas, point, button=LEFT):
    """The second press of a quick pair, which Qt tells as a double click."""
    where = QPointF(canvas.mapToGlobal(point))
    QApplication.sendEvent(
        canvas, QMouseEvent(QEvent.Type.MouseButtonDblClick, QPointF(point), where, button, button, NONE)
    )


def ask_for_menu(canvas, point):
    where = canvas.mapToGlobal(point)
    QApplication.sendEvent(canvas, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, where, NONE))


@pytest.fixture
def searches(show):
    """A canvas, and the places at which a search was asked for."""
    canvas = show()
    asked = []
    canvas.search_requested.connect(lambda scene, _screen: asked.append(scene))
    return canvas, asked


def test_a_click_and_at_once_a_drag_moves_and_opens_nothing(show, hand_on, state_of):
    canvas = show()
    hand, before = hand_on(canvas), state_of(canvas.session)
    start = hand.at("first")
    hand.click(start)
    press_again(canvas, start)
    hand._held = LEFT
    for step in range(1, 6):
        hand.move(start + QPoint(0, 8 * step))
    hand.release(start + QPoint(0, 40))
    assert not canvas.editor.isVisible()
    assert canvas.session.document.top.node("first").position == (240.0, 40.0)
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_a_double_click_opens_as_the_button_goes_up(show, hand_on):
    canvas = show()
    hand_on(canvas).double_click("first")
    assert canvas.editor.isVisible()
    assert canvas.gesture is None
    assert not canvas.session.history.done


def test_the_middle_button_pans_twice_in_quick_succession(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag(EMPTY, EMPTY + QPoint(30, 0), button=MIDDLE)
    x = canvas.camera.x
    press_again(canvas, EMPTY, MIDDLE)
    hand._held = MIDDLE
    hand.move(EMPTY + QPoint(0, 10))
    hand.move(EMPTY + QPoint(25, 10))
    hand.release(EMPTY + QPoint(25, 10))
    assert canvas.camera.x == x + 25


def test_a_tap_of_space_searches_and_a_hold_does_not(searches):
    canvas, asked = searches
    key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Space, 1000)
    key(canvas, QEvent.Type.KeyRelease, Qt.Key.Key_Space, 1090)
    assert len(asked) == 1
    key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Space, 2000)
    key(canvas, QEvent.Type.KeyRelease, Qt.Key.Key_Space, 2600)
    assert len(asked) == 1


def test_space_held_with_unmarked_repeats_pans_and_searches_nothing(searches, hand_on):
    canvas, asked = searches
    hand, x = hand_on(canvas), canvas.camera.x
    key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Space, 1000)
    hand.press(EMPTY)
    hand.move(EMPTY + QPoint(20, 0))
    for at in (1660, 1700):
        key(canvas, QEvent.Type.KeyRelease, Qt.Key.Key_Space, at)
        key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Space, at)
    hand.move(EMPTY + QPoint(40, 0))
    hand.release(EMPTY + QPoint(40, 0))
    key(canvas, QEvent.Type.KeyRelease, Qt.Key.Key_Space, 1720)
    assert asked == []
    assert canvas.camera.x == x + 40


def test_an_arrow_held_with_unmarked_repeats_is_one_step(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand_on(canvas).click("first")
    key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Right, 1000)
    for at in (1660, 1700, 1740):
        key(canvas, QEvent.Type.KeyRelease, Qt.Key.Key_Right, at)
        key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Right, at)
    key(canvas, QEvent.Type.KeyRelease, Qt.Key.Key_Right, 1760)
    assert canvas.session.document.top.node("first").position == (256.0, 0.0)
    assert len(canvas.session.history.done) == 1
    key(canvas, QEvent.Type.KeyPress, Qt.Key.Key_Right, 2000)
    assert len(canvas.session.history.done) == 2, "a new press is a step of its own"
    canvas.session.undo()
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_what_is_asked_for_after_a_menu_comes_where_the_pointer_rests(searches, hand_on):
    canvas, asked = searches
    hand_on(canvas).hover(QPoint(300, 300))
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    enter(canvas, QPoint(320, 500))
    QTest.keyClick(canvas, Qt.Key.Key_Tab)
    place = canvas.map_from_scene(asked[0])
    assert (place.x(), place.y()) == pytest.approx((320, 500), abs=1)


@pytest.mark.parametrize("start", ["first", "first.y", "ground"])
def test_the_right_button_lets_go_of_what_is_dragged_and_asks_for_no_menu(show, hand_on, state_of, start):
    canvas = show()
    hand, before, asked = hand_on(canvas), state_of(canvas.session), []
    canvas.menu_requested.connect(lambda *places: asked.append(places))
    place = EMPTY if start == "ground" else hand.port("first", "y", is_input=False) if "." in start else hand.at(start)
    hand.press(place)
    hand.move(place + QPoint(30, 30))
    hand.move(place + QPoint(60, 50))
    QTest.mousePress(canvas, RIGHT, NONE, place + QPoint(60, 50))
    ask_for_menu(canvas, place + QPoint(60, 50))
    assert canvas.gesture is None
    QTest.mouseRelease(canvas, RIGHT, NONE, place + QPoint(60, 50))
    hand.release(place + QPoint(60, 50))
    assert asked == []
    assert state_of(canvas.session) == before
    hand.press(EMPTY, button=RIGHT)
    ask_for_menu(canvas, EMPTY)
    assert len(asked) == 1, "the next one asks for it"


def test_a_drag_whose_release_went_elsewhere_is_over(show, hand_on, state_of):
    canvas = show()
    hand, before = hand_on(canvas), state_of(canvas.session)
    start = hand.at("first")
    hand.press(start)
    hand.move(start + QPoint(40, 40))
    hand._held = Qt.MouseButton.NoButton
    hand.move(start + QPoint(80, 80))
    assert canvas.gesture is None
    assert canvas.geometry_of.rects[canvas.geometry_of.index["first"], 0] == 240.0
    assert state_of(canvas.session) == before


def test_the_tip_of_a_value_follows_what_is_typed(show, hand_on):
    canvas = show("gpt")
    hand, id = hand_on(canvas), "token_embedding"
    rows = [name for name, *_ in canvas.geometry_of.boxes[canvas.geometry_of.index[id]].rows]
    _, top, right, _ = canvas.geometry_of.bounds([id])
    point = hand.at(QPointF(right - 20, top + FIRST_ROW + ROW * rows.index("dim")))
    hand.hover(point)
    assert "=dim" in canvas.tip.text
    hand.click(point)
    QTest.keyClicks(canvas.editor, "96")
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
    assert canvas.session.document.top.node(id).params["dim"] == 96
    assert canvas.tip is None or "=dim" not in canvas.tip.text
    canvas.session.undo()
    assert "=dim" in canvas.tip.text


def test_what_an_edit_puts_under_the_pointer_is_under_it_at_once(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.hover(hand.at("first"))
    assert canvas.looks.hovered == "first"
    canvas.session.select(["first"])
    canvas.delete_selection()
    assert canvas.looks.hovered is None
    canvas.session.undo()
    assert canvas.looks.hovered == "first"


def test_from_afar_a_block_says_its_name(show, hand_on):
    canvas = show("gpt")
    hand = hand_on(canvas)
    hand.hover(hand.at("decoder"))
    assert canvas.tip is None
    canvas.zoom_at(QPointF(0, 0), 0.25 / canvas.camera.zoom)
    hand.hover(hand.at("decoder"))
    assert canvas.tip.text == "Decoder layer"
    hand.hover(QPoint(900, 600))
    assert canvas.tip is None


@pytest.mark.parametrize(("kind", "takes"), [(QTreeWidget, True), (QLineEdit, False)])
def test_keys_go_where_the_pointer_comes_to_unless_one_is_writing(show, hand_on, qtbot, kind, takes):
    canvas, window, other = show(), QWidget(), kind()
    qtbot.addWidget(window)
    layout = QHBoxLayout(window)
    layout.addWidget(other)
    layout.addWidget(canvas)
    window.resize(1200, 700)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    hand = hand_on(canvas)
    hand.hover(QPoint(290, 300))
    QApplication.processEvents()  # what came of showing the window counts as coming too
    hand.hover(QPoint(295, 300))
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    hand.hover(QPoint(300, 300))
    assert other.hasFocus(), "it rests there, nobody has come"
    enter(canvas, QPoint(310, 300))
    assert other.hasFocus()
    hand.hover(QPoint(320, 310))
    assert canvas.hasFocus() is takes
    canvas.setParent(None)


def test_what_undo_brings_back_is_selected(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    canvas.session.select(["first", "second"])
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    hand_on(canvas).click("result")
    canvas.session.undo()
    assert canvas.session.selection == {"first", "second"}
    assert state_of(canvas.session) == before
    canvas.session.redo()
    canvas.session.undo()
    assert canvas.session.selection == {"first", "second"}
    canvas.nudge(4, 0)
    canvas.session.undo()
    assert canvas.session.selection == {"first", "second"}, "what only moves stays as it is"
