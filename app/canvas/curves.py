"""The shapes that wires are made of, as lines of points. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Point = tuple[float, float]

STEPS = 16
"""Segments that a turn is cut into."""
FEWER = 11
"""Segments of a curve that bends at its ends only; short there, they are as close to it as `STEPS` even ones."""
NEAR = 24.0
"""A target less than this to the right of its source is reached by turning round."""
STEEP = 2.4
"""A step that is so many times taller than wide becomes a plumb line with round corners."""
ROUNDNESS = 0.55
"""Where the handles of a quarter of a circle lie."""


def _weights(at: Array) -> Array:
    """What each of the four points of a cubic curve counts at some places along it."""
    return np.stack([(1 - at) ** 3, 3 * (1 - at) ** 2 * at, 3 * (1 - at) * at**2, at**3], axis=1)


def _bent_at_ends(count: int) -> Array:
    """Places along a curve whose bend fades evenly to nothing at its middle, so that all chords are equally close."""
    across = 1.0 - 2.0 * np.linspace(0.0, 1.0, count + 1)
    return 0.5 - 0.5 * np.sign(across) * np.abs(across) ** (2 / 3)


_EVEN, _AT_ENDS = _weights(np.linspace(0.0, 1.0, STEPS + 1)), _weights(_bent_at_ends(FEWER))


def curves(starts: Array, ends: Array) -> Array:
    """The direct curves of many wires at once: (wires, points, 2)."""
    reach = _reach(ends[:, 0] - starts[:, 0], np.abs(ends[:, 1] - starts[:, 1]))
    corners = np.empty((len(starts), 4, 2))
    corners[:, 0] = starts
    corners[:, 1] = starts
    corners[:, 1, 0] += reach
    corners[:, 2] = ends
    corners[:, 2, 0] -= reach
    corners[:, 3] = ends
    return np.einsum("sc,wcd->wsd", _AT_ENDS, corners)


def forward(start: Point, end: Point) -> Array:
    """To the right: level for long and with a step at the end, as a curve, or down a plumb line where it is steep."""
    wide, high = end[0] - start[0], abs(end[1] - start[1])
    if high < 0.5:
        return np.array([start, end])
    if high > STEEP * wide:
        return step(start, end)
    if wide > 240.0 + 2.0 * high:
        turn = end[0] - max(48.0, 1.4 * high)
        return np.concatenate([np.array([start]), step((turn, start[1]), end)])
    return curves(np.array([start]), np.array([end]))[0]


def step(start: Point, end: Point) -> Array:
    """From one height to another on the way to the right: an S, or a plumb line with round corners where it is tall."""
    (x, y), (far, other) = start, end
    wide, high = far - x, other - y
    if abs(high) <= STEEP * wide:
        return _cubic(start, (x + 0.62 * wide, y), (x + 0.38 * wide, other), end, _AT_ENDS)
    radius = wide / 2 if high > 0 else -wide / 2
    middle, bend, hold = x + wide / 2, ROUNDNESS * wide / 2, (1 - ROUNDNESS) * radius
    upper = _cubic(start, (x + bend, y), (middle, y + hold), (middle, y + radius))
    lower = _cubic((middle, other - radius), (middle, other - hold), (far - bend, other), end)
    return np.concatenate([upper, lower])


def turn(start: Point, end: Point, swing: float) -> Array:
    """Out of an output and round to the left, at another height."""
    return _cubic(start, (start[0] + swing, start[1]), (start[0] + swing, end[1]), end)


def turn_in(start: Point, end: Point, swing: float) -> Array:
    """From the right and round into an input."""
    return _cubic(start, (end[0] - swing, start[1]), (end[0] - swing, end[1]), end)


def half_way(points: Array) -> Point:
    """The middle of a curve."""
    middle = (points[(len(points) - 1) // 2] + points[len(points) // 2]) / 2
    return float(middle[0]), float(middle[1])


def cuts(points: Array, low: Array, high: Array) -> NDArray[np.bool_]:
    """Which segments of a line run through which boxes: (segments, boxes)."""
    way = points[1:] - points[:-1]
    way[np.abs(way) < 1e-9] = 1e-9
    (x, y), (across, down) = points[:-1].T[..., None], way.T[..., None]
    left, right = (low[:, 0] - x) / across, (high[:, 0] - x) / across
    upper, lower = (low[:, 1] - y) / down, (high[:, 1] - y) / down
    enter = np.maximum(np.minimum(left, right), np.minimum(upper, lower))
    leave = np.minimum(np.maximum(left, right), np.maximum(upper, lower))
    return (enter <= leave) & (leave >= 0.0) & (enter <= 1.0)


def finer(points: Array) -> Array:
    """A line with a point more in the middle of each segment, off its chord by as much as the line bends there."""
    if len(points) < 3:
        return points
    way = np.diff(points, axis=0)
    long = np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)
    ahead = way / long[:, None]
    before, after = long[:-1, None], long[1:, None]
    # A straight stretch is much longer than the pieces of a bend, and stays straight to its end.
    blend = ahead[:-1] * after + ahead[1:] * before
    inner = np.where(before > 3 * after, ahead[:-1], np.where(after > 3 * before, ahead[1:], blend))
    inner = inner / np.maximum(np.hypot(inner[:, 0], inner[:, 1]), 1e-9)[:, None]
    heads = np.concatenate([ahead[:1], inner, ahead[-1:]])
    neighbour = np.maximum(np.concatenate([[0.0], long[:-1]]), np.concatenate([long[1:], [0.0]]))
    bulge = np.where(long > 3 * neighbour, 0.0, long / 8)
    found = np.empty((2 * len(points) - 1, 2))
    found[::2] = points
    found[1::2] = (points[:-1] + points[1:]) / 2 + (heads[:-1] - heads[1:]) * bulge[:, None]
    return found


def coarser(points: Array, spare: float) -> Array:
    """A line without the points that lie so little off the line without them.

    Upright and level stretches stay so: a long line that is almost upright takes Qt longer than many short ones.
    """
    for _ in range(3):
        if len(points) < 3:
            break
        way, chord = points[1:] - points[:-1], points[2:] - points[:-2]
        off = np.abs(chord[:, 0] * way[:-1, 1] - chord[:, 1] * way[:-1, 0])
        drop = off < spare * np.maximum(np.hypot(chord[:, 0], chord[:, 1]), 1e-9)
        is_straight = (way == 0.0).any(axis=1)
        drop &= ~(is_straight[:-1] | is_straight[1:])
        drop[1::2] = False  # never two in a row, each of which counts on the other
        if not drop.any():
            break
        points = points[np.concatenate([[True], ~drop, [True]])]
    return points


def _reach(ahead: Array, apart: Array) -> Array:
    """How far a curve leaves its ports straight: half the way, less on long ways, more when it must turn round."""
    onwards = np.minimum(np.maximum(ahead * 0.5, 12.0), 72.0 + 0.25 * apart)
    return np.where(ahead >= NEAR, onwards, np.clip(48.0 + 0.25 * apart, 48.0, 96.0))


def _cubic(a: Point, b: Point, c: Point, d: Point, weights: Array = _EVEN) -> Array:
    return weights @ np.array((a, b, c, d))
