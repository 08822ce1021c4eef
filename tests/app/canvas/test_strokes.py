"""Strokes that cut wires and lay dots: real events, and undo leads back to the start."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier
RIGHT = Qt.MouseButton.RightButton


def test_a_stroke_with_ctrl_and_the_right_button_cuts_what_it_crosses(branched, hand_on, state_of, undone, pairs):
    before = state_of(branched.session)
    hand = hand_on(branched)
    asked = []
    branched.menu_requested.connect(lambda *where: asked.append(where))
    top, bottom = hand.at(QPointF(480, -80)), hand.at(QPointF(480, 300))
    hand.press(top, CTRL, RIGHT)
    point = QPoint(top)
    menu = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, branched.mapToGlobal(point), CTRL)
    QApplication.sendEvent(branched, menu)
    hand.move(bottom, CTRL)
    assert {(w.source, w.target) for w in branched.looks.struck} == {("first", "second"), ("first", "sum")}
    assert len(branched.looks.struck) == 3
    branched.repaint()
    hand.release(bottom, CTRL)
    assert not asked
    assert pairs(branched) == {("features", "first"), ("second", "result")}
    assert branched.session.history.done[-1].label == "Cut 3 wires"
    assert not branched.looks.struck
    undone(branched, before)


def test_y_and_drag_cuts_too_and_a_single_wire_says_which(show, hand_on, state_of, undone, pairs):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    QTest.keyPress(canvas, Qt.Key.Key_Y)
    assert canvas.cursor().shape() == Qt.CursorShape.CrossCursor
    hand.drag(QPointF(480, -80), QPointF(490, 80))
    QTest.keyRelease(canvas, Qt.Key.Key_Y)
    assert pairs(canvas) == {("features", "first"), ("second", "result")}
    assert canvas.session.history.done[-1].label == "Disconnect second"
    undone(canvas, before)
    hand.drag(QPointF(700, -80), QPointF(710, 80))
    assert ("second", "result") in pairs(canvas), "without Y the same drag is a rubber band"


def test_a_stroke_through_nodes_and_air_is_no_step(show, hand_on, pairs):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag(QPointF(280, -80), QPointF(290, 200), CTRL, RIGHT)
    assert not canvas.session.history.done
    assert len(pairs(canvas)) == 3


def test_escape_leaves_a_stroke_and_the_wires(show, hand_on, pairs):
    canvas = show()
    hand = hand_on(canvas)
    hand.press(QPointF(480, -80), CTRL, RIGHT)
    hand.move(QPointF(480, 80), CTRL)
    assert canvas.looks.struck
    hand.key(Qt.Key.Key_Escape)
    assert canvas.gesture is None and not canvas.looks.struck
    hand.release(QPointF(480, 80), CTRL)
    assert len(pairs(canvas)) == 3 and not canvas.session.history.done


def test_the_right_button_alone_and_the_menu_key_ask_for_the_menu(show, hand_on, qtbot):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag(QPointF(480, -80), QPointF(490, 80), CTRL, RIGHT)
    point = QPoint(30, 300)
    with qtbot.waitSignal(canvas.menu_requested):
        by_key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, point, canvas.mapToGlobal(point), SHIFT)
        QApplication.sendEvent(canvas, by_key)
    hand.press(point, button=RIGHT)
    assert canvas.gesture is None
    with qtbot.waitSignal(canvas.menu_requested):
        by_mouse = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, canvas.mapToGlobal(point), NONE)
        QApplication.sendEvent(canvas, by_mouse)


def test_a_stroke_with_shift_puts_one_dot_for_each_output(branched, hand_on, state_of, undone):
    before = state_of(branched.session)
    hand = hand_on(branched)
    hand.press(QPointF(480, -80), SHIFT, RIGHT)
    hand.move(QPointF(480, 300), SHIFT)
    branched.repaint()
    hand.release(QPointF(480, 300), SHIFT)
    level = branched.session.document.top
    assert level.node("reroute").is_dot
    assert {(w.target, w.order) for w in level.outgoing("reroute")} == {("second", 0), ("sum", 0), ("sum", 1)}
    assert [w.source for w in level.incoming("reroute")] == ["first"]
    assert branched.session.selection == {"reroute"}
    assert branched.session.report.valid
    undone(branched, before)
