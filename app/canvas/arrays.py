"""The arrays of a level and how they are kept: what an edit did not touch is carried over. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.canvas.curves import Array, curves, half_way
from app.canvas.routes import Lanes, Span
from graph.document import Level, Node, Wire
from graph.issues import LevelReport, NodeReport
from graph.layout import HEADER, Box, measure

Rows = NDArray[np.intp]
MANY = 40
"""Nodes that are too many to look for all wires that must make room for them."""
EMPTY: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class PortPlace:
    """A port on the canvas: whose, which, and where."""

    node: str
    port: str
    order: int
    is_input: bool
    x: float
    y: float


class LevelArrays:
    """Where everything on a level lies, as numpy arrays; their rows follow `ids` and `wires`."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.index: dict[str, int] = {}
        self.nodes: list[Node] = []
        self.reports: list[NodeReport | None] = []
        self.boxes: list[Box] = []
        self.rects: Array = np.zeros((0, 4))
        self.ports: list[PortPlace] = []
        self.port_rows: list[range] = []
        self.port_points: Array = np.zeros((0, 2))
        self.port_inputs: NDArray[np.bool_] = np.zeros(0, bool)
        self.wires: list[Wire] = []
        self.wire_index: dict[Wire, int] = {}
        self.wire_nodes: Rows = np.zeros((0, 2), np.intp)
        self.ends: Array = np.zeros((0, 4))
        """Of every wire x and y of its output and of its input."""
        self.lines: list[Array] = []
        self.middles: Array = np.zeros((0, 3))
        """Of every wire the place for a label, and how much room there is."""
        self.wire_bounds: Array = np.zeros((0, 4))
        self.skips: NDArray[np.bool_] = np.zeros(0, bool)
        """Of every wire whether a longer way leads to its target."""
        self.dots: NDArray[np.bool_] = np.zeros(0, bool)
        """Of every node whether it is but a dot on a wire."""
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
        """Of every wire the output that it comes from, through dots, as a number."""
        self._lanes = Lanes(0)
        self._stale: dict[int, float] = {}
        """Wires that have their direct curve for now → how far they span; short ones are settled first."""

    def update(self, level: Level, report: LevelReport | None) -> bool:
        """Follow the level; returns whether anything has changed."""
        reports = report.nodes if report is not None else {}
        if level is not self._level or level.structure != self._structure or not self._follow(level, reports):
            self._build(level, reports)
            return True
        return self._changed

    def touching(self, row: int) -> list[int]:
        """The rows of the wires of a node."""
        return self._touching[row]

    # Edits that leave the rows alone

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
        if node is old and report is said and wires is self._incoming[row]:
            return self.boxes[row]
        values, before = (report.params if report else EMPTY), (said.params if said else EMPTY)
        same = wires is self._incoming[row] and node.title == old.title and node.params is old.params
        if same and node.level is old.level and node.block == old.block and values == before:
            return self.boxes[row]
        return measure(node, wires, values)

    def _place(self, row: int, x: float, y: float) -> None:
        box = self.boxes[row]
        self.rects[row] = (x, y, x + box.width, y + box.height)
        for port, place in zip(self.port_rows[row], _port_places(self.ids[row], box, x, y), strict=True):
            self.ports[port] = place
            self.port_points[port] = (place.x, place.y)

    def _reroute(self, rows: list[int], old_rects: Array) -> None:
        """Lay the wires of nodes that have moved, and those that must make room or need a detour no more."""
        concerned = {wire for row in rows for wire in self._touching[row]}
        if len(rows) <= MANY:
            for left, top, right, bottom in np.concatenate([old_rects, self.rects[rows]]).tolist():
                bounds = self.wire_bounds
                meets = (bounds[:, 0] < right) & (bounds[:, 2] > left) & (bounds[:, 1] < bottom) & (bounds[:, 3] > top)
                concerned.update(np.nonzero(meets)[0].tolist())
        else:
            concerned = set(range(len(self.wires)))
        self.version += 1
        self._lay_direct(sorted(concerned))

    # Edits that change the rows

    def _build(self, level: Level, reports: Mapping[str, NodeReport]) -> None:
        """Lay out the whole level, keeping what is known of nodes and wires that are the same."""
        same = level is self._level
        before, old_rects, old_boxes = (self.index if same else {}), self.rects, self.boxes
        boxes: list[Box] = []
        for id, node in level.nodes.items():
            row, report, wires = before.get(id, -1), reports.get(id), level.incoming(id)
            values = report.params if report is not None else EMPTY
            boxes.append(measure(node, wires, values) if row < 0 else self._box(row, node, wires, report))
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
        earlier = np.array([before.get(id, -1) for id in self.ids], np.intp)
        touched = earlier < 0
        stayed = np.nonzero(~touched)[0]
        touched[stayed] = (self.rects[stayed] != old_rects[earlier[stayed]]).any(axis=1)
        gone = np.ones(len(old_rects) if same else 0, bool)
        gone[earlier[stayed]] = touched[stayed]
        differing = np.concatenate([self.rects[touched], old_rects[: len(gone)][gone]])
        for row, old in zip(stayed.tolist(), earlier[stayed].tolist(), strict=True):
            touched[row] |= self.boxes[row] is not old_boxes[old]
        self._build_wires(level, same, differing, touched)
        self.version += 1
        self.places_version += 1
        self.rows_version += 1

    def _build_ports(self) -> None:
        self.ports, self.port_rows = [], []
        for id, box, (left, top, _, _) in zip(self.ids, self.boxes, self.rects.tolist(), strict=True):
            first = len(self.ports)
            self.ports += _port_places(id, box, left, top)
            self.port_rows.append(range(first, len(self.ports)))
        self.port_points = np.array([(place.x, place.y) for place in self.ports], float).reshape(-1, 2)
        self.port_inputs = np.array([place.is_input for place in self.ports], bool)

    def _build_wires(self, level: Level, same: bool, differing: Array, touched: NDArray[np.bool_]) -> None:
        known = self.wire_index if same else {}
        old_ends, old_lines, old_middles, old_bounds = self.ends, self.lines, self.middles, self.wire_bounds
        old_lanes, old_stale = self._lanes, self._stale
        disturbed = _meeting(old_bounds, differing) if same else np.zeros(0, bool)
        index = self.index
        self.wires = [wire for wires in self._incoming for wire in wires]
        self.wire_index = {wire: row for row, wire in enumerate(self.wires)}
        self.wire_nodes = np.array([(index[w.source], index[w.target]) for w in self.wires], np.intp).reshape(-1, 2)
        self._touching = [[] for _ in self.ids]
        for row, (source, target) in enumerate(self.wire_nodes.tolist()):
            self._touching[source].append(row)
            self._touching[target].append(row)
        numbers: dict[tuple[str, str], int] = {}
        outputs = [numbers.setdefault(_origin(level, w), len(numbers)) for w in self.wires]
        self._outputs = np.array(outputs, np.intp)
        ranks = _ranks(level, self.ids)
        self.skips = np.array([_is_skip(level, ranks, w) for w in self.wires], bool)
        self.dots = np.array([box.is_dot for box in self.boxes], bool)
        count = len(self.wires)
        self.middles, self.wire_bounds = np.zeros((count, 3)), np.zeros((count, 4))
        self.lines = [np.zeros((0, 2))] * count
        self._lanes, self._stale = Lanes(count), {}
        earlier = np.array([known.get(wire, -1) for wire in self.wires], np.intp)
        kept = earlier >= 0
        kept[kept] = ~disturbed[earlier[kept]]
        kept &= ~touched[self.wire_nodes].any(axis=1)
        rows, old_rows = np.nonzero(kept)[0], earlier[kept]
        self.ends = np.zeros((count, 4))
        self.ends[rows] = old_ends[old_rows]
        self.middles[rows], self.wire_bounds[rows] = old_middles[old_rows], old_bounds[old_rows]
        for row, old_row in zip(rows.tolist(), old_rows.tolist(), strict=True):
            self.lines[row] = old_lines[old_row]
            if old_row in old_stale:
                self._stale[row] = old_stale[old_row]
        self._lanes.carry(rows, old_lanes, old_rows, self.wire_nodes[rows, 0])
        self._lay_direct(np.nonzero(~kept)[0].tolist())

    def _lay_direct(self, rows: list[int], *, settle: bool = True) -> None:
        """Give wires their direct curve until, with `settle`, a detour is found for them."""
        if not rows:
            return
        ends = np.array([self._ends(row) for row in rows], float)
        self.ends[rows] = ends
        spans = (np.abs(ends[:, 2] - ends[:, 0]) + np.abs(ends[:, 3] - ends[:, 1])).tolist()
        gaps = (ends[:, 2] - ends[:, 0]).tolist()
        for row, points, gap, span in zip(rows, curves(ends[:, :2], ends[:, 2:]), gaps, spans, strict=True):
            self._lanes.free(row)
            self._lay(row, points, (*half_way(points), gap))
            if settle:
                self._stale[row] = span

    def _lay(self, row: int, points: Array, middle: tuple[float, ...]) -> None:
        self.lines[row] = points
        self.middles[row] = middle
        self.wire_bounds[row, :2] = points.min(axis=0)
        self.wire_bounds[row, 2:] = points.max(axis=0)

    def _span(self, row: int) -> Span:
        """What a wire connects, and which others reach its target beside it."""
        x, y, end_x, end_y = self.ends[row].tolist()
        source, target = self.wire_nodes[row].tolist()
        box = self.boxes[target]
        places = [slot.y for w in self._incoming[target] if (slot := box.input(w.input, w.order)) is not None]
        height = end_y - float(self.rects[target, 1])
        above, below = any(place < height for place in places), any(place > height for place in places)
        return Span((x, y), (end_x, end_y), source, target, above, below)

    def _ends(self, row: int) -> tuple[float, float, float, float]:
        """Where a wire begins and ends; one at a port that is not there ends beside the title."""
        wire = self.wires[row]
        source, target = self.wire_nodes[row].tolist()
        output, input = self.boxes[source].output(wire.output), self.boxes[target].input(wire.input, wire.order)
        return (
            float(self.rects[source, 2]),
            float(self.rects[source, 1]) + (output.y if output else HEADER / 2),
            float(self.rects[target, 0]),
            float(self.rects[target, 1]) + (input.y if input else HEADER / 2),
        )


