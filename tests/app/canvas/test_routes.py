"""Wires as curves, and their ways past nodes: lanes, detours, crossings."""

from __future__ import annotations

import numpy as np
import pytest

from app.canvas.curves import curves
from app.canvas.routes import KEEP_OFF, Lane, Lanes, Span, crosses, route


def test_a_curve_begins_and_ends_level():
    starts, ends = np.array([(0.0, 0.0)]), np.array([(200.0, 90.0)])
    line = curves(starts, ends)[0]
    assert np.allclose(line[0], starts[0])
    assert np.allclose(line[-1], ends[0])
    assert (np.diff(line[:, 0]) > 0).all()
    assert abs(line[1, 1] - line[0, 1]) < abs(line[1, 0] - line[0, 0])


@pytest.mark.parametrize("end", [(400.0, 0.0), (400.0, 300.0), (-200.0, 200.0), (-200.0, 0.0), (10.0, 250.0)])
def test_a_wire_goes_around_what_is_between(end):
    block = np.array([(150.0, -60.0, 250.0, 60.0)])
    ends = np.array([(-100.0, -18.0, 0.0, 40.0), (end[0], end[1] - 18, end[0] + 100, end[1] + 40)])
    rects = np.concatenate([block, ends])
    found = route(Span((0.0, 0.0), end, 1, 2), rects, Lanes(1))
    assert np.allclose(found.points[0], (0, 0))
    assert np.allclose(found.points[-1], end)
    assert crosses(found.points, rects, (1, 2)) == 0


def test_lanes_of_different_outputs_lie_apart_and_those_of_one_together():
    rects = np.array(
        [
            (-100.0, -18.0, 0.0, 60.0), (-100.0, -218.0, 0.0, -160.0), (200.0, -100.0, 300.0, 100.0),
            (500.0, -18.0, 600.0, 60.0), (500.0, 100.0, 600.0, 160.0),
        ]
    )  # fmt: skip
    lanes = Lanes(3)
    spans = [
        Span((0.0, 0.0), (500.0, 0.0), 0, 3), Span((0.0, 0.0), (500.0, 22.0), 0, 3),
        Span((0.0, -200.0), (500.0, 30.0), 1, 3),
    ]  # fmt: skip
    heights = []
    for row, span in enumerate(spans):
        found = route(span, rects, lanes)
        lanes.take(row, span, found.lane)
        heights.append(found.lane.y)
    assert heights[0] == heights[1]
    assert abs(heights[2] - heights[0]) >= 10


def test_a_long_slanted_way_takes_a_lane_even_where_nothing_is_between():
    rects = np.array([(-100.0, -18.0, 0.0, 60.0), (900.0, 582.0, 1000.0, 660.0), (900.0, -18.0, 1000.0, 60.0)])
    slanted = route(Span((0.0, 0.0), (900.0, 600.0), 0, 1), rects, Lanes(1))
    assert slanted.lane is not None and crosses(slanted.points, rects, (0, 1)) == 0
    level = np.abs(np.diff(slanted.points[:, 1])) < 1
    assert np.diff(slanted.points[:, 0])[level].sum() > 500
    assert route(Span((0.0, 0.0), (900.0, 22.0), 0, 2), rects, Lanes(1)).lane is None


def test_a_lane_is_not_shared_where_a_node_lies_in_it():
    """A lane may end in front of a node, where another wire of the output would run on into it."""
    rects = np.array([(-100.0, 102.0, 0.0, 180.0), (300.0, -18.0, 400.0, 200.0), (900.0, 62.0, 1000.0, 140.0)])
    lanes = Lanes(2)
    lanes.take(0, Span((0.0, 120.0), (300.0, 100.0), 0, 1), Lane(150.0, 40.0, 260.0))
    found = route(Span((0.0, 120.0), (900.0, 80.0), 0, 2), rects, lanes)
    assert found.lane is not None and crosses(found.points, rects, (0, 2)) == 0


def test_crossing_is_exact_for_long_segments():
    line = np.array([(0.0, 0.0), (1000.0, 0.0)])
    rects = np.array([(500.0, -5.0, 510.0, 5.0), (500.0, KEEP_OFF + 1, 510.0, 50.0)])
    assert crosses(line, rects) == 1
    assert crosses(line, rects, (0,)) == 0
