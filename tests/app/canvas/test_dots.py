"""Dots on wires: made, moved, wired and taken away by mouse and keys, and undo leads back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from app.canvas.geometry import LevelGeometry
from graph.commands import AddNode, Connect, SetNode
from graph.document import Document, Node, Wire
from graph.files import document_from_data, document_to_data


def test_a_dot_is_taken_back_in_one_step(dotted, pairs):
    assert len(dotted.session.history.done) == 1
    dotted.session.undo()
    assert ("first", "second") in pairs(dotted)


def test_a_dot_is_moved_by_its_middle_and_wired_at_its_ends(dotted, hand_on, pairs):
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
def test_a_deleted_dot_heals_its_wire(dotted, hand_on, key, pairs):
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


def test_a_dot_by_key_on_the_wires_of_what_is_selected(show, pairs, refusals):
    canvas = show()
    said = refusals(canvas)
    canvas.add_dot()
    canvas.session.select(["result"])
    canvas.add_dot()
    assert said == ["Click a wire, or select the block that it comes from.", "No wire leaves this block."]
    canvas.session.select(["first"])
    canvas.add_dot()
    assert {("first", "reroute"), ("reroute", "second")} <= pairs(canvas)


def test_a_dot_under_the_pointer_lights_the_path_through_it(dotted, hand_on, qtbot):
    box = dotted.geometry_of.rects[dotted.geometry_of.index["reroute"]].tolist()
    hand_on(dotted).hover(QPointF((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
    qtbot.waitUntil(lambda: dotted.looks.lit_nodes is not None, timeout=2000)
    assert dotted.looks.lit_nodes == {"features", "first", "reroute", "second", "result"}
    run = {(wire.source, wire.target) for wire in dotted.looks.run}
    assert run == {("first", "reroute"), ("reroute", "second")}, "what runs through it is one wire"
    dotted.repaint()
    hand_on(dotted).hover(QPoint(20, 640))
    assert not dotted.looks.run


@pytest.mark.parametrize("targets", [("near", "far"), ("far", "near")])
def test_a_dot_with_two_wires_onwards_is_that_of_the_nearer_whichever_came_first(targets):
    document = Document()
    for id, block in (("a", "ReLU"), ("dot", "Reroute"), ("b", "ReLU"), ("far", "Add"), ("near", "ReLU")):
        document.apply(AddNode((), Node(id, block)))
    document.apply(Connect((), Wire("a", "y", "dot", "x")))
    document.apply(Connect((), Wire("a", "y", "b", "x")))
    document.apply(Connect((), Wire("b", "y", "far", "x")))
    for target in targets:
        document.apply(Connect((), Wire("dot", "y", target, "x", 1 if target == "far" else 0)))
    for drawing in (document, document_from_data(document_to_data(document))):
        geometry = LevelGeometry()
        geometry.update(drawing.top, None)
        assert not geometry.skips[geometry.wire_row(Wire("a", "y", "dot", "x"))]
