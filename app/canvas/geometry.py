"""One level as numpy arrays: rectangles of nodes, points of ports, lines of wires; what is seen, what is hit. No Qt."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.canvas.curves import Array, curves
from app.canvas.routes import Lanes, Span, route
from graph.document import Level, Node, Wire
from graph.issues import LevelReport, NodeReport
from graph.layout import HEADER, Box, measure

Rows = NDArray[np.intp]
SPARE = 12.0
"""How far beyond its rectangle a node may paint: ports, outlines, the cards of a stack, badges."""
MANY = 40
"""Nodes that are too many to find the detours of their wires at every step of a drag."""
EMPTY: Mapping[str, Any] = {}


@dataclass(frozen=True)
class PortPlace:
    """A port on the canvas: whose, which, and where."""

    node: str
    port: str
    order: int
    is_input: bool
    x: float
    y: float


class LevelGeometry:
    """Where everything on a level lies.

    `update` brings it up to date at the cost of what changed. Rows of the arrays follow `ids` and `wires`. Detours of
    wires are found by `settle`, a slice of time at once; until then a wire has its direct curve.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.index: dict[str, int] = {}
        self.nodes: list[Node] = []
        self.reports: list[NodeReport | None] = []
        self.boxes: list[Box] = []
        self.rects: Array = np.zeros((0, 4))
        self.ports: list[PortPlace] = []
        self.port_points: Array = np.zeros((0, 2))
        self.port_inputs: NDArray[np.bool_] = np.zeros(0, bool)
        self.port_rows: list[range] = []
        self.wires: list[Wire] = []
        self.wire_index: dict[Wire, int] = {}
        self.wire_nodes: NDArray[np.intp] = np.zeros((0, 2), np.intp)
        self.lines: list[Array] = []
        self.middles: Array = np.zeros((0, 3))
        self.wire_bounds: Array = np.zeros((0, 4))
        self.skips: NDArray[np.bool_] = np.zeros(0, bool)
        self.version = 0
        """Counts what must be painted anew."""
        self.places_version = 0
        """Counts the changes of where nodes lie."""
        self.rows_version = 0
        """Counts the changes of which node or wire has which row."""
        self._changed = False
        self._level: Level | None = None
        self._structure = -1
        self._incoming: list[tuple[Wire, ...]] = []
        self._touching: list[list[int]] = []
        self._outputs: Rows = np.zeros(0, np.intp)
        """Of every wire the output that it comes from, as a number."""
        self._labelled: tuple[int, Rows] = (-1, np.zeros(0, np.intp))
        self._lanes = Lanes(0)
        self._stale: dict[int, float] = {}
        """Wires that have their direct curve for now → how far they span; short ones are settled first."""

    # What changes it

    def update(self, level: Level, report: LevelReport | None) -> bool:
        """Follow the level; returns whether anything has changed."""
        reports = report.nodes if report is not None else {}
        if level is not self._level or level.structure != self._structure or not self._follow(level, reports):
            self._build(level, reports)
            return True
        return self._changed

    def shift(self, ids: Iterable[str], dx: float, dy: float, *, rest: bool = False) -> None:
        """Show nodes elsewhere than the document has them, for a drag; `rest` when it is over.

        Until then only the nodes' own wires follow, so that the others do not jump about.
        """
        rows = [self.index[id] for id in ids if id in self.index]
        homes: list[list[float]] = []
        for row in rows:
            x, y = self.nodes[row].position
            homes.append([x, y, x + self.boxes[row].width, y + self.boxes[row].height])
            self._place(row, x + dx, y + dy)
        if rest:
            self._reroute(rows, np.array(homes).reshape(-1, 4))
            self.places_version += 1
            return
        self.version += 1
        self.places_version += 1
        own = sorted({wire for row in rows for wire in self._touching[row]})
        self._lay_direct(own, settle=len(rows) <= MANY)

    def area_of(self, ids: Iterable[str]) -> tuple[float, float, float, float] | None:
        """The rectangle around nodes, what they paint beside themselves, and their wires."""
        rows = [self.index[id] for id in ids if id in self.index]
        bounds = self.bounds(ids)
        if bounds is None:
            return None
        left, top, right, bottom = bounds[0] - SPARE, bounds[1] - SPARE, bounds[2] + SPARE, bounds[3] + SPARE
        wires = sorted({wire for row in rows for wire in self._touching[row]})
        if wires:
            around = self.wire_bounds[wires]
            left, top = min(left, around[:, 0].min()), min(top, around[:, 1].min())
            right, bottom = max(right, around[:, 2].max()), max(bottom, around[:, 3].max())
        return float(left), float(top), float(right), float(bottom)

    def settle(self, rows: Iterable[int] | None = None, seconds: float = 0.008) -> bool:
        """Find detours of wires that are in the way of nodes, of some rows or of all; returns whether that is done."""
        waiting = self._stale if rows is None else [row for row in rows if row in self._stale]
        if not waiting:
            return True
        self.version += 1
        deadline = time.perf_counter() + seconds
        queue = sorted(waiting, key=self._stale.__getitem__)
        for done, row in enumerate(queue, start=1):
            span = self._span(row)
            found = route(span, self.rects, self._lanes)
            self._lay(row, found.points, (*found.middle, found.room))
            if found.lane is not None:
                self._lanes.take(row, span, found.lane)
            del self._stale[row]
            if time.perf_counter() > deadline:
                return done == len(queue)
        return True

    # What is where

    def bounds(self, ids: Iterable[str] | None = None) -> tuple[float, float, float, float] | None:
        """Left, top, right and bottom of some nodes (by default all), or None without any."""
        rows = range(len(self.ids)) if ids is None else [self.index[id] for id in ids if id in self.index]
        if not len(rows):
            return None
        rects = self.rects[list(rows)]
        left, top = rects[:, :2].min(axis=0)
        right, bottom = rects[:, 2:].max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    def extent(self) -> tuple[float, float, float, float] | None:
        """Left, top, right and bottom of all nodes and of what their wires swing out."""
        bounds = self.bounds()
        if bounds is None or not self.wires:
            return bounds
        low, high = self.wire_bounds[:, :2].min(axis=0), self.wire_bounds[:, 2:].max(axis=0)
        low, high = np.minimum(low, bounds[:2]), np.maximum(high, bounds[2:])
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    def seen_nodes(self, left: float, top: float, right: float, bottom: float) -> Rows:
        """The rows of nodes that paint within a rectangle, in the order of painting."""
        rects = self.rects
        seen = (rects[:, 0] - SPARE < right) & (rects[:, 2] + SPARE > left)
        seen &= (rects[:, 1] - SPARE < bottom) & (rects[:, 3] + SPARE > top)
        return np.nonzero(seen)[0]

    def seen_wires(self, left: float, top: float, right: float, bottom: float) -> Rows:
        """The rows of wires that may pass through a rectangle."""
        bounds = self.wire_bounds
        seen = (bounds[:, 0] - 2 < right) & (bounds[:, 2] + 2 > left)
        seen &= (bounds[:, 1] - 2 < bottom) & (bounds[:, 3] + 2 > top)
        return np.nonzero(seen)[0]

    def label_rows(self, left: float, top: float, right: float, bottom: float) -> list[int]:
        """Of each output the row of the wire that carries its shape, if the middle of that lies in a rectangle."""
        if self._labelled[0] != self.version:
            order = np.lexsort((-self.middles[:, 2], self.skips, self._outputs))
            first = np.ones(len(order), bool)
            first[1:] = np.diff(self._outputs[order]) != 0
            rows = order[first]
            self._labelled = self.version, rows[~self.skips[rows]]
        rows = self._labelled[1]
        x, y = self.middles[rows, 0], self.middles[rows, 1]
        return rows[(x >= left) & (x <= right) & (y >= top) & (y <= bottom)].tolist()

    def node_at(self, x: float, y: float) -> str | None:
        """The node under a point, the uppermost of several."""
        rects = self.rects
        hit = (rects[:, 0] <= x) & (rects[:, 2] >= x) & (rects[:, 1] <= y) & (rects[:, 3] >= y)
        rows = np.nonzero(hit)[0]
        return self.ids[rows[-1]] if len(rows) else None

    def port_at(self, x: float, y: float, reach: float, *, inputs: bool | None = None) -> PortPlace | None:
        """The port nearest to a point and within reach; `inputs` restricts it to inputs or to outputs."""
        if not len(self.ports):
            return None
        distance = np.hypot(self.port_points[:, 0] - x, self.port_points[:, 1] - y)
        if inputs is not None:
            distance = np.where(self.port_inputs == inputs, distance, np.inf)
        row = int(np.argmin(distance))
        return self.ports[row] if distance[row] <= reach else None

    def wire_at(self, x: float, y: float, reach: float) -> Wire | None:
        """The wire nearest to a point and within reach."""
        best, found = reach, None
        for row in self.seen_wires(x - reach, y - reach, x + reach, y + reach).tolist():
            distance = _distance(self.lines[row], x, y)
            if distance <= best:
                best, found = distance, self.wires[row]
        return found

    def nodes_in(self, left: float, top: float, right: float, bottom: float) -> list[str]:
        """The nodes that a rubber band touches."""
        rects = self.rects
        hit = (rects[:, 0] <= right) & (rects[:, 2] >= left) & (rects[:, 1] <= bottom) & (rects[:, 3] >= top)
        return [self.ids[row] for row in np.nonzero(hit)[0].tolist()]

    def ports_of(self, id: str) -> list[PortPlace]:
        """The ports of a node, inputs first."""
        return [self.ports[row] for row in self.port_rows[self.index[id]]]

    def port(self, node: str, port: str, *, is_input: bool, order: int = 0) -> PortPlace | None:
        """A port by its names."""
        if node not in self.index:
            return None
        places = [p for p in self.ports_of(node) if p.port == port and p.is_input == is_input]
        return next((p for p in places if p.order == order), places[0] if places else None)

    # How it is kept

    def _follow(self, level: Level, reports: Mapping[str, NodeReport]) -> bool:
        """Follow changes that leave all wires and ports in their rows; False when it takes more."""
        moved: list[int] = []
        self._changed = False
        for row, id in enumerate(self.ids):
            node, report = level.nodes[id], reports.get(id)
            if node is self.nodes[row] and report is self.reports[row]:
                continue
            box = self._box(row, node, level.incoming(id), report)
            old = self.boxes[row]
            if box is not old and (box.inputs, box.outputs) != (old.inputs, old.outputs):
                return False
            x, y = node.position
            if box.width != old.width or box.height != old.height or (x, y) != tuple(self.rects[row, :2]):
                moved.append(row)
            self.nodes[row], self.reports[row], self.boxes[row] = node, report, box
            self._changed = True
        if moved:
            old_rects = self.rects[moved].copy()
            for row in moved:
                self._place(row, *self.nodes[row].position)
            self._reroute(moved, old_rects)
            self.places_version += 1
        self.version += self._changed
        return True

    def _box(self, row: int, node: Node, wires: tuple[Wire, ...], report: NodeReport | None) -> Box:
        """The measure of a node, the old one where nothing that counts has changed."""
        old, said = self.nodes[row], self.reports[row]
        values, before = (report.params if report else EMPTY), (said.params if said else EMPTY)
        same = wires is self._incoming[row] and node.title == old.title and node.params is old.params
        if same and node.level is old.level and node.block == old.block and values == before:
            return self.boxes[row]
        return measure(node, wires, values)

    def _build(self, level: Level, reports: Mapping[str, NodeReport]) -> None:
        """Lay out the whole level, keeping what is known of nodes and wires that are the same."""
        same = level is self._level
        before, old_rects = dict(self.index), self.rects
        old_routes = self._routes() if same else {}
        boxes: list[Box] = []
        for id, node in level.nodes.items():
            row = before.get(id, -1)
            if row >= 0 and same:
                boxes.append(self._box(row, node, level.incoming(id), reports.get(id)))
            else:
                report = reports.get(id)
                boxes.append(measure(node, level.incoming(id), report.params if report else EMPTY))
        self._level, self._structure = level, level.structure
        self.ids, self.nodes = list(level.nodes), list(level.nodes.values())
        self.index = {id: row for row, id in enumerate(self.ids)}
        self.reports = [reports.get(id) for id in self.ids]
        self._incoming = [level.incoming(id) for id in self.ids]
        self.boxes = boxes
        corners = np.array([node.position for node in self.nodes], float).reshape(-1, 2)
        sizes = np.array([(box.width, box.height) for box in boxes], float).reshape(-1, 2)
        self.rects = np.concatenate([corners, corners + sizes], axis=1)
        self._build_ports()
        self._build_wires(level, old_routes, _differing(before, old_rects, self.index, self.rects))
        self.version += 1
        self.places_version += 1
        self.rows_version += 1

    def _build_ports(self) -> None:
        self.ports, self.port_rows = [], []
        for row, (id, box) in enumerate(zip(self.ids, self.boxes, strict=True)):
            left, top, right, _ = self.rects[row].tolist()
            first = len(self.ports)
            self.ports += [PortPlace(id, slot.port, slot.order, True, left, top + slot.y) for slot in box.inputs]
            self.ports += [PortPlace(id, slot.port, slot.order, False, right, top + slot.y) for slot in box.outputs]
            self.port_rows.append(range(first, len(self.ports)))
        self.port_points = np.array([(place.x, place.y) for place in self.ports], float).reshape(-1, 2)
        self.port_inputs = np.array([place.is_input for place in self.ports], bool)

    def _build_wires(self, level: Level, known: dict[Wire, tuple[Any, ...]], differing: Array) -> None:
        self.wires = [wire for wires in self._incoming for wire in wires]
        self.wire_index = {wire: row for row, wire in enumerate(self.wires)}
        index = self.index
        self.wire_nodes = np.array([(index[w.source], index[w.target]) for w in self.wires], np.intp).reshape(-1, 2)
        self._touching = [[] for _ in self.ids]
        for row, (source, target) in enumerate(self.wire_nodes.tolist()):
            self._touching[source].append(row)
            self._touching[target].append(row)
        numbers: dict[tuple[str, str], int] = {}
        outputs = [numbers.setdefault((w.source, w.output), len(numbers)) for w in self.wires]
        self._outputs = np.array(outputs, np.intp)
        ranks = _ranks(level, self.ids)
        self.skips = np.array([ranks[w.target] - ranks[w.source] > 1 for w in self.wires], bool)
        count = len(self.wires)
        self.lines = [np.zeros((0, 2))] * count
        self.middles, self.wire_bounds = np.zeros((count, 3)), np.zeros((count, 4))
        self._lanes, self._stale = Lanes(count), {}
        fresh: list[int] = []
        for row, wire in enumerate(self.wires):
            kept = known.get(wire)
            if kept is None or kept[0] != self._ends(row) or _meets(kept[3], differing):
                fresh.append(row)
                continue
            self.lines[row], self.middles[row], self.wire_bounds[row] = kept[1:4]
            if kept[4] is not None:
                self._lanes.take(row, self._span(row), kept[4])
        self._lay_direct(fresh)

    def _routes(self) -> dict[Wire, tuple[Any, ...]]:
        """Per wire: ends, line, middle, bounds, lane; those still to be found are left out."""
        return {
            wire: (self._ends(row), self.lines[row], self.middles[row], self.wire_bounds[row], self._lanes.lane(row))
            for row, wire in enumerate(self.wires)
            if row not in self._stale
        }

    def _place(self, row: int, x: float, y: float) -> None:
        box = self.boxes[row]
        self.rects[row] = (x, y, x + box.width, y + box.height)
        for port in self.port_rows[row]:
            place = self.ports[port]
            slots = box.inputs if place.is_input else box.outputs
            slot = next(slot for slot in slots if (slot.port, slot.order) == (place.port, place.order))
            moved = PortPlace(
                place.node, place.port, place.order, place.is_input, x if place.is_input else x + box.width, y + slot.y
            )
            self.ports[port] = moved
            self.port_points[port] = (moved.x, moved.y)

    def _reroute(self, rows: list[int], old_rects: Array) -> None:
        """Lay the wires of nodes that have moved, and those that must make room or need a detour no more."""
        concerned = {wire for row in rows for wire in self._touching[row]}
        if len(rows) <= MANY:
            for rect in np.concatenate([old_rects, self.rects[rows]]).tolist():
                concerned.update(self.seen_wires(*rect).tolist())
        else:
            concerned = set(range(len(self.wires)))
        self.version += 1
        self._lay_direct(sorted(concerned))

    def _lay_direct(self, rows: list[int], *, settle: bool = True) -> None:
        if not rows:
            return
        ends = np.array([self._ends(row) for row in rows], float)
        spans = np.abs(ends[:, 1] - ends[:, 0]).sum(axis=1).tolist()
        gaps = (ends[:, 1, 0] - ends[:, 0, 0]).tolist()
        for row, points, gap, span in zip(rows, curves(ends[:, 0], ends[:, 1]), gaps, spans, strict=True):
            self._lanes.free(row)
            self._lay(row, points, (*points[len(points) // 2], gap))
            if settle:
                self._stale[row] = span

    def _lay(self, row: int, points: Array, middle: tuple[float, ...]) -> None:
        self.lines[row] = points
        self.middles[row] = middle
        self.wire_bounds[row, :2] = points.min(axis=0)
        self.wire_bounds[row, 2:] = points.max(axis=0)

    def _span(self, row: int) -> Span:
        """What a wire connects, and which others reach its target beside it."""
        start, end = self._ends(row)
        source, target = self.wire_nodes[row].tolist()
        box = self.boxes[target]
        places = [slot.y for w in self._incoming[target] if (slot := box.input(w.input, w.order)) is not None]
        height = end[1] - float(self.rects[target, 1])
        return Span(start, end, source, target, any(y < height for y in places), any(y > height for y in places))

    def _ends(self, row: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where a wire begins and ends; one at a port that is not there ends beside the title."""
        wire = self.wires[row]
        source, target = self.index[wire.source], self.index[wire.target]
        output, input = self.boxes[source].output(wire.output), self.boxes[target].input(wire.input, wire.order)
        _, top, right, _ = self.rects[source].tolist()
        left, target_top, _, _ = self.rects[target].tolist()
        return (
            (right, top + (output.y if output else HEADER / 2)),
            (left, target_top + (input.y if input else HEADER / 2)),
        )


def _distance(line: Array, x: float, y: float) -> float:
    """How far a point is from a line of points."""
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-9)
    along = np.clip(((x - start[:, 0]) * step[:, 0] + (y - start[:, 1]) * step[:, 1]) / length, 0.0, 1.0)
    return float(np.hypot(start[:, 0] + along * step[:, 0] - x, start[:, 1] + along * step[:, 1] - y).min())


def _differing(before: dict[str, int], old: Array, after: dict[str, int], new: Array) -> Array:
    """The rectangles that nodes have left or taken."""
    found = [new[row] for id, row in after.items() if id not in before or (old[before[id]] != new[row]).any()]
    found += [old[row] for id, row in before.items() if id not in after or (old[row] != new[after[id]]).any()]
    return np.array(found).reshape(-1, 4)


def _meets(bounds: Array, rects: Array) -> bool:
    meets = (rects[:, 0] < bounds[2]) & (rects[:, 2] > bounds[0])
    return bool((meets & (rects[:, 1] < bounds[3]) & (rects[:, 3] > bounds[1])).any())


def _ranks(level: Level, ids: list[str]) -> dict[str, int]:
    """How many wires lead to each node at most."""
    waiting = {id: len(level.incoming(id)) for id in ids}
    ready = [id for id, count in waiting.items() if not count]
    ranks = dict.fromkeys(ids, 0)
    while ready:
        id = ready.pop()
        for wire in level.outgoing(id):
            ranks[wire.target] = max(ranks[wire.target], ranks[id] + 1)
            waiting[wire.target] -= 1
            if not waiting[wire.target]:
                ready.append(wire.target)
    return ranks
