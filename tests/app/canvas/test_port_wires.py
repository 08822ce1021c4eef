"""All wires of a port led elsewhere at once: real events, and undo leads back to the start."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt

from graph.commands import AddNode
from graph.document import Node

CTRL = Qt.KeyboardModifier.ControlModifier


def test_ctrl_and_drag_leads_all_wires_of_an_output_elsewhere(branched, hand_on, state_of, undone, pairs):
    before = state_of(branched.session)
    hand = hand_on(branched)
    start, goal = hand.port("first", "y", is_input=False), hand.port("features", "features", is_input=False)
    hand.press(start, CTRL)
    hand.move(start + QPoint(-30, 30), CTRL)
    assert len(branched.looks.lifted) == 3
    place = branched.geometry_of.port
    assert branched.looks.fits.get(place("features", "features", is_input=False)) is True
    assert branched.looks.fits.get(place("second", "y", is_input=False)) is False
    assert branched.looks.fits.get(place("sum", "x", is_input=True)) is None
    hand.move(hand.port("second", "y", is_input=False), CTRL)
    assert "would close a circle" in branched.tip.text
    branched.repaint()
    hand.move(goal, CTRL)
    assert branched.tip is None
    hand.release(goal, CTRL)
    assert pairs(branched) >= {("features", "second"), ("features", "sum")}
    assert not branched.session.document.top.outgoing("first")
    assert branched.session.history.done[-1].label == "Move 3 wires to features"
    undone(branched, before)


def test_ctrl_and_drag_leads_the_wires_of_an_input_elsewhere(branched, hand_on, state_of, undone):
    branched.session.do(AddNode((), Node("other", "Add", position=(520.0, 320.0))))
    branched.session.history.done.clear()
    branched.fit_all()
    before = state_of(branched.session)
    hand = hand_on(branched)
    hand.drag(hand.port("sum", "x", is_input=True), "other", CTRL)
    level = branched.session.document.top
    assert [(w.source, w.order) for w in level.incoming("other")] == [("first", 0), ("first", 1)]
    assert not level.incoming("sum")
    undone(branched, before)


def test_wires_led_nowhere_or_home_stay(branched, hand_on, state_of, refusals):
    before = state_of(branched.session)
    said = refusals(branched)
    hand = hand_on(branched)
    start = hand.port("first", "y", is_input=False)
    hand.drag(start, QPointF(400, 260), CTRL)
    hand.press(start, CTRL)
    hand.move(start + QPoint(40, 40), CTRL)
    hand.move(start, CTRL)
    hand.release(start, CTRL)
    hand.drag(hand.port("sum", "x", is_input=True), hand.port("result", "x", is_input=True), CTRL)
    assert said == ["X takes one wire, and 2 would come."]
    hand.drag(start, hand.port("second", "y", is_input=False), CTRL)
    assert said[1:] == ["A wire from second to second would close a circle."]
    assert state_of(branched.session) == before
    assert not branched.session.history.done
    hand.press(start, CTRL)
    hand.move(start + QPoint(40, 40), CTRL)
    hand.key(Qt.Key.Key_Escape)
    hand.release(start, CTRL)
    assert not branched.looks.lifted and branched.looks.fits is None


def test_ctrl_on_a_port_without_wires_does_nothing(show, hand_on):
    canvas = show()
    canvas.add_block("Linear", QPointF(400, 240))
    hand = hand_on(canvas)
    hand.drag(hand.port("linear", "y", is_input=False), hand.port("first", "y", is_input=False), CTRL)
    assert len(canvas.session.history.done) == 1
