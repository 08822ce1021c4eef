"""Where a wide drawing is folded into bands, one below the other, as text is into lines. No Qt."""

from __future__ import annotations

from math import sqrt

from graph.layers import Link, Net
from graph.rows import BESIDE, GAP, UNDER, Places, highways_of, lay_rows

LINE = 1200.0
"""What fits on a screen side by side."""
BAND = 220.0
"""About how high a band is."""
SHAPE = 1.8
"""How many times wider than high a large drawing should be."""
FORTH, WIDEST = 2.1, 3.0
"""So many lines wide a U-Net may be before its wires turn back, and with that before it is cut into bands."""
FOLD, SOURCE, OVER, ORPHAN = 60.0, 250.0, 1.75, 6.0
"""The price of a fold, of each input whose wires it makes long, of what is too wide and of what is left over for the
last band, in units of length."""
APART = 88.0
"""Between bands."""
ROOM = 168.0
"""The gap in which the shape on a wire can be read, where there is so much room."""


def lay(net: Net, rank: list[int]) -> Places:
    """Places of the nodes of one connected drawing."""
    widths = _columns(net, rank)
    total = sum(widths)
    line = max(LINE, sqrt(total * BAND * SHAPE))
    rest = _without(net, conditions(net))
    if highways_of(*_part(net, rank, rest)) and total > line:
        whole = _with_conditions(net, rank, rest, FORTH * line, GAP)
        if _width(net, whole) <= WIDEST * line:
            return whole
    cuts = _cuts(net, rank, widths, line) if total > line else []

    def drawn(gap: float) -> Places:
        return _stack(net, rank, cuts, line, gap) if cuts else _with_conditions(net, rank, rest, line, gap)

    if total + (ROOM - GAP) * len(widths) <= 1.2 * (len(cuts) + 1) * line:
        roomy = drawn(ROOM)
        if _width(net, roomy) <= 1.08 * line:
            return roomy
    return drawn(GAP)


def conditions(net: Net) -> list[int]:
    """Inputs, with what follows them alone, that only steer several others: a time step, a text, a mask."""
    found: list[int] = []
    for first in net.first:
        if net.incoming[first] or not net.outgoing[first]:
            continue
        chain = [first]
        while len(targets := {link.target for link in net.outgoing[chain[-1]]}) == 1:
            (target,) = targets
            if len({link.source for link in net.incoming[target]}) > 1:
                break
            chain.append(target)
        readers = net.outgoing[chain[-1]]
        if len(readers) >= 2 and all(link.end > net.incoming[link.target][0].end for link in readers):
            found += chain
    return found


def _without(net: Net, nodes: list[int]) -> list[int]:
    gone = set(nodes)
    return [node for node in net.first if node not in gone]


def _part(net: Net, rank: list[int], members: list[int]) -> tuple[Net, list[int]]:
    """Some of the nodes as a net of their own."""
    index = {node: at for at, node in enumerate(members)}
    links = [
        Link(index[link.source], index[link.target], link.start, link.end)
        for node in members
        for link in net.outgoing[node]
        if link.target in index
    ]
    part = Net([net.widths[n] for n in members], [net.heights[n] for n in members], links, [*range(len(members))])
    return part, [rank[node] for node in members]


def _width(net: Net, places: Places) -> float:
    left = min(x for x, _ in places.values())
    return max(x + net.widths[node] for node, (x, _) in places.items()) - left


def _with_conditions(net: Net, rank: list[int], rest: list[int], line: float, gap: float) -> Places:
    """The drawing with what steers it at its lower left."""
    laid = lay_rows(*_part(net, rank, rest), line, gap, is_whole=True)
    places = {rest[number]: place for number, place in laid.items()}
    left = min(x for x, _ in places.values())
    bottom = max(y + net.heights[node] for node, (_, y) in places.items()) + UNDER
    x, highest = left, 0.0
    after: int | None = None
    for node in conditions(net):
        if after is not None and not any(link.source == after for link in net.incoming[node]):
            bottom, x, highest = bottom + highest + UNDER, left, 0.0
        places[node] = (x, bottom)
        x, highest, after = x + net.widths[node] + gap, max(highest, net.heights[node]), node
    return places


