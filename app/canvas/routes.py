"""Where wires run: a smooth curve where nothing is in the way, else along a free lane above or below. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.canvas.curves import NEAR, Array, Point, cuts, forward, half_way, step, turn, turn_in

KEEP_OFF = 6.0
"""How far a wire stays from nodes that it passes."""
LANE = 28.0
"""How far a lane runs from the nodes it passes, where there is room."""
NARROW = 20.0
"""No lane fits between nodes that are closer than this."""
APART = 14.0
"""The distance of parallel lanes."""
ASIDE = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6])
"""How many such distances a lane may lie off the wished height, the best first."""
FAR = 240.0
"""What leads so far both ways takes a lane even where nothing is in the way."""
SWING = 120.0
"""No wire runs further to the left or right of both its ends."""
TRIES = 6
"""Lanes that are looked at closely."""
BENDS = (1.0, 0.45)
"""How wide a step to or from a lane is, against its usual width."""
THROUGH_NODE, CROSSING, BUNDLE, NARROW_BEND = 90.0, 140.0, 80.0, 6.0
"""The prices of running behind a node and across a neighbour, the gain of sharing a lane, and the price of a narrow
step, in units of length."""


Rows = NDArray[np.intp]
Stack = tuple[Array, Array]
"""Spans of heights, see `_stacked`."""


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

    start: Point
    end: Point
    source: int
    target: int
    above: bool = False
    below: bool = False

    @property
    def is_ahead(self) -> bool:
        """Whether it can be reached without turning round."""
        return self.end[0] - self.start[0] >= NEAR

    @property
    def is_slanted(self) -> bool:
        """Whether a curve would cut across the drawing, far to the side and far up or down at once."""
        return min(self.end[0] - self.start[0], abs(self.end[1] - self.start[1])) > FAR


@dataclass(frozen=True)
class Lane:
    """The level stretch of a detour."""

    y: float
    left: float
    right: float


@dataclass(frozen=True)
class Route:
    """The points of a wire, and the middle of the stretch where a label has the most room."""

    points: Array
    middle: Point
    room: float
    lane: Lane | None = None


class Lanes:
    """The lanes that wires have taken, by the rows of the wires; wires of one output share theirs."""

    def __init__(self, count: int) -> None:
        self._y = np.zeros(count)
        self._left, self._right = np.full(count, np.inf), np.full(count, -np.inf)
        self._source, self._start = np.full(count, -1), np.zeros(count)
        self._ahead = np.zeros(count, bool)

    def take(self, row: int, span: Span, lane: Lane) -> None:
        """A wire runs along a lane."""
        self._y[row], self._left[row], self._right[row] = lane.y, lane.left, lane.right
        self._source[row], self._start[row], self._ahead[row] = span.source, span.start[1], span.is_ahead

    def free(self, rows: NDArray[np.intp]) -> None:
        """Wires run elsewhere."""
        self._left[rows], self._right[rows], self._source[rows] = np.inf, -np.inf, -1

    def carry(self, rows: NDArray[np.intp], old: Lanes, old_rows: NDArray[np.intp], sources: NDArray[np.intp]) -> None:
        """Take lanes over from wires that had other rows; `sources` are the rows of the nodes they come from now."""
        self._y[rows], self._start[rows], self._ahead[rows] = (
            old._y[old_rows],
            old._start[old_rows],
            old._ahead[old_rows],
        )
        self._left[rows], self._right[rows] = old._left[old_rows], old._right[old_rows]
        self._source[rows] = np.where(old._source[old_rows] < 0, -1, sources)

    def of(self, span: Span) -> dict[float, float | None]:
        """The lanes of an output: height → where those that go right reach it."""
        rows = np.nonzero((self._source == span.source) & (self._start == span.start[1]))[0].tolist()
        return {float(self._y[row]): float(self._left[row]) if self._ahead[row] else None for row in rows}

    def rivals(self, span: Span, left: float, right: float) -> Array:
        """The heights of other outputs' lanes between two sides."""
        meets = (self._left < right) & (self._right > left)
        return self._y[meets & ~((self._source == span.source) & (self._start == span.start[1]))]


