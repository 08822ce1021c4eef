"""Dots on wires that lead to the left: what comes from the right goes straight through them, without a loop. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.canvas.curves import NEAR, Array, Point, forward, half_way, turn, turn_in

Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]


def turned(dots: Flags, rects: Array, wire_nodes: Rows, asked: Rows | None = None) -> Flags:
    """Of every node whether it is a dot whose wires come from the right and go on to the left.

    Args:
        dots: of every node whether it is a dot.
        rects: of every node left, top, right and bottom.
        wire_nodes: of every wire the rows of the nodes that it leaves and reaches.
        asked: the rows of the dots to look at, by default all; of others the answer means nothing.
    """
    found = np.zeros(len(dots), bool)
    middles = (rects[:, 0] + rects[:, 2]) / 2
    for row in (np.nonzero(dots)[0] if asked is None else asked).tolist():
        before, after = wire_nodes[wire_nodes[:, 1] == row, 0], wire_nodes[wire_nodes[:, 0] == row, 1]
        if len(before) and len(after):
            from_x = np.where(dots[before], middles[before], rects[before, 2])
            to_x = np.where(dots[after], middles[after], rects[after, 0])
            found[row] = from_x.min() > middles[row] > to_x.mean()
    return found


def leftwards(start: Point, end: Point, *, leaves_left: bool, comes_right: bool) -> tuple[Array, tuple[float, ...]]:
    """The line of a wire at turned dots, with the place of its label and how much room there is.

    Args:
        start: the output.
        end: the input.
        leaves_left: whether the output is on the left of its dot.
        comes_right: whether the input is on the right of its dot.
    """
    room = start[0] - end[0]
    swing = float(np.clip(32.0 + 0.4 * abs(start[1] - end[1]), 40.0, 72.0))
    if leaves_left and comes_right:
        if room < NEAR:
            points = np.array([start, end])
        else:
            points = forward((-start[0], start[1]), (-end[0], end[1])) * np.array([-1.0, 1.0])
        return points, (*half_way(points), room)
    if leaves_left:
        bend = min(start[0], end[0] + 12.0)
        points = np.concatenate([np.array([start]), turn_in((bend, start[1]), end, swing)])
        return points, ((start[0] + bend) / 2, start[1], start[0] - bend)
    bend = max(end[0], start[0] - 12.0)
    points = np.concatenate([turn(start, (bend, end[1]), swing), np.array([end])])
    return points, ((bend + end[0]) / 2, end[1], bend - end[0])
