"""Dragged nodes line up with the grid, with edges and middles of others and with the ports they are wired to."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from graph.commands import AddNode
from graph.document import Node

CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def canvas(show):
    canvas = show()
    for id, place in (("loose", (333.0, 205.0)), ("far", (1000.0, 403.0))):
        canvas.session.do(AddNode((), Node(id, "ReLU", position=place)))
    canvas.zoom_reset()
    canvas.fit_all()
    canvas.zoom_reset()
    return canvas


def carry(canvas, hand, id, way, keys=NONE):
    """Drag a node so far and hold it there."""
    start = hand.at(id)
    hand.press(start)
    for step in (0.4, 0.8, 1.0):
        hand.move(start + QPoint(round(way[0] * step), round(way[1] * step)), keys)
    return start + QPoint(*way)


def place(canvas, id):
    return canvas.session.document.top.node(id).position


def test_an_edge_near_anothers_lines_up_and_a_guide_says_with_what(canvas, hand_on, state_of):
    hand, before = hand_on(canvas), state_of(canvas.session)
    steps = len(canvas.session.history.done)
    end = carry(canvas, hand, "loose", (-90, 30))
    guides = canvas.gesture._snapping.guides
    assert [(guide.x, guide.end_x) for guide in guides] == [(240.0, 240.0)]
    assert guides[0].y < 0 < 235 < guides[0].end_y, "from the node above to this one"
    with_guide = canvas.grab().toImage()
    hand.release(end)
    assert place(canvas, "loose") == (240.0, 236.0), "left edges in line across, the grid down"
    assert canvas.grab().toImage() != with_guide, "the guide goes with the drag"
    assert len(canvas.session.history.done) == steps + 1
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_what_is_near_nothing_keeps_to_the_grid(canvas, hand_on):
    hand = hand_on(canvas)
    end = carry(canvas, hand, "loose", (71, 91))
    assert canvas.gesture._snapping.guides == []
    hand.release(end)
    x, y = place(canvas, "loose")
    assert (x % 4, y % 4) == (0.0, 0.0)
    assert (abs(x - 404), abs(y - 296)) <= (2, 2)


def test_ctrl_suspends_it(canvas, hand_on):
    hand = hand_on(canvas)
    end = carry(canvas, hand, "loose", (-90, 30), CTRL)
    assert canvas.gesture._snapping.guides == []
    hand.release(end, CTRL)
    assert place(canvas, "loose") == (243.0, 235.0)


def test_a_wire_becomes_straight(canvas, hand_on):
    hand = hand_on(canvas)
    hand.release(carry(canvas, hand, "second", (30, 120)))
    hand.release(carry(canvas, hand, "second", (0, -115)))
    assert place(canvas, "second")[1] == 0.0
    end = carry(canvas, hand, "result", (0, 50))
    hand.release(end)
    assert place(canvas, "result")[1] % 4 == 0
    end = carry(canvas, hand, "result", (3, -54))
    port = canvas.geometry_of.port("second", "y", is_input=False)
    assert any(guide.y == guide.end_y == port.y for guide in canvas.gesture._snapping.guides)
    hand.release(end)
    ends = canvas.geometry_of.ends[canvas.geometry_of.wire_row(canvas.session.document.top.incoming("result")[0])]
    assert ends[1] == ends[3]


def test_what_is_pulled_out_does_not_keep_to_the_wires_it_had(canvas, hand_on):
    hand = hand_on(canvas)
    alt = Qt.KeyboardModifier.AltModifier
    hand.press("first", alt)
    hand.move(hand.at("first") + QPoint(40, 63), alt)
    assert canvas.looks.lifted
    assert canvas.gesture._snapping._links == []
    hand.key(Qt.Key.Key_Escape)
    hand.release(QPoint(5, 5))
    assert canvas.gesture is None


def test_escape_puts_everything_back(canvas, hand_on):
    hand = hand_on(canvas)
    before = canvas.geometry_of.rects.copy()
    carry(canvas, hand, "loose", (-90, 30))
    hand.key(Qt.Key.Key_Escape)
    assert np.array_equal(canvas.geometry_of.rects, before)
    hand.release(QPoint(5, 5))
    assert canvas.gesture is None
    assert place(canvas, "loose") == (333.0, 205.0)


def test_several_nodes_line_up_as_one(canvas, hand_on):
    hand = hand_on(canvas)
    canvas.session.select(["loose", "far"])
    offset = np.subtract(place(canvas, "far"), place(canvas, "loose"))
    hand.release(carry(canvas, hand, "loose", (-90, 30)))
    assert place(canvas, "loose")[0] == 240.0
    assert tuple(np.subtract(place(canvas, "far"), place(canvas, "loose"))) == tuple(offset)