def route(span: Span, rects: Array, lanes: Lanes) -> Route:
    """The way of one wire past the nodes, whose left, top, right and bottom are given, and the lanes that are taken."""
    low, high = min(span.start[0], span.end[0]) - SWING, max(span.start[0], span.end[0]) + SWING
    close = np.nonzero((rects[:, 0] < high) & (rects[:, 2] > low))[0]  # no way leads further to the side
    rects, own = rects[close], np.nonzero((close == span.source) | (close == span.target))[0]
    if span.is_ahead and not span.is_slanted:
        points = forward(span.start, span.end)
        if not crosses(points, rects, own):
            return Route(points, half_way(points), span.end[0] - span.start[0])
    return _detour(span, rects, own, lanes)


def crosses(points: Array, rects: Array, spare: Iterable[int] = ()) -> int:
    """How many nodes a line of points runs through, those in `spare` not counted."""
    low, high = points.min(axis=0) - KEEP_OFF, points.max(axis=0) + KEEP_OFF
    near = (rects[:, 0] < high[0]) & (rects[:, 2] > low[0]) & (rects[:, 1] < high[1]) & (rects[:, 3] > low[1])
    near[list(spare)] = False
    if not near.any():
        return 0
    close = rects[near]
    return int(np.count_nonzero(cuts(points, close[:, :2] - KEEP_OFF, close[:, 2:] + KEEP_OFF).any(axis=0)))


def _detour(span: Span, rects: Array, own_rows: Rows, lanes: Lanes) -> Route:
    start, end, ahead = span.start, span.end, span.is_ahead
    left, right = (start[0], end[0]) if ahead else (min(start[0], end[0]) - 8.0, max(start[0], end[0]) + 8.0)
    between = (rects[:, 0] < right - 1) & (rects[:, 2] > left + 1)
    passed = rects[between]
    between[own_rows] = False
    others = rects[between]
    stack = _stacked(passed[:, 1], passed[:, 3])
    own = {y: stem for y, stem in lanes.of(span).items() if not _meets(np.array(y), stack, KEEP_OFF)}
    heights = np.array(list({*_lane_heights(stack, (start[1] + end[1]) / 2), *own}))
    wishes = heights[np.argsort(_length(span, heights, own), kind="stable")[:TRIES]]
    free = _free_heights(wishes, stack, lanes.rivals(span, left, right))
    ways = np.where(np.isin(wishes, list(own)), wishes, free)
    costs = _length(span, ways, own) + np.abs(ways - wishes) + _crossing(span, ways)
    best: Route | None = None
    best_cost = np.inf
    for y, cost in zip(ways.tolist(), costs.tolist(), strict=True):
        if cost >= best_cost:
            continue
        spare = best_cost - cost
        found, bends = _over(span, y, own.get(y), others, spare) if ahead else _round(span, y, rects, own_rows)
        if cost + bends < best_cost:
            best, best_cost = found, cost + bends
    assert best is not None
    return best


def _length(span: Span, heights: Array, own: Mapping[float, float | None]) -> Array:
    """How far up and down lanes lead; one that this output has already costs less."""
    # Of equals a wire that turns round takes the lane next to its target, and leaves the other to skips.
    back = np.abs(heights - span.end[1]) * (1.0 if span.is_ahead else 1.01)
    return np.abs(heights - span.start[1]) + back - BUNDLE * np.isin(heights, list(own))


def _crossing(span: Span, heights: Array) -> Array:
    """The price of coming to a port across the wires of the ports beside it."""
    return CROSSING * np.where(heights < span.end[1], span.above, span.below)


def _stacked(tops: Array, bottoms: Array) -> Stack:
    """Spans of heights by their tops, each with how far down it and those before it reach."""
    order = np.argsort(tops)
    return tops[order], np.maximum.accumulate(bottoms[order])


