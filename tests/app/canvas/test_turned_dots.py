"""Dots on wires that lead to the left."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint

from app.canvas.geometry import LevelGeometry
from graph import validate
from graph.commands import AddNode, Connect
from graph.document import Document, Node, Wire


def lay(*dots: tuple[float, float]) -> tuple[Document, LevelGeometry]:
    """A norm on the right, dots on the way, and a norm below on the left."""
    document = Document("back")
    AddNode((), Node("first", "LayerNorm", position=(800.0, 0.0))).apply(document)
    AddNode((), Node("second", "LayerNorm", position=(0.0, 320.0))).apply(document)
    before = ("first", "y")
    for place, position in enumerate(dots):
        AddNode((), Node(f"dot{place}", "Reroute", position=position)).apply(document)
        Connect((), Wire(*before, f"dot{place}", "x")).apply(document)
        before = (f"dot{place}", "y")
    Connect((), Wire(*before, "second", "x")).apply(document)
    geometry = LevelGeometry()
    geometry.update(document.top, validate.validate(document).top)
    geometry.settle(seconds=60)
    return document, geometry


def backwards(line) -> float:
    """How far a line leads to the right on its way."""
    steps = np.diff(line[:, 0])
    return float(steps[steps > 0].sum())


def test_a_wire_to_the_left_goes_straight_through_its_dots():
    _, geometry = lay((640.0, 200.0), (240.0, 200.0))
    assert geometry.turned.tolist() == [False, False, True, True]
    middle = geometry.lines[geometry.wire_row(Wire("dot0", "y", "dot1", "x"))]
    assert backwards(middle) == 0.0
    assert np.ptp(middle[:, 1]) == 0.0
    for row, line in enumerate(geometry.lines):
        assert tuple(line[0]) == tuple(geometry.ends[row, :2])
        assert tuple(line[-1]) == tuple(geometry.ends[row, 2:])
    assert geometry.port("dot0", "x", is_input=True).x > geometry.port("dot0", "y", is_input=False).x


def test_a_dot_on_a_wire_to_the_right_or_beyond_its_ends_is_not_turned():
    assert not lay((1200.0, 200.0))[1].turned.any()
    assert not lay((-160.0, 200.0))[1].turned.any()


def test_a_dot_turns_as_it_is_dragged_and_all_it_paints_is_painted(show, hand_on, state_of):
    document, _ = lay((640.0, 200.0), (240.0, 200.0))
    canvas = show(document)
    hand, before = hand_on(canvas), state_of(canvas.session)
    geometry = canvas.geometry_of
    geometry.settle(seconds=60)
    canvas.repaint()
    start = hand.at("dot0") + QPoint(0, round(-4 * canvas.camera.zoom))
    hand.press(start)
    for step in range(1, 9):
        hand.move(start + QPoint(round(step * 50 * canvas.camera.zoom), 0))
        area = geometry.area_of(["dot0"])
        around = geometry.wire_bounds
        assert area[0] <= around[:, 0].min() and around[:, 2].max() <= area[2]
    assert not geometry.turned[geometry.index["dot0"]]
    hand.release(start + QPoint(round(400 * canvas.camera.zoom), 0))
    assert not geometry.turned[geometry.index["dot0"]]
    assert geometry.turned[geometry.index["dot1"]]
    canvas.session.undo()
    assert geometry.turned[geometry.index["dot0"]]
    assert state_of(canvas.session) == before


@pytest.mark.parametrize("gone", ["dot0", "dot1"])
def test_what_is_kept_of_other_wires_is_as_if_laid_anew(show, gone):
    document, _ = lay((640.0, 200.0), (240.0, 200.0))
    canvas = show(document)
    canvas.session.select([gone])
    canvas.delete_selection()
    canvas.geometry_of.settle(seconds=60)
    fresh = LevelGeometry()
    fresh.update(canvas.session.document.top, canvas.session.report.top)
    fresh.settle(seconds=60)
    assert fresh.turned.tolist() == canvas.geometry_of.turned.tolist()
    for mine, other in zip(canvas.geometry_of.lines, fresh.lines, strict=True):
        assert np.array_equal(mine, other)
