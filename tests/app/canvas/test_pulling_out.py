"""Nodes pulled out of their wires, and put into others: real events, and undo leads back."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt

from graph.commands import AddNode, Connect, Sequence
from graph.document import Node, Wire

SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def test_alt_and_drag_pulls_a_node_out_and_closes_the_gap(show, hand_on, state_of, undone, pairs):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.press("first", ALT)
    hand.move(hand.at("first") + QPoint(10, 60), ALT)
    assert len(canvas.looks.lifted) == 2
    canvas.repaint()
    hand.move(hand.at("first") + QPoint(40, 160), ALT)
    hand.release(hand.at("first"), ALT)
    assert pairs(canvas) == {("features", "second"), ("second", "result")}
    assert canvas.session.document.top.node("first").position[1] > 100
    assert canvas.session.history.done[-1].label == "Pull out first"
    assert canvas.session.report.signal(("second",), "y") is not None, "the layer behind takes what comes now"
    assert not canvas.looks.lifted
    undone(canvas, before)


def test_a_pulled_node_goes_into_another_wire_when_alt_is_let_go(show, hand_on, pairs, middle):
    canvas = show()
    hand = hand_on(canvas)
    goal = hand.at(middle(canvas, "second", "result"))
    hand.press("first", ALT)
    hand.move(hand.at("first") + QPoint(0, 80), ALT)
    hand.move(goal, ALT)
    assert canvas.looks.gap is None
    hand.move(goal + QPoint(0, 2))
    assert canvas.looks.gap is not None
    hand.release(goal)
    assert pairs(canvas) == {("features", "second"), ("second", "first"), ("first", "result")}
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert pairs(canvas) == {("features", "first"), ("first", "second"), ("second", "result")}


def test_several_pulled_nodes_keep_the_wire_between_them(show, hand_on, pairs):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("first")
    hand.click("second", SHIFT)
    hand.drag("first", hand.at("first") + QPoint(0, 160), ALT)
    assert pairs(canvas) == {("first", "second"), ("features", "result")}


def test_escape_puts_a_pulled_node_back(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.press("first", ALT)
    hand.move(hand.at("first") + QPoint(0, 90), ALT)
    hand.key(Qt.Key.Key_Escape)
    hand.release(hand.at("first"), ALT)
    assert state_of(canvas.session) == before
    assert not canvas.looks.lifted and not canvas.session.history.done


def test_shift_delete_reconnects(show, hand_on, state_of, undone, pairs):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.click("first")
    hand.click("second", SHIFT)
    hand.key(Qt.Key.Key_Delete, SHIFT)
    assert pairs(canvas) == {("features", "result")}
    undone(canvas, before)


def test_by_menu_wires_are_cut_and_nodes_pulled_out(show, state_of, undone, pairs, refusals):
    canvas = show()
    before = state_of(canvas.session)
    said = refusals(canvas)
    canvas.session.select(["first"])
    canvas.pull_out_selection()
    assert pairs(canvas) == {("features", "second"), ("second", "result")}
    undone(canvas, before)
    canvas.pull_out_selection()
    canvas.disconnect_selection()
    assert said == ["No wire leads to it or away from it.", "What is selected has no wires."]
    canvas.session.select(["second"])
    canvas.disconnect_selection()
    assert not pairs(canvas)
    canvas.session.undo()
    canvas.choose(canvas.geometry_of.wires[0])
    canvas.disconnect_selection()
    assert len(pairs(canvas)) == 1


def test_a_loose_group_goes_into_a_wire_too(show, hand_on, state_of, undone, pairs, middle):
    canvas = show()
    id = canvas.add_block("GELU", QPointF(420, 260))
    canvas.session.do(AddNode((), Node("tanh", "Tanh", position=(560.0, 240.0))))
    canvas.session.do(Connect((), Wire(id, "y", "tanh", "x")))
    canvas.session.select([id, "tanh"])
    canvas.group_selection()
    (group,) = canvas.session.selection
    canvas.session.do(edit_ports(canvas.session, group))
    canvas.session.history.done.clear()
    before = state_of(canvas.session)
    goal = middle(canvas, "first", "second")
    hand_on(canvas).drag(group, goal)
    assert {("first", group), (group, "second")} <= pairs(canvas)
    assert canvas.session.report.valid
    undone(canvas, before)


def edit_ports(session, group):
    """Ports for a group whose inside has a free input and a free output."""
    level = session.document.node((group,)).level
    first, last = (id for id, node in level.nodes.items())
    at = (group,)
    return Sequence(
        (
            AddNode(at, Node("enter", "GroupInput", {"port": "x"})),
            AddNode(at, Node("leave", "GroupOutput", {"port": "y"})),
            Connect(at, Wire("enter", "x", first, "x")),
            Connect(at, Wire(last, "y", "leave", "x")),
        ),
        "Ports",
    )
