"""Tidy: where the nodes of a level would lie in a drawing made with care. Deterministic, nothing overlaps. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import blocks
from graph import commands
from graph.commands import Command, Move
from graph.document import Document, Level, Path, Wire
from graph.folding import lay
from graph.issues import LevelReport
from graph.layers import Link, Net, ranks
from graph.layout import GRID, HEADER, Box, measure

BETWEEN = 64.0
"""Between drawings that have no wire in common."""
LOOSE, LOOSE_LINE = 32.0, 960.0
"""Between nodes without wires, and how wide their rows are."""
CLEAR = 24.0
"""How far a tidied selection keeps from the other nodes."""

Position = tuple[float, float]


@dataclass(frozen=True)
class Task:
    """What tidying needs to know of a level; it can be worked out in another thread.

    Args:
        at: the level.
        boxes: the sizes of all nodes.
        before: where the nodes lie that are tidied.
        others: where the others lie.
        wires: all wires.
        orders: what sorts nodes where nothing else does.
    """

    at: Path
    boxes: Mapping[str, Box]
    before: Mapping[str, Position]
    others: Mapping[str, Position]
    wires: Sequence[Wire]
    orders: Mapping[str, Any]

    def command(self) -> Command:
        """The edit, as one step."""
        chosen = {id: self.boxes[id] for id in self.before}
        places = _at_home(arrange(chosen, self.wires, self.orders), self.before, self.boxes)
        others = [(x, y, x + self.boxes[id].width, y + self.boxes[id].height) for id, (x, y) in self.others.items()]
        places = _beside(places, self.boxes, others)
        moved = {id: place for id, place in places.items() if place != self.before[id]}
        label = f"Tidy {len(chosen)} nodes" if self.others else "Tidy"
        return commands.Sequence((Move(self.at, moved),) if moved else (), label)


def gather(document: Document, at: Path, boxes: Mapping[str, Box], ids: Iterable[str] | None = None) -> Task:
    """What tidying a level, or some nodes of it, needs to know.

    Args:
        document: what is drawn.
        at: the level.
        boxes: the sizes of its nodes.
        ids: the nodes to move; by default all. Their middle stays where it is, and they do not run into others.
    """
    level = document.level(at)
    wanted = set(level.nodes if ids is None else ids)
    places = {id: node.position for id, node in level.nodes.items()}
    chosen = {id: place for id, place in places.items() if id in wanted}
    others = {id: place for id, place in places.items() if id not in wanted}
    return Task(at, boxes, chosen, others, tuple(level.wires()), _orders(level, chosen))


def tidy(document: Document, at: Path, report: LevelReport | None = None, ids: Iterable[str] | None = None) -> Command:
    """The command that tidies a level, or some nodes of it, as one step; see `gather`."""
    return gather(document, at, measured(document.level(at), report), ids).command()


def measured(level: Level, report: LevelReport | None) -> dict[str, Box]:
    """The boxes of all nodes of a level."""
    known = report.nodes if report is not None else {}
    return {
        id: measure(node, level.incoming(id), known[id].params if id in known else None)
        for id, node in level.nodes.items()
    }


def arrange(boxes: Mapping[str, Box], wires: Iterable[Wire], orders: Mapping[str, Any]) -> dict[str, Position]:
    """Places for nodes, from (0, 0) on.

    Args:
        boxes: their sizes and ports.
        wires: what runs between them; wires of other nodes are left out.
        orders: what sorts them where nothing else does.
    """
    ids = sorted(boxes, key=lambda id: (orders.get(id, 0), id))
    inner = [wire for wire in wires if wire.source in boxes and wire.target in boxes]
    inner.sort(key=lambda wire: (wire.source, wire.output, wire.target, wire.input, wire.order))
    places: dict[str, Position] = {}
    bottom = 0.0
    loose: list[str] = []
    for part in _parts(ids, inner):
        if len(part) == 1:
            loose += part
            continue
        for id, (x, y) in _lay_part(part, inner, boxes).items():
            places[id] = (_snap(x), _snap(y + bottom))
        bottom = max(places[id][1] + boxes[id].height for id in part) + BETWEEN
    x = highest = 0.0
    for id in loose:
        if x and x + boxes[id].width > LOOSE_LINE:
            x, bottom, highest = 0.0, bottom + highest + LOOSE, 0.0
        places[id] = (_snap(x), _snap(bottom))
        x, highest = x + boxes[id].width + LOOSE, max(highest, boxes[id].height)
    return places


def _lay_part(part: list[str], wires: Sequence[Wire], boxes: Mapping[str, Box]) -> dict[str, Position]:
    index = {id: number for number, id in enumerate(part)}
    links = [
        Link(index[wire.source], index[wire.target], _start(boxes[wire.source], wire), _end(boxes[wire.target], wire))
        for wire in wires
        if wire.source in index
    ]
    net = Net([boxes[id].width for id in part], [boxes[id].height for id in part], links, [*range(len(part))])
    laid = lay(net, ranks(net))
    left, top = min(x for x, _ in laid.values()), min(y for _, y in laid.values())
    return {id: (laid[number][0] - left, laid[number][1] - top) for id, number in index.items()}


def _parts(ids: list[str], wires: Sequence[Wire]) -> list[list[str]]:
    """The nodes that wires join, part by part."""
    root = {id: id for id in ids}

    def find(id: str) -> str:
        while root[id] != id:
            root[id] = id = root[root[id]]
        return id

    for wire in wires:
        root[find(wire.target)] = find(wire.source)
    parts: dict[str, list[str]] = {}
    for id in ids:
        parts.setdefault(find(id), []).append(id)
    return list(parts.values())


def _start(box: Box, wire: Wire) -> float:
    slot = box.output(wire.output)
    return slot.y if slot is not None else HEADER / 2


def _end(box: Box, wire: Wire) -> float:
    slot = box.input(wire.input, wire.order)
    return slot.y if slot is not None else HEADER / 2


def _orders(level: Level, ids: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Inputs first, in the order that they have, then outputs, then the rest."""
    kinds = {"source": 0, "group_input": 0, "output": 1, "group_output": 1}
    found: dict[str, tuple[int, int]] = {}
    for id in ids:
        block = blocks.find(level.nodes[id].block)
        found[id] = (kinds.get(block.role, 2) if block is not None else 2, level.nodes[id].order)
    return found


