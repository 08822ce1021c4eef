"""Where nodes of ordered columns lie: straight chains in rows, and what can be side by side is. No Qt."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np

from graph.layers import Layers, Net, layers, put_in_order

GAP = 48.0
"""From a node to the next one on its wire."""
BESIDE = 32.0
"""From a node to the next one in the same row that it is not wired to."""
UNDER = 40.0
"""From a node to the one below it."""
LANE = 28.0
"""From a node to a wire that passes, and from there on."""
PARALLEL = 14.0
TURN = 56.0
"""Between rows where a wire turns round."""
HIGHWAY = 3
"""A wire that comes in from above past so many columns has a row of its own, and what it passes lies below."""
CELL = 8.0
FEW = 400
"""With no more nodes than this there is time to try another order where wires cross."""
PASSES = 6

Places = dict[int, tuple[float, float]]


def lay_rows(net: Net, rank: list[int], widest: float, gap: float = GAP, *, is_whole: bool = False) -> Places:
    """Places of nodes, by their numbers, in columns that are given.

    Args:
        net: what is drawn.
        rank: the columns.
        widest: where it would be wider, wires between rows turn round.
        gap: from a node to the next one on its wire.
        is_whole: whether this is the whole drawing, whose results stand at its right.
    """
    highways = highways_of(net, rank)
    made = layers(net, rank, highways)
    crossings = put_in_order(net, made)
    if crossings and len(net.widths) <= FEW:
        other = layers(net, rank, highways, from_ends=False)
        if put_in_order(net, other) < crossings:
            made = other
    blocks = _Blocks(net, made, rank, highways)
    tops = blocks.tops({})
    lefts = _lefts(net, rank, tops, set(), gap)
    if lefts and max(x + net.widths[node] for node, x in enumerate(lefts)) > widest:
        folds = blocks.folds(tops)
        if folds:
            tops = blocks.tops(folds)
            turned = {
                number
                for number, link in enumerate(net.links)
                if tops[link.target] >= tops[link.source] + net.heights[link.source] + TURN - 8
                or tops[link.source] >= tops[link.target] + net.heights[link.target] + TURN - 8
            }
            lefts = _lefts(net, rank, tops, turned & blocks.turning, gap)
    if is_whole and lefts:
        _to_the_right(net, tops, lefts)
    return {node: (lefts[node], tops[node]) for node in range(len(net.widths))}


def _to_the_right(net: Net, tops: list[float], lefts: list[float]) -> None:
    """Put what ends a straight wire at the right side, where nothing is in between."""
    right = max(x + wide for x, wide in zip(lefts, net.widths, strict=True))
    for node, links in enumerate(net.incoming):
        if net.outgoing[node] or len(links) != 1:
            continue
        source, end = links[0].source, lefts[node] + net.widths[node]
        if tops[source] + links[0].start != tops[node] + links[0].end:
            continue
        top, bottom = tops[node] - LANE, tops[node] + net.heights[node] + LANE
        if not any(
            lefts[other] >= end and tops[other] < bottom and tops[other] + net.heights[other] > top
            for other in range(len(tops))
        ):
            lefts[node] = right - net.widths[node]


def highways_of(net: Net, rank: list[int]) -> set[int]:
    """Long wires that what they pass hangs below, as in a U-Net.

    They leave no lower than what they pass, and come in above it; or they pass others of their kind.
    """
    above: set[int] = set()
    others: list[int] = []
    low = high = 0
    for number, link in sorted(enumerate(net.links), key=lambda item: (rank[item[1].source], -rank[item[1].target])):
        start, end = rank[link.source], rank[link.target]
        is_within = low <= start and end <= high
        beside = [other for other in net.outgoing[link.source] if rank[other.target] < end]
        if end - start <= (1 if is_within else HIGHWAY) or net.is_hub(link):
            continue
        if not any(other.start >= link.start for other in beside):
            continue
        if any(other.end > link.end for other in net.incoming[link.target]):
            above.add(number)
            low, high = (low, high) if is_within else (start, end)
        elif net.incoming[link.source] and len(net.incoming[link.target]) > 1:
            others.append(number)
    return above | _nested(net, rank, others)


def _nested(net: Net, rank: list[int], numbers: list[int]) -> set[int]:
    """Those wires that pass another one or are passed by one, from its beginning to its end."""
    spans = [(rank[net.links[number].source], -rank[net.links[number].target], number) for number in numbers]
    found: set[int] = set()
    open_ones: list[tuple[int, int, int]] = []
    for span in sorted(spans):
        while open_ones and -open_ones[-1][1] <= span[0]:
            open_ones.pop()
        outer = [one for one in open_ones if one[0] < span[0] and one[1] < span[1]]
        if outer:
            found.update((span[2], *(one[2] for one in outer)))
        open_ones.append(span)
    return found


class _Blocks:
    """Vertices that a straight line joins are one block, which is moved up and down as a whole."""

    def __init__(self, net: Net, made: Layers, rank: list[int], highways: set[int]) -> None:
        self._net, self._made, self._rank, self._highways = net, made, rank, highways
        count = len(made.down)
        self._heights = [*net.heights, *([0.0] * (count - made.count))]
        self._place = [0] * count
        for column in made.columns:
            for at, vertex in enumerate(column):
                self._place[vertex] = at
        self._after: dict[int, int] = {}
        self._align()
        self._block, self._offset = [0] * count, [0.0] * count
        self._members: list[list[int]] = []
        before = set(self._after.values())
        for column in made.columns:
            for vertex in column:
                if vertex not in before:
                    self._gather(vertex)
        self.turning: set[int] = set()
        self._below: list[dict[int, float]] = [{} for _ in self._members]
        for column in made.columns:
            for upper, lower in zip(column, column[1:], strict=False):
                self._keep_apart(upper, lower, self._heights[upper] + self._room(upper, lower))

    def _align(self) -> None:
        """Choose which wires run straight: the best first, and none that would cross one that does."""
        made = self._made
        for column in made.columns[:-1]:
            wishes = [
                (-self._worth(v, w, start, end, number, number in self._highways), self._place[v], self._place[w], v, w)
                for v in column
                for w, start, end, number in made.down[v]
            ]
            wishes.sort()
            taken: list[tuple[int, int]] = []
            ends: set[int] = set()
            for _, left, right, v, w in wishes:
                at = bisect_left(taken, (left, right))
                if v in self._after or w in ends:
                    continue
                if (at and taken[at - 1][1] >= right) or (at < len(taken) and taken[at][1] <= right):
                    continue
                insort(taken, (left, right))
                self._after[v] = w
                ends.add(w)

    def _worth(self, v: int, w: int, start: float, end: float, number: int, is_highway: bool) -> float:
        """How much it matters that a piece of a wire runs straight."""
        count = self._made.count
        if is_highway:
            return 20.0
        if v >= count and w >= count:
            return 3.0
        if v >= count or w >= count:
            return 1.0
        net = self._net
        if net.is_hub(net.links[number]):
            return 0.5
        worth = 10.0 if net.incoming[v] else 6.0
        worth += 2.0 * (end == net.incoming[w][0].end) + 1.0 * (start == min(link.start for link in net.outgoing[v]))
        return worth + 1.0 * bool(net.outgoing[w])

    def _gather(self, vertex: int) -> None:
        """Follow the straight line from its first vertex."""
        members, offset = [vertex], 0.0
        self._block[vertex] = len(self._members)
        while vertex in self._after:
            ahead = self._after[vertex]
            start, number = next((s, n) for w, s, _, n in self._made.down[vertex] if w == ahead)
            offset += start - self._end(ahead, number)
            self._block[ahead], self._offset[ahead] = len(self._members), offset
            members.append(ahead)
            vertex = ahead
        self._members.append(members)

    def _end(self, vertex: int, number: int) -> float:
        """The height at which a wire reaches a vertex."""
        return self._net.links[number].end if vertex < self._made.count else 0.0

    def _room(self, upper: int, lower: int) -> float:
        count = self._made.count
        if upper >= count and lower >= count:
            return PARALLEL
        return LANE if upper >= count or lower >= count else UNDER

    def _keep_apart(self, upper: int, lower: int, room: float) -> None:
        below = self._below[self._block[upper]]
        other = self._block[lower]
        below[other] = max(below.get(other, -np.inf), room + self._offset[upper] - self._offset[lower])

    def folds(self, tops: list[float]) -> dict[tuple[int, int], float]:
        """Rows that must be further apart, so that a wire between them may turn round; by blocks, the upper first."""
        net, found = self._net, {}
        spans = [
            (min(self._offset[v] for v in block), max(self._offset[v] + self._heights[v] for v in block))
            for block in self._members
        ]
        for number, link in enumerate(net.links):
            upper, lower = self._block[link.source], self._block[link.target]
            if upper == lower or self._rank[link.target] - self._rank[link.source] != 1 or net.is_hub(link):
                continue
            leaves = net.incoming[link.source] and self._members[lower][0] == link.target
            comes = self._members[upper][-1] == link.source
            if not (leaves or comes) or min(len(self._members[upper]), len(self._members[lower])) < 2:
                continue
            self.turning.add(number)
            if tops[link.source] > tops[link.target]:
                upper, lower = lower, upper
            found[upper, lower] = spans[upper][1] - spans[lower][0] + TURN
        return found

    def tops(self, folds: dict[tuple[int, int], float]) -> list[float]:
        """The top of every node."""
        below = [dict(others) for others in self._below]
        for (upper, lower), room in folds.items():
            below[upper][lower] = max(below[upper].get(lower, -np.inf), room)
        order = _sorted(below)
        if len(order) < len(below):  # rows that would each have to be above the other stay as they are
            below = self._below
            order = _sorted(below)
        above: list[dict[int, float]] = [{} for _ in below]
        for upper, others in enumerate(below):
            for lower, room in others.items():
                above[lower][upper] = room
        y = [0.0] * len(below)
        for block in order:
            y[block] = max((y[upper] + room for upper, room in above[block].items()), default=0.0)
        pulls = self._pulls()
        for turn in range(PASSES):
            for block in reversed(order) if turn % 2 == 0 else order:
                if not pulls[block]:
                    continue
                wish = sum(weight * (y[other] + way) for other, way, weight in pulls[block])
                wish /= sum(weight for _, _, weight in pulls[block])
                low = max((y[upper] + room for upper, room in above[block].items()), default=-np.inf)
                high = min((y[lower] - room for lower, room in below[block].items()), default=np.inf)
                y[block] = max(low, min(high, wish))
        return [y[self._block[node]] + self._offset[node] for node in range(self._made.count)]

    def _pulls(self) -> list[list[tuple[int, float, float]]]:
        """What would like to be at one height with what: (block, how far from it, how much)."""
        pulls: list[list[tuple[int, float, float]]] = [[] for _ in self._members]
        for v, ahead in enumerate(self._made.down):
            for w, start, _, number in ahead:
                one, other = self._block[v], self._block[w]
                if one == other:
                    continue
                way = self._offset[v] + start - self._offset[w] - self._end(w, number)
                weight = 0.3 if max(v, w) >= self._made.count else 1.0
                if self._net.is_hub(self._net.links[number]):
                    weight = 0.05
                pulls[other].append((one, way, weight))
                pulls[one].append((other, -way, weight))
        return pulls


def _sorted(below: list[dict[int, float]]) -> list[int]:
    waiting = [0] * len(below)
    for others in below:
        for lower in others:
            waiting[lower] += 1
    order = [block for block, count in enumerate(waiting) if not count]
    for block in order:
        for lower in below[block]:
            waiting[lower] -= 1
            if not waiting[lower]:
                order.append(lower)
    return order


def _lefts(net: Net, rank: list[int], tops: list[float], turned: set[int], gap: float) -> list[float]:
    """The left side of every node: right of what it depends on, and never on another."""
    if not tops:
        return []
    numbers = {id(link): number for number, link in enumerate(net.links)}
    base = min(tops)
    cells = int((max(top + high for top, high in zip(tops, net.heights, strict=True)) - base) / CELL) + 6
    order = sorted(range(len(tops)), key=lambda node: (rank[node], tops[node]))
    left = [0.0] * len(tops)
    edge = np.full(cells, -BESIDE)
    for node in order:
        rows = _cells(tops[node] - base, net.heights[node])
        x = max(0.0, float(edge[rows].max()) + BESIDE)
        for link in net.incoming[node]:
            if numbers[id(link)] in turned:
                x = max(x, left[link.source] + CELL)
            else:
                x = max(x, left[link.source] + net.widths[link.source] + gap)
        left[node] = x
        edge[rows] = x + net.widths[node]
    edge = np.full(cells, np.inf)
    for node in reversed(order):
        rows = _cells(tops[node] - base, net.heights[node])
        if net.outgoing[node] and len(net.outgoing[node]) > len(net.incoming[node]):
            room = float(edge[rows].min()) - BESIDE
            for link in net.outgoing[node]:
                if numbers[id(link)] in turned:
                    room = min(room, left[link.target] + net.widths[node] - CELL)
                else:
                    room = min(room, left[link.target] - gap)
            left[node] = max(left[node], room - net.widths[node])
        edge[rows] = np.minimum(edge[rows], left[node])
    return left


def _cells(top: float, height: float) -> slice:
    return slice(max(0, int((top - 12) / CELL)), int((top + height + 12) / CELL) + 1)