def _meets(heights: Array, stack: Stack, air: float) -> NDArray[np.bool_]:
    """Whether heights lie within spans, or closer to them than some air."""
    tops, reached = stack
    return np.concatenate([[-np.inf], reached + air])[np.searchsorted(tops - air, heights)] > heights


def _lane_heights(stack: Stack, near: float) -> list[float]:
    """Where a lane could run past these nodes: in every gap between them, and above and below all."""
    tops, reached = stack
    if not len(tops):
        return [near]
    upper, lower = reached[:-1], tops[1:]
    gaps = lower - upper
    wide, narrow = gaps >= 2 * LANE + APART, (gaps >= NARROW) & (gaps < 2 * LANE + APART)
    ends = [tops[:1] - LANE, reached[-1:] + LANE]
    found = [*ends, upper[wide] + LANE, lower[wide] - LANE, (upper + gaps / 2)[narrow]]
    return np.sort(np.concatenate(found)).tolist()


def _free_heights(wishes: Array, stack: Stack, rivals: Array) -> Array:
    """The heights next to the wished ones that no lane of another output has taken and no node is in."""
    tries = wishes[:, None] + APART * ASIDE
    taken = _meets(tries, stack, KEEP_OFF) | _meets(tries, _stacked(rivals, rivals), APART - 0.5)
    return tries[np.arange(len(tries)), taken.argmin(axis=1)]  # the wished one where all are taken


def _over(span: Span, y: float, stem: float | None, others: Array, spare: float) -> tuple[Route | None, float]:
    """Down or up to a lane, along it to the right, and back to the height of the target; with the price of its bends.

    `stem` is where another wire of this output has reached the lane, so that they look like one. None where the bend to
    the lane alone costs more than there is to spare.
    """
    (x, top), (far, bottom) = span.start, span.end
    wide = [min(max(0.8 * abs(y - height), 32.0), 96.0) for height in (top, bottom)]
    shrink = min(1.0, 0.96 * (far - x) / sum(wide))
    ins = [(x + wide[0] * bend * shrink, (1.0 - bend) * NARROW_BEND) for bend in BENDS]
    outs = [(far - wide[1] * bend * shrink, (1.0 - bend) * NARROW_BEND) for bend in BENDS]
    if stem is not None and stem <= outs[0][0]:
        ins = [(stem, 0.0)]
    first, first_price = _better(((step(span.start, (place, y)), price) for place, price in ins), others)
    if first_price >= spare:
        return None, first_price
    last, last_price = _better(((step((place, y), span.end), price) for place, price in outs), others)
    left, right = float(first[-1, 0]), float(last[0, 0])
    points = np.concatenate([first, last])
    return Route(points, ((left + right) / 2, y), right - left, Lane(y, left, right)), first_price + last_price


def _better(choices: Iterable[tuple[Array, float]], others: Array) -> tuple[Array, float]:
    """The line that costs least, and what it costs; the later ones are looked at only where the first meets a node."""
    best: tuple[Array, float] | None = None
    for points, price in choices:
        met = crosses(points, others)
        if best is None or price + THROUGH_NODE * met < best[1]:
            best = points, price + THROUGH_NODE * met
        if not met:
            break
    assert best is not None
    return best


def _round(span: Span, y: float, rects: Array, own_rows: Rows) -> tuple[Route, float]:
    """Round to a lane, along it to the left, and round again into the target; with the price of its bends."""
    start, end = span.start, span.end
    first, last = (min(max(32.0 + 0.4 * abs(y - height), 40.0), 72.0) for height in (start[1], end[1]))
    right, left = start[0] - 12.0, end[0] + 12.0
    if right < left:
        left = right = (start[0] + end[0]) / 2
    out, back = turn(start, (right, y), first), turn_in((left, y), end, last)
    met = crosses(out, rects, own_rows) + crosses(back, rects, own_rows)
    points = np.concatenate([out, back])
    return Route(points, ((left + right) / 2, y), right - left, Lane(y, left, right)), THROUGH_NODE * met
