"""Cut, bend and lead wires with strokes, ports, nodes and keys: real events, and undo leads back to the start."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph.commands import AddNode, Connect, Sequence, SetNode
from graph.document import FROM_WIRE, Node, Wire

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
RIGHT = Qt.MouseButton.RightButton


def pairs(canvas):
    level = canvas.session.document.level(canvas.session.at)
    return {(w.source, w.target) for w in level.wires()}


def middle(canvas, source, target):
    canvas.geometry_of.settle(seconds=60)
    row = next(row for row, w in enumerate(canvas.geometry_of.wires) if (w.source, w.target) == (source, target))
    x, y, _ = canvas.geometry_of.middles[row].tolist()
    return QPointF(x, y)


def refusals(canvas):
    said = []
    canvas.session.refused.connect(lambda sentence: said.append(sentence))
    return said


@pytest.fixture
def branched(show):
    """The chain, and an Add below that takes the features and the first layer."""
    canvas = show()
    document = canvas.session.document
    canvas.session.do(AddNode((), Node("sum", "Add", position=(520.0, 200.0))))
    canvas.session.do(Connect((), Wire("first", "y", "sum", "x", 0)))
    canvas.session.do(Connect((), Wire("first", "y", "sum", "x", 1)))
    canvas.session.history.done.clear()
    assert len(document.top.wires()) == 5
    return canvas


@pytest.fixture
def undone(state_of):
    """Sees, after a gesture, that it was one step and that undo and redo lead to and fro."""

    def undone(canvas, before, steps=1):
        session = canvas.session
        assert len(session.history.done) == steps
        after = state_of(session)
        assert after != before
        for _ in range(steps):
            session.undo()
        assert state_of(session) == before
        for _ in range(steps):
            session.redo()
        assert state_of(session) == after

    return undone


# Strokes


def test_a_stroke_with_ctrl_and_the_right_button_cuts_what_it_crosses(branched, hand_on, state_of, undone):
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


def test_y_and_drag_cuts_too_and_a_single_wire_says_which(show, hand_on, state_of, undone):
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


def test_a_stroke_through_nodes_and_air_is_no_step(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag(QPointF(280, -80), QPointF(290, 200), CTRL, RIGHT)
    assert not canvas.session.history.done
    assert len(pairs(canvas)) == 3


def test_escape_leaves_a_stroke_and_the_wires(show, hand_on):
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


# Dots


@pytest.fixture
def dotted(show, hand_on):
    """The chain with a dot between both layers, made by a double click on the wire."""
    canvas = show()
    place = middle(canvas, "first", "second")
    hand_on(canvas).double_click(place)
    assert {("first", "reroute"), ("reroute", "second")} <= pairs(canvas)
    left, top, right, bottom = canvas.geometry_of.rects[canvas.geometry_of.index["reroute"]].tolist()
    assert abs((left + right) / 2 - place.x()) <= 2
    assert (top + bottom) / 2 == place.y(), "the wire runs as straight as before"
    canvas.repaint()
    return canvas


def test_a_dot_is_taken_back_in_one_step(dotted):
    assert len(dotted.session.history.done) == 1
    dotted.session.undo()
    assert ("first", "second") in pairs(dotted)


def test_a_dot_is_moved_by_its_middle_and_wired_at_its_ends(dotted, hand_on):
    hand = hand_on(dotted)
    box = dotted.geometry_of.rects[dotted.geometry_of.index["reroute"]].tolist()
    centre = QPointF((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    hand.drag(centre, centre + QPointF(0, 80))
    x, y = dotted.session.document.top.node("reroute").position
    assert (x, y) == (box[0], box[1] + 80)
    dotted.session.select(())
    hand.hover(QPointF(x + 12, y + 10))
    dotted.repaint()
    assert dotted.looks.port is None and dotted.looks.hovered == "reroute"
    hand.drag(hand.port("reroute", "y", is_input=False), hand.port("result", "x", is_input=True))
    assert ("reroute", "result") in pairs(dotted)


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_a_deleted_dot_heals_its_wire(dotted, hand_on, key):
    hand = hand_on(dotted)
    box = dotted.geometry_of.rects[dotted.geometry_of.index["reroute"]].tolist()
    hand.click(QPointF((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
    assert dotted.session.selection == {"reroute"}
    dotted.repaint()
    hand.key(key)
    assert pairs(dotted) == {("features", "first"), ("first", "second"), ("second", "result")}
    dotted.session.undo()
    assert ("first", "reroute") in pairs(dotted)


def test_the_shape_stands_once_on_a_wire_through_a_dot(dotted):
    geometry = dotted.geometry_of
    geometry.settle(seconds=60)
    rows = geometry.label_rows(-1e6, -1e6, 1e6, 1e6)
    assert sorted((geometry.wires[r].source, geometry.wires[r].target) for r in rows if geometry.middles[r, 2] > 0)
    through = [row for row in rows if {geometry.wires[row].source, geometry.wires[row].target} & {"reroute"}]
    assert len(through) == 1
    assert not geometry.skips.any()


def test_a_dot_is_painted_from_near_and_far_and_says_its_name(dotted):
    dotted.session.do(SetNode((), "reroute", "title", "hidden"))
    for zoom in (2.0, 0.4, 0.2):
        dotted.zoom_at(QPointF(500, 300), zoom / dotted.camera.zoom)
        dotted.repaint()
    dotted.session.do(AddNode((), Node("loose", "Reroute", position=(520.0, 200.0))))
    dotted.fit_all()
    dotted.session.select(["loose"])
    dotted.repaint()
    assert dotted.labels.node(dotted.session.document.top.node("loose")).hungry == {"x"}


def test_a_dot_by_key_on_the_wires_of_what_is_selected(show):
    canvas = show()
    said = refusals(canvas)
    canvas.add_dot()
    canvas.session.select(["result"])
    canvas.add_dot()
    assert said == ["Click a wire, or select the block that it comes from.", "No wire leaves this block."]
    canvas.session.select(["first"])
    canvas.add_dot()
    assert {("first", "reroute"), ("reroute", "second")} <= pairs(canvas)


# Out of a wire


def test_alt_and_drag_pulls_a_node_out_and_closes_the_gap(show, hand_on, state_of, undone):
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


def test_a_pulled_node_goes_into_another_wire_when_alt_is_let_go(show, hand_on):
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


def test_several_pulled_nodes_keep_the_wire_between_them(show, hand_on):
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


def test_shift_delete_reconnects(show, hand_on, state_of, undone):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.click("first")
    hand.click("second", SHIFT)
    hand.key(Qt.Key.Key_Delete, SHIFT)
    assert pairs(canvas) == {("features", "result")}
    undone(canvas, before)


def test_by_menu_wires_are_cut_and_nodes_pulled_out(show, state_of, undone):
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


# All wires of a port


def test_ctrl_and_drag_leads_all_wires_of_an_output_elsewhere(branched, hand_on, state_of, undone):
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


def test_wires_led_nowhere_or_home_stay(branched, hand_on, state_of):
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


# Without aiming


def test_what_is_selected_is_connected_from_left_to_right(show, hand_on, state_of, undone):
    canvas = show()
    for wire in list(canvas.session.document.top.wires()):
        canvas.session.select([wire.target])
        canvas.disconnect_selection()
    canvas.session.history.done.clear()
    canvas.session.select(())
    before = state_of(canvas.session)
    canvas.select_all()
    canvas.join_selection()
    assert pairs(canvas) == {("features", "first"), ("first", "second"), ("second", "result")}
    assert canvas.session.report.valid
    assert canvas.session.history.done[-1].label == "Connect 4 nodes"
    undone(canvas, before)


def test_two_that_stand_one_above_the_other_both_go_to_what_is_right_of_them(show):
    canvas = show()
    for node in (
        Node("a", "GELU", position=(500.0, 160.0)),
        Node("b", "ReLU", position=(500.0, 260.0)),
        Node("sum", "Add", position=(700.0, 200.0)),
    ):
        canvas.session.do(AddNode((), node))
    canvas.session.select(["a", "b", "sum"])
    canvas.join_selection()
    assert {("a", "sum"), ("b", "sum")} <= pairs(canvas)
    assert ("a", "b") not in pairs(canvas)
    canvas.session.select(["first", "a", "b"])
    canvas.join_selection()
    assert ("first", "a") in pairs(canvas)


def test_in_one_column_they_are_connected_downwards(show):
    canvas = show()
    for place, id in enumerate(("a", "b", "c")):
        canvas.session.do(AddNode((), Node(id, "ReLU", position=(400.0 + 8 * place, 160.0 + 60 * place))))
    canvas.session.select(["c", "a", "b"])
    canvas.join_selection()
    assert {("a", "b"), ("b", "c")} <= pairs(canvas)


def test_the_port_that_fits_best_is_taken(show):
    canvas = show()
    canvas.session.do(AddNode((), Node("tokens", "TokenInput", {"vocab": 100}, position=(0.0, 200.0))))
    canvas.session.do(AddNode((), Node("attention", "CrossAttention", {"dim": 64}, position=(600.0, 200.0))))
    canvas.session.select(["first", "attention"])
    canvas.join_selection()
    (wire,) = canvas.session.document.top.incoming("attention")
    first_input = next(p for p in canvas.geometry_of.ports_of("attention") if p.is_input)
    assert wire.input == first_input.port
    said = refusals(canvas)
    canvas.session.select(["tokens", "second"])
    canvas.join_selection()
    assert not canvas.session.document.top.outgoing("tokens")
    canvas.session.do(
        AddNode((), Node("free", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(600.0, 400.0)))
    )
    canvas.session.select(["tokens", "free"])
    canvas.join_selection()
    assert len(said) == 2
    assert said[0] == "These are connected already, or have no free ports."
    assert said[1].startswith("Linear, input x: It receives")


def test_what_cannot_be_connected_is_refused_in_words(show):
    canvas = show()
    canvas.join_selection()
    said = refusals(canvas)
    canvas.session.select(["first"])
    canvas.join_selection()
    canvas.session.select(["features", "first"])
    canvas.join_selection()
    assert said == [
        "Select two blocks or more to connect them.",
        "These are connected already, or have no free ports.",
    ]
    assert not canvas.session.history.done
    for place in range(25):
        canvas.session.do(AddNode((), Node(f"many_{place}", "ReLU", position=(100.0 * place, 400.0))))
    canvas.session.select([f"many_{place}" for place in range(25)])
    canvas.join_selection()
    assert said[2] == "25 blocks are too many to connect without aiming: select at most 24."


# The search


def test_a_tap_on_space_asks_for_a_block_and_a_pan_does_not(show, hand_on, qtbot):
    canvas = show()
    hand = hand_on(canvas)
    hand.hover(QPointF(400, 300))
    with qtbot.waitSignal(canvas.search_requested) as asked:
        hand.key(Qt.Key.Key_Space)
    assert (asked.args[0] - QPointF(400, 300)).manhattanLength() < 3
    with qtbot.assertNotEmitted(canvas.search_requested):
        QTest.keyPress(canvas, Qt.Key.Key_Space)
        hand.drag(QPointF(400, 300), QPointF(300, 200))
        QTest.keyRelease(canvas, Qt.Key.Key_Space)
        QTest.keyPress(canvas, Qt.Key.Key_Space)
        for kind in (QEvent.Type.KeyRelease, QEvent.Type.KeyPress):  # the key is held down
            QApplication.sendEvent(canvas, QKeyEvent(kind, Qt.Key.Key_Space, NONE, " ", True))
        QTest.keyRelease(canvas, Qt.Key.Key_Space)


def test_a_dot_under_the_pointer_lights_the_path_through_it(dotted, hand_on, qtbot):
    box = dotted.geometry_of.rects[dotted.geometry_of.index["reroute"]].tolist()
    hand_on(dotted).hover(QPointF((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
    qtbot.waitUntil(lambda: dotted.looks.lit_nodes is not None, timeout=2000)
    assert dotted.looks.lit_nodes == {"features", "first", "reroute", "second", "result"}
    dotted.repaint()


def test_a_loose_group_goes_into_a_wire_too(show, hand_on, state_of, undone):
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