def _at_home(
    places: Mapping[str, Position], before: Mapping[str, Position], boxes: Mapping[str, Box]
) -> dict[str, Position]:
    """The same places moved so that their middle is where it was."""
    if not places:
        return {}
    old, new = _bounds(before, boxes), _bounds(places, boxes)
    dx = _snap((old[0] + old[2] - new[0] - new[2]) / 2)
    dy = _snap((old[1] + old[3] - new[1] - new[3]) / 2)
    return {id: (x + dx, y + dy) for id, (x, y) in places.items()}


def _beside(
    places: Mapping[str, Position], boxes: Mapping[str, Box], others: Sequence[tuple[float, float, float, float]]
) -> dict[str, Position]:
    """The same places moved no further than it takes to be clear of other nodes."""
    if not places or not others:
        return dict(places)
    left, top, right, bottom = _bounds(places, boxes)
    left, top, right, bottom = left - CLEAR, top - CLEAR, right + CLEAR, bottom + CLEAR
    ways_x = {0.0, *(a - right for a, _, _, _ in others), *(c - left for _, _, c, _ in others)}
    ways_y = {0.0, *(b - bottom for _, b, _, _ in others), *(d - top for _, _, _, d in others)}

    def is_free(dx: float, dy: float) -> bool:
        return not any(a < right + dx and c > left + dx and b < bottom + dy and d > top + dy for a, b, c, d in others)

    tries = sorted(
        {*((0.0, way) for way in ways_y), *((way, 0.0) for way in ways_x)}, key=lambda w: (abs(w[0] + w[1]), w)
    )
    dx, dy = next(way for way in tries if is_free(*way))
    dx, dy = _outwards(dx), _outwards(dy)
    return {id: (x + dx, y + dy) for id, (x, y) in places.items()}


def _bounds(places: Mapping[str, Position], boxes: Mapping[str, Box]) -> tuple[float, float, float, float]:
    return (
        min(x for x, _ in places.values()),
        min(y for _, y in places.values()),
        max(x + boxes[id].width for id, (x, _) in places.items()),
        max(y + boxes[id].height for id, (_, y) in places.items()),
    )


def _snap(value: float) -> float:
    return float(round(value / GRID) * GRID)


def _outwards(way: float) -> float:
    """To the grid, rather further than nearer."""
    return float(-(-abs(way) // GRID) * GRID) * (1 if way > 0 else -1)