def _columns(net: Net, rank: list[int]) -> list[float]:
    """How wide each column is, with its gap."""
    widths = [0.0] * (max(rank) + 1)
    for node, column in enumerate(rank):
        widths[column] = max(widths[column], net.widths[node] + GAP)
    return widths


def _cuts(net: Net, rank: list[int], widths: list[float], line: float) -> list[int]:
    """The columns after which to fold: where one output alone goes on, so that bands are about as wide as a line."""
    price = _prices(net, rank, len(widths))
    ends = [-1, *(column for column in range(len(widths) - 1) if price[column] is not None), len(widths) - 1]
    sums = [0.0]
    for width in widths:
        sums.append(sums[-1] + width)
    best: list[tuple[float, int]] = [(0.0, -1)]
    for place in range(1, len(ends)):
        found = (float("inf"), -1)
        for before in range(place - 1, -1, -1):
            wide = sums[ends[place] + 1] - sums[ends[before] + 1]
            is_last = place == len(ends) - 1
            over, short = max(0.0, wide - line), max(0.0, line - wide)
            cost = best[before][0] + OVER * over + short * short / line * (0.5 if is_last else 1.0)
            cost += ORPHAN * max(0.0, 0.35 * line - wide) if is_last else price[ends[place]] or 0.0
            if cost < found[0]:
                found = (cost, before)
            if wide > 3 * line and place - before > 1:
                break
        best.append(found)
    cuts: list[int] = []
    place = best[-1][1]
    while place > 0:
        cuts.append(ends[place])
        place = best[place][1]
    return cuts[::-1]


def _prices(net: Net, rank: list[int], count: int) -> list[float | None]:
    """What it costs to fold after each column; None where more than one thing goes on."""
    sources, others = [0] * (count + 1), [0] * (count + 1)
    reach: dict[tuple[int, float], int] = {}
    for link in net.links:
        if not net.is_hub(link):
            output = (link.source, link.start)
            reach[output] = max(reach.get(output, 0), rank[link.target])
    for (node, _), last in reach.items():
        table = others if net.incoming[node] else sources
        table[rank[node]] += 1
        table[last] -= 1
    found: list[float | None] = []
    going_on = inputs = 0
    for column in range(count):
        going_on, inputs = going_on + others[column], inputs + sources[column]
        found.append(FOLD + SOURCE * max(0, inputs) if going_on == 1 else None)
    return found


def _stack(net: Net, rank: list[int], cuts: list[int], line: float, gap: float) -> Places:
    """Lay each band on its own and put them below each other, moved so that wires past a fold still run right."""
    band = [sum(column > cut for cut in cuts) for column in rank]
    places: Places = {}
    bottom = 0.0
    for number in range(len(cuts) + 1):
        members = [node for node in net.first if band[node] == number]
        index = {node: at for at, node in enumerate(members)}
        laid = lay_rows(*_part(net, rank, members), line, gap)
        across = [link for node in members for link in net.incoming[node] if link.source in places]
        shift = 0.0
        for link in across:
            is_skip = any(inner_link.source in index for inner_link in net.incoming[link.target])
            if is_skip and band[link.source] == number - 1 and net.incoming[link.source] and not net.is_hub(link):
                right = places[link.source][0] + net.widths[link.source] + BESIDE
                shift = max(shift, right - laid[index[link.target]][0])
        wide = max(laid[index[node]][0] + net.widths[node] for node in members)
        if shift + wide > 1.6 * line:
            shift = 0.0
        top = min(y for _, y in laid.values())
        for node in members:
            x, y = laid[index[node]]
            places[node] = (x + shift, y - top + bottom)
        bottom = max(places[node][1] + net.heights[node] for node in members) + APART
    return places
