"""Where wires run: a smooth curve where nothing is in the way, else along a free lane above or below. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 16
"""Segments that a curve is cut into."""
NEAR = 24.0
"""A target less than this to the right of its source is reached by turning round."""
KEEP_OFF = 6.0
"""How far a curve stays from nodes that it passes."""
LANE = 28.0
"""How far a lane runs from the nodes it passes, where there is room."""
NARROW = 20.0
"""No lane fits between nodes that are closer than this."""
TRIES = 8
"""Lanes that are looked at closely."""
BENDS = ((1.0, 1.0), (1.0, 0.45), (0.45, 1.0), (0.45, 0.45))
"""How wide the steps to a lane and from it are, against their usual width."""
THROUGH_NODE, CROSSING, BUNDLE = 90.0, 90.0, 80.0
"""The prices of running behind a node and across a neighbour, and the gain of sharing a lane, in units of length."""
STEEP = 2.4
"""A step that is so many times taller than wide becomes a plumb line with round corners."""
APART = 10.0
"""The distance of parallel lanes."""
_T = np.linspace(0.0, 1.0, STEPS + 1)
_WEIGHTS = np.stack([(1 - _T) ** 3, 3 * (1 - _T) ** 2 * _T, 3 * (1 - _T) * _T**2, _T**3], axis=1)


@dataclass(frozen=True)
class Lane:
    """The level stretch of a detour; wires of one output share it. `stem` is where those going right reach it."""

    y: float
    left: float
    right: float
    key: tuple[int, float]
    stem: float | None


@dataclass(frozen=True)
class Route:
    """The points of a wire, and the middle of the stretch where a label has the most room."""

    points: Array
    middle: tuple[float, float]
    room: float
    lane: Lane | None = None


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
    return np.einsum("sc,wcd->wsd", _WEIGHTS, corners)


@dataclass(frozen=True)
class Span:
    """What is to be connected.

    Args:
        start: the output.
        end: the input.
        source: the row of the node that it leaves.
        target: the row of the node that it reaches.
        above: whether other wires reach the target above this one.
        below: whether other wires reach it below.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    source: int
    target: int
    above: bool = False
    below: bool = False

    @property
    def key(self) -> tuple[int, float]:
        """What wires of one output have in common."""
        return self.source, self.start[1]

    @property
    def is_ahead(self) -> bool:
        """Whether it can be reached without turning round."""
        return self.end[0] - self.start[0] >= NEAR


def route(span: Span, rects: Array, lanes: list[Lane]) -> Route:
    """The way of one wire past the nodes, whose left, top, right and bottom are given, and the lanes that are taken."""
    if span.is_ahead:
        points = _plain(span.start, span.end)
        if not crosses(points, rects, (span.source, span.target)):
            return Route(points, _half_way(points), span.end[0] - span.start[0])
    return _detour(span, rects, lanes)


def crosses(points: Array, rects: Array, spare: tuple[int, int] = (-1, -1)) -> int:
    """How many nodes a line of points runs through, those in `spare` not counted."""
    low, high = points.min(axis=0) - KEEP_OFF, points.max(axis=0) + KEEP_OFF
    near = (rects[:, 0] < high[0]) & (rects[:, 2] > low[0]) & (rects[:, 1] < high[1]) & (rects[:, 3] > low[1])
    for row in spare:
        if row >= 0:
            near[row] = False
    which = np.nonzero(near)[0]
    if not len(which):
        return 0
    close = rects[which]
    return int(_cuts(points[:-1], points[1:], close[:, :2] - KEEP_OFF, close[:, 2:] + KEEP_OFF).any(axis=0).sum())


def _cuts(start: Array, end: Array, low: Array, high: Array) -> NDArray[np.bool_]:
    """Which segments run through which boxes: (segments, boxes)."""
    step = (end - start)[:, None]
    step = np.where(np.abs(step) < 1e-9, 1e-9, step)
    first, second = (low - start[:, None]) / step, (high - start[:, None]) / step
    enter, leave = np.minimum(first, second).max(axis=2), np.maximum(first, second).min(axis=2)
    return (enter <= leave) & (leave >= 0.0) & (enter <= 1.0)


def _reach(ahead: Array, apart: Array) -> Array:
    """How far a curve leaves its ports straight: half the way, less on long ways, more when it must turn round."""
    forward = np.clip(ahead * 0.5, 12.0, 72.0 + 0.25 * np.abs(apart))
    forward = np.minimum(forward, np.maximum(ahead * 0.5, 12.0))
    backward = np.clip(48.0 + 0.25 * apart, 48.0, 96.0)
    return np.where(ahead >= NEAR, forward, backward)


def _detour(span: Span, rects: Array, lanes: list[Lane]) -> Route:
    start, end, ahead = span.start, span.end, span.is_ahead
    left, right = (start[0], end[0]) if ahead else (min(start[0], end[0]) - 8.0, max(start[0], end[0]) + 8.0)
    passed = rects[(rects[:, 0] < right - 1) & (rects[:, 2] > left + 1)]
    shared = {lane.y: lane.stem for lane in lanes if lane.key == span.key}
    own = list(shared)
    wishes = sorted({*_lane_heights(passed, (start[1] + end[1]) / 2), *own}, key=lambda y: _length(span, y, own))
    best: Route | None = None
    best_cost = np.inf
    for wish in wishes[:TRIES]:
        y = _free_height(wish, left, right, passed, lanes, span.key)
        for bends in BENDS if ahead else BENDS[:1]:
            cost = _length(span, y, own) + abs(y - wish) + _crossing(span, y) + (2.0 - sum(bends)) * 12.0
            if cost >= best_cost:
                continue
            if ahead:
                points, lane_left, lane_right = _over(start, end, y, bends, shared.get(y))
            else:
                points, lane_left, lane_right = _round(start, end, y)
            cost += THROUGH_NODE * crosses(points, rects, (span.source, span.target))
            if cost < best_cost:
                middle, room = ((lane_left + lane_right) / 2, y), lane_right - lane_left
                lane = Lane(y, lane_left, lane_right, span.key, lane_left if ahead else None)
                best, best_cost = Route(points, middle, room, lane), cost
    assert best is not None
    return best