def _port_places(id: str, box: Box, x: float, y: float) -> list[PortPlace]:
    places = [PortPlace(id, slot.port, slot.order, True, x, y + slot.y) for slot in box.inputs]
    return places + [PortPlace(id, slot.port, slot.order, False, x + box.width, y + slot.y) for slot in box.outputs]


def _meeting(bounds: Array, rects: Array) -> NDArray[np.bool_]:
    """Which bounds meet one of some rectangles."""
    found = np.zeros(len(bounds), bool)
    for left, top, right, bottom in rects.tolist():
        found |= (bounds[:, 0] < right) & (bounds[:, 2] > left) & (bounds[:, 1] < bottom) & (bounds[:, 3] > top)
    return found


def _origin(level: Level, wire: Wire) -> tuple[str, str]:
    """The output that a wire comes from, seen through the dots that it runs through."""
    while level.nodes[wire.source].is_dot and level.incoming(wire.source):
        wire = level.incoming(wire.source)[0]
    return wire.source, wire.output


def _is_skip(level: Level, ranks: Mapping[str, int], wire: Wire) -> bool:
    """Whether a longer way leads to where a wire goes in the end."""
    while level.nodes[wire.target].is_dot and (onwards := level.outgoing(wire.target)):
        wire = onwards[0]
    return ranks[wire.target] - ranks[wire.source] > (0 if level.nodes[wire.source].is_dot else 1)


def _ranks(level: Level, ids: list[str]) -> dict[str, int]:
    """How many wires lead to each node at most; dots do not count."""
    targets: dict[str, list[str]] = {id: [] for id in ids}
    waiting = dict.fromkeys(ids, 0)
    for id in ids:
        for wire in level.incoming(id):
            targets[wire.source].append(id)
            waiting[id] += 1
    ready = [id for id, count in waiting.items() if not count]
    ranks = dict.fromkeys(ids, 0)
    while ready:
        id = ready.pop()
        next_rank = ranks[id] + (0 if level.nodes[id].is_dot else 1)
        for target in targets[id]:
            if next_rank > ranks[target]:
                ranks[target] = next_rank
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return ranks
