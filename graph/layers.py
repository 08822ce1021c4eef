"""The columns of a tidy drawing and the order within them: few crossings, ports included. Plain lists, no Qt."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

HUB = 6
"""An output that feeds more than so many nodes does not hold the drawing together."""
SWEEPS = 8
PASSING = 0.5
"""How much a long wire that passes counts against a neighbour, for the order in a column."""
LONGEST = 4
"""Stops on the way of long wires, against the number of nodes; beyond that the longest ones take none."""


@dataclass(frozen=True)
class Link:
    """A wire between two nodes by their numbers; `start` and `end` are the heights of its ports on them."""

    source: int
    target: int
    start: float
    end: float


@dataclass
class Net:
    """Nodes by their numbers, with their sizes, and what runs between them.

    Args:
        widths: of every node.
        heights: of every node.
        links: the wires.
        first: the numbers of the nodes in the order in which they should be met, of equals.
    """

    widths: list[float]
    heights: list[float]
    links: list[Link]
    first: list[int]
    incoming: list[list[Link]] = field(init=False)
    outgoing: list[list[Link]] = field(init=False)
    hubs: set[tuple[int, float]] = field(init=False)

    def __post_init__(self) -> None:
        """Sort the wires by the nodes that they join, at each from the top port down."""
        count = len(self.widths)
        self.incoming, self.outgoing = [[] for _ in range(count)], [[] for _ in range(count)]
        for link in self.links:
            self.incoming[link.target].append(link)
            self.outgoing[link.source].append(link)
        for links in self.incoming:
            links.sort(key=lambda link: link.end)
        fans: dict[tuple[int, float], int] = {}
        for link in self.links:
            fans[link.source, link.start] = fans.get((link.source, link.start), 0) + 1
        self.hubs = {output for output, count in fans.items() if count > HUB}

    def is_hub(self, link: Link) -> bool:
        """Whether the output of a wire feeds very many nodes."""
        return (link.source, link.start) in self.hubs


def ranks(net: Net) -> list[int]:
    """The column of each node: right of all it depends on; what depends on nothing stands before its first reader."""
    waiting = [len(links) for links in net.incoming]
    order = [node for node in net.first if not waiting[node]]
    rank = [0] * len(net.widths)
    for node in order:
        for link in net.outgoing[node]:
            rank[link.target] = max(rank[link.target], rank[node] + 1)
            waiting[link.target] -= 1
            if not waiting[link.target]:
                order.append(link.target)
    for node in order:
        if not net.incoming[node] and net.outgoing[node]:
            rank[node] = min(rank[link.target] for link in net.outgoing[node]) - 1
    return rank


@dataclass
class Layers:
    """Columns of nodes and of stops, which are where long wires pass; stops have the numbers after the nodes'.

    `down[v]` are (vertex to the right, height of the port here, height of the port there, the wire's number); `up`
    likewise to the left.
    """

    columns: list[list[int]]
    down: list[list[tuple[int, float, float, int]]]
    up: list[list[tuple[int, float, float, int]]]
    count: int


def layers(net: Net, rank: list[int], raised: set[int], *, from_ends: bool = True) -> Layers:
    """Nodes in their columns, in the order in which wires reach them, with stops where long wires pass.

    Args:
        net: what is drawn.
        rank: the columns.
        raised: the numbers of wires that come in above all others, wherever their ports are.
        from_ends: whether one walks back from the last nodes at once, or from each in turn.
    """
    low = min(rank, default=0)
    columns: list[list[int]] = [[] for _ in range(max(rank, default=-1) - low + 1)]
    count = len(net.widths)
    down: list[list[tuple[int, float, float, int]]] = [[] for _ in range(count)]
    up: list[list[tuple[int, float, float, int]]] = [[] for _ in range(count)]
    reached = _reached(net, [node for node in net.first if not (from_ends and net.outgoing[node])])
    for node in reached:
        columns[rank[node] - low].append(node)
    spans = sorted(rank[link.target] - rank[link.source] - 1 for link in net.links)
    room, longest = LONGEST * count + 200, 0
    for span in spans:
        room -= max(0, span)
        if room < 0:
            break
        longest = span
    stops: dict[tuple[int, float, int], int] = {}
    place = {node: at for at, node in enumerate(reached)}
    for number in sorted(range(len(net.links)), key=lambda n: (place[net.links[n].source], place[net.links[n].target])):
        link = net.links[number]
        begin, end = rank[link.source] - low, rank[link.target] - low
        if end - begin > 1 and (net.is_hub(link) or end - begin - 1 > longest):
            continue
        vertex, height = link.source, link.start
        for column in range(begin + 1, end):
            stop = stops.get((link.source, link.start, column))
            if stop is None:
                stop = stops[link.source, link.start, column] = len(down)
                down.append([])
                up.append([])
                columns[column].append(stop)
                down[vertex].append((stop, height, 0.0, number))
                up[stop].append((vertex, height, 0.0, number))
            vertex, height = stop, 0.0
        end_height = -1.0 if number in raised else link.end
        down[vertex].append((link.target, height, end_height, number))
        up[link.target].append((vertex, height, end_height, number))
    return Layers(columns, down, up, count)


def _reached(net: Net, roots: list[int]) -> list[int]:
    """The nodes in the order in which one meets them walking backwards from some, the upper ports first."""
    seen: set[int] = set()
    found: list[int] = []
    for root in roots:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in seen:
                stack.pop()
                continue
            ahead = [link.source for link in reversed(net.incoming[node]) if link.source not in seen]
            if ahead:
                stack += ahead
            else:
                seen.add(node)
                found.append(node)
                stack.pop()
    return found


def put_in_order(net: Net, made: Layers) -> int:
    """Order every column so that few wires cross: sweeps by the middle of the neighbours, then swaps of neighbours.

    Returns how many pairs of wires still cross.
    """
    columns = made.columns
    heights = [*net.heights, *([1.0] * (len(made.down) - made.count))]
    place = [0.0] * len(made.down)

    def number(column: list[int]) -> None:
        for at, vertex in enumerate(column):
            place[vertex] = float(at)

    for column in columns:
        number(column)
    best, least, idle = [list(column) for column in columns], _crossings(made, place), 0
    for sweep in range(SWEEPS):
        if not least or idle > 2:
            break
        forth = sweep % 2 == 0
        for column in columns[1:] if forth else reversed(columns[:-1]):
            near, side = (made.up, 1) if forth else (made.down, 2)
            keys = {v: _middle(near[v], side, place, heights, place[v], made.count) for v in column}
            column.sort(key=lambda v: (keys[v], place[v]))
            number(column)
        _swap(made, place)
        crossings = _crossings(made, place)
        idle += 1
        if crossings < least:
            idle = 0
            best, least = [list(column) for column in columns], crossings
    made.columns[:] = best
    return least


def _middle(
    near: list[tuple[int, float, float, int]],
    side: int,
    place: list[float],
    heights: list[float],
    here: float,
    count: int,
) -> float:
    """The middle of a vertex's neighbours, nodes before stops; `side` is where the ports there stand in `near`."""
    if not near:
        return here
    total = share = 0.0
    for other in near:
        vertex = other[0]
        weight = 1.0 if vertex < count else PASSING
        total += weight * (place[vertex] + 0.8 * other[side] / heights[vertex])
        share += weight
    return total / share


def _swap(made: Layers, place: list[float]) -> None:
    """Let neighbours of a column change places while that takes crossings away."""
    for _ in range(3):
        is_better = False
        for column in made.columns:
            if len(column) < 2:
                continue
            before = [sorted((place[w], port) for w, port, _, _ in made.up[v]) for v in column]
            after = [sorted((place[w], port) for w, _, port, _ in made.down[v]) for v in column]
            for at in range(len(column) - 1):
                upper, lower = (before[at], after[at]), (before[at + 1], after[at + 1])
                if _between(*upper, *lower) > _between(*lower, *upper):
                    column[at], column[at + 1] = column[at + 1], column[at]
                    before[at], before[at + 1] = before[at + 1], before[at]
                    after[at], after[at + 1] = after[at + 1], after[at]
                    place[column[at]], place[column[at + 1]] = float(at), float(at + 1)
                    is_better = True
        if not is_better:
            return


Ends = list[tuple[float, float]]


def _between(left: Ends, right: Ends, lower_left: Ends, lower_right: Ends) -> int:
    """How many wires of two vertices cross when one is above the other; their other ends are given, in order."""
    total = 0
    for above, below in ((left, lower_left), (right, lower_right)):
        if above and below and below[0] < above[-1]:
            total += sum(len(above) - bisect_right(above, end) for end in below)
    return total


def _crossings(made: Layers, place: Sequence[float]) -> int:
    """How many pairs of wires cross in all."""
    total = 0
    for column in made.columns[:-1]:
        ends = sorted(((place[v], start), (place[w], end)) for v in column for w, start, end, _ in made.down[v])
        seen: list[tuple[float, float]] = []
        for _, end in ends:
            total += len(seen) - bisect_right(seen, end)
            insort(seen, end)
    return total