def _length(span: Span, y: float, own: list[float]) -> float:
    """How far up and down a lane leads; one that this output has already costs less."""
    return abs(y - span.start[1]) + abs(y - span.end[1]) - (BUNDLE if y in own else 0.0)


def _crossing(span: Span, y: float) -> float:
    """The price of coming to a port across the wires of the ports beside it."""
    if y < span.end[1]:
        return CROSSING if span.above else 0.0
    return CROSSING if span.below else 0.0


def _lane_heights(passed: Array, near: float) -> list[float]:
    """Where a lane could run past these nodes: in every gap between them, and above and below all."""
    if not len(passed):
        return [near]
    spans = passed[np.argsort(passed[:, 1])][:, (1, 3)]
    top, reached = spans[0]
    found = [top - LANE]
    for upper, lower in spans[1:]:
        gap = upper - reached
        if gap >= 2 * LANE + APART:
            found += [reached + LANE, upper - LANE]
        elif gap >= NARROW:
            found.append(reached + gap / 2)
        reached = max(reached, lower)
    found.append(reached + LANE)
    return [float(y) for y in found]


def _free_height(
    wish: float, left: float, right: float, passed: Array, lanes: list[Lane], key: tuple[int, float]
) -> float:
    """The height next to the wished one that no lane of another output has taken."""
    rivals = [lane for lane in lanes if lane.key != key and lane.left < right and lane.right > left]
    for distance in range(8):
        for y in (wish + distance * APART, wish - distance * APART):
            if all(abs(lane.y - y) >= APART - 0.5 for lane in rivals) and not _blocked(y, passed):
                return y
    return wish


def _blocked(y: float, passed: Array) -> bool:
    return bool(((passed[:, 1] - KEEP_OFF < y) & (passed[:, 3] + KEEP_OFF > y)).any())


def _plain(start: tuple[float, float], end: tuple[float, float]) -> Array:
    """Straight there: level for long and with a step at the end, as a curve, or down a plumb line where it is steep."""
    wide, high = end[0] - start[0], abs(end[1] - start[1])
    if high > STEEP * wide:
        return _step(start, end)
    if high > 0.0 and wide > 240.0 + 2.0 * high:
        turn = end[0] - max(48.0, 1.4 * high)
        return np.concatenate([np.array([start]), _step((turn, start[1]), end)])
    return curves(np.array([start]), np.array([end]))[0]


def _over(
    start: tuple[float, float],
    end: tuple[float, float],
    y: float,
    bends: tuple[float, float],
    stem: float | None = None,
) -> tuple[Array, float, float]:
    """Down or up to a lane, along it to the right, and back to the height of the target.

    `stem` is where another wire of this output has reached the lane, so that they look like one.
    """
    width = end[0] - start[0]
    first, last = (
        float(np.clip(0.8 * abs(y - height), 32.0, 96.0)) * bend
        for height, bend in zip((start[1], end[1]), bends, strict=True)
    )
    if stem is not None and stem - start[0] + last <= width:
        first = stem - start[0]
    shrink = min(1.0, 0.96 * width / (first + last))
    first, last = first * shrink, last * shrink
    lane_left, lane_right = start[0] + first, end[0] - last
    points = np.concatenate([_step(start, (lane_left, y)), _step((lane_right, y), end)])
    return points, lane_left, lane_right


def _step(start: tuple[float, float], end: tuple[float, float]) -> Array:
    """From one height to another on the way to the right: an S, or a plumb line with round corners where it is tall."""
    (x, y), (far, other) = start, end
    wide, high = far - x, other - y
    if abs(high) <= STEEP * wide:
        return _cubic(start, (x + 0.62 * wide, y), (x + 0.38 * wide, other), end)
    radius = wide / 2 if high > 0 else -wide / 2
    middle, hold = x + wide / 2, 0.55
    upper = _cubic(start, (x + hold * wide / 2, y), (middle, y + (1 - hold) * radius), (middle, y + radius))
    lower = _cubic((middle, other - radius), (middle, other - (1 - hold) * radius), (far - hold * wide / 2, other), end)
    return np.concatenate([upper, lower])


def _round(start: tuple[float, float], end: tuple[float, float], y: float) -> tuple[Array, float, float]:
    """Round to a lane, along it to the left, and round again into the target."""
    first, last = (float(np.clip(32.0 + 0.4 * abs(y - height), 40.0, 72.0)) for height in (start[1], end[1]))
    lane_right, lane_left = start[0] - 12.0, end[0] + 12.0
    if lane_right < lane_left:
        lane_left = lane_right = (start[0] + end[0]) / 2
    points = [
        _cubic(start, (start[0] + first, start[1]), (start[0] + first, y), (lane_right, y)),
        _cubic((lane_left, y), (end[0] - last, y), (end[0] - last, end[1]), end),
    ]
    return np.concatenate(points), lane_left, lane_right


def _cubic(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], d: tuple[float, float]) -> Array:
    return _WEIGHTS @ np.array((a, b, c, d))


def _half_way(points: Array) -> tuple[float, float]:
    middle = points[len(points) // 2]
    return float(middle[0]), float(middle[1])
