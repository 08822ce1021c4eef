"""The arrays of a level and how they are kept: what an edit did not touch is carried over. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, compress, count
from operator import is_not
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.canvas.carrying import MANY, meeting, rows_before
from app.canvas.curves import Array, curves
from app.canvas.measuring import PortPlace, measured, port_places, same_slots
from app.canvas.ranks import follow_ranks
from app.canvas.routes import Lanes, Span
from app.canvas.turned_dots import leftwards, turned
from graph.document import Level, Node, Wire
from graph.issues import LevelReport, NodeReport
from graph.layout import HEADER, Box

Rows = NDArray[np.intp]
EMPTY: Mapping[str, Any] = {}
OUTPUTS = 1 << 20
"""More than there are names of outputs."""


class LevelArrays:
    """Where everything on a level lies, as numpy arrays; their rows follow `ids` and `wires`.

    The wires into a node lie one after another, those of one node after those of the node before it.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.index: dict[str, int] = {}
        self.nodes: list[Node] = []
        self.reports: list[NodeReport | None] = []
        self.boxes: list[Box] = []
        self.rects: Array = np.zeros((0, 4))
        self.wires: list[Wire] = []
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
        self.turned: NDArray[np.bool_] = np.zeros(0, bool)
        """Of every node whether it is a dot with its input on the right, for a wire that leads to the left."""
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
        self._first: Rows = np.zeros(1, np.intp)
        """Of every node the row of the first wire into it."""
        self._heights: Array = np.zeros((0, 2))
        """Of every wire how far below the corners of its nodes its ends lie."""
        self._names: Rows = np.zeros(0, np.intp)
        self._outputs: Rows = np.zeros(0, np.intp)
        """Of every wire the output that it comes from, through dots, as a number."""
        self._ranks: Rows = np.zeros(0, np.intp)
        """Of every node how many wires lead to it one after another at most; dots do not count."""
        self._lanes = Lanes(0)
        self._stale: NDArray[np.bool_] = np.zeros(0, bool)
        """Whether a wire has its direct curve only because nobody has looked for a detour yet."""
        self._shifted: set[int] = set()
        """Nodes that a drag shows elsewhere than they are."""
        self._places: dict[int, list[PortPlace]] = {}
        self._linked: frozenset[str] = frozenset()
        """The nodes that share weights with others, and have a mark that says so."""
        self._relinked: frozenset[str] = frozenset()

    def update(self, level: Level, report: LevelReport | None, linked: frozenset[str] = frozenset()) -> bool:
        """Follow the level, of which some nodes share weights with others; returns whether anything has changed."""
        self._linked, self._relinked = linked, linked ^ self._linked
        reports = report.nodes if report is not None else {}
        if level is not self._level or level.structure != self._structure or not self._follow(level, reports):
            self._build(level, reports)
            return True
        return self._changed

    # What lies where

    def places_of(self, row: int) -> list[PortPlace]:
        """The ports of a node, inputs first."""
        places = self._places.get(row)
        if places is None:
            x, y = self.rects[row, :2].tolist()
            places = port_places(self.ids[row], self.boxes[row], x, y, is_turned=bool(self.turned[row]))
            self._places[row] = places
        return places

    @property
    def ports(self) -> list[PortPlace]:
        """The ports of all nodes."""
        return [place for row in range(len(self.ids)) for place in self.places_of(row)]

    def wire_row(self, wire: Wire | None) -> int | None:
        """The row of a wire; None where it is not."""
        target = self.index.get(wire.target) if wire is not None else None
        if target is None or wire not in self._incoming[target]:
            return None
        return int(self._first[target]) + self._incoming[target].index(wire)

    def touching(self, row: int) -> list[int]:
        """The rows of the wires of a node."""
        return self.wires_of([row]).tolist()

    def wires_of(self, rows: Iterable[int]) -> Rows:
        """The rows of all wires from or to some nodes."""
        is_meant = np.zeros(len(self.ids), bool)
        is_meant[list(rows)] = True
        return np.nonzero(is_meant[self.wire_nodes].any(axis=1))[0]

    # Edits that leave the rows alone

    def _follow(self, level: Level, reports: Mapping[str, NodeReport]) -> bool:
        """Follow changes that leave all wires and ports in their rows; False when it takes more."""
        self._changed = False
        nodes, said = list(level.nodes.values()), list(map(reports.get, self.ids))
        other = set(compress(count(), map(is_not, nodes, self.nodes)))
        other.update(compress(count(), map(is_not, said, self.reports)))
        other.update(self.index[id] for id in self._relinked if id in self.index)
        boxes = {row: self._box(row, nodes[row], level.incoming(self.ids[row]), said[row]) for row in sorted(other)}
        if not all(same_slots(box, self.boxes[row]) for row, box in boxes.items()):
            return False  # and nothing has been followed yet
        moved: list[int] = []
        for row, box in boxes.items():
            old, (x, y) = self.boxes[row], nodes[row].position
            if box.width != old.width or box.height != old.height or (x, y) != tuple(self.rects[row, :2]):
                moved.append(row)
            self.nodes[row], self.reports[row], self.boxes[row] = nodes[row], said[row], box
            self._changed = True
        if moved:
            old_rects = self.rects[moved].copy()
            for row in moved:
                self._place(row, *self.nodes[row].position)
            self._shifted.difference_update(moved)
            self._reroute(moved, old_rects)
            self.places_version += 1
        self.version += self._changed
        return True

    def _box(self, row: int, node: Node, wires: tuple[Wire, ...], report: NodeReport | None) -> Box:
        """The measure of a node, the old one where nothing that counts has changed."""
        old, said, before = self.nodes[row], self.reports[row], self.boxes[row]
        same = wires is self._incoming[row] and node.id not in self._relinked
        if node is old and report is said and same:
            return before
        values, known = (report.params if report else EMPTY), (said.params if said else EMPTY)
        same = same and node.title == old.title and node.params is old.params and node.ties is old.ties
        same &= (node.muted, node.collapsed) == (old.muted, old.collapsed)
        if same and not node.is_group and node.block == old.block and values == known:
            return before
        found = measured(node, wires, report, node.id in self._linked)
        return before if found == before else found

    def _place(self, row: int, x: float, y: float) -> None:
        box = self.boxes[row]
        self.rects[row] = (x, y, x + box.width, y + box.height)
        self._places.pop(row, None)

    def _reroute(self, rows: list[int], old_rects: Array) -> None:
        """Lay the wires of nodes that have moved, and those that must make room or need a detour no more."""
        if len(rows) <= MANY:
            concerned = meeting(self.wire_bounds, np.concatenate([old_rects, self.rects[rows]]))
            concerned[self.wires_of(rows)] = True
        else:
            concerned = np.ones(len(self.wires), bool)
        self.version += 1
        self._lay_direct(np.nonzero(concerned)[0])

    # Edits that change the rows

    def _build(self, level: Level, reports: Mapping[str, NodeReport]) -> None:
        """Lay out the level, keeping what is known of nodes and wires that are the same."""
        if level is not self._level:
            self.ids, self.index, self.nodes, self.reports, self.boxes, self._incoming = [], {}, [], [], [], []
            self.rects, self._ranks = np.zeros((0, 4)), np.zeros(0, np.intp)
            self.wires, self.lines, self._first = [], [], np.zeros(1, np.intp)
            self.wire_bounds, self.turned, self._shifted = np.zeros((0, 4)), np.zeros(0, bool), set()
        ids, nodes = list(level.nodes), list(level.nodes.values())
        said, incoming = list(map(reports.get, ids)), list(map(level.incoming, ids))
        old_rects, old_boxes, old_incoming = self.rects, self.boxes, self._incoming
        if ids == self.ids:
            earlier, index = np.arange(len(ids)), self.index
        else:
            earlier = np.array([self.index.get(id, -1) for id in ids], np.intp)
            index = {id: row for row, id in enumerate(ids)}
        is_rewired, touched = np.zeros(len(ids), bool), earlier < 0
        self._places = {}
        rects = np.empty((len(ids), 4))
        rects[~touched] = old_rects[earlier[~touched]]
        boxes, other, is_rewired[:] = self._carried(earlier, nodes, said, incoming)
        for row in np.nonzero(other)[0].tolist():
            node, old = nodes[row], int(earlier[row])
            if old >= 0:
                box = self._box(old, node, incoming[row], said[row])
                touched[row] = not same_slots(box, old_boxes[old])
            else:
                box = measured(node, incoming[row], said[row], node.id in self._linked)
            boxes[row] = box
            x, y = node.position
            rects[row] = (x, y, x + box.width, y + box.height)
        stayed = np.nonzero(earlier >= 0)[0]
        touched[stayed] |= (rects[stayed] != old_rects[earlier[stayed]]).any(axis=1)
        gone = np.ones(len(old_rects), bool)
        gone[earlier[stayed]] = touched[stayed]
        disturbed = meeting(self.wire_bounds, np.concatenate([rects[touched], old_rects[gone]]))
        self._level, self._structure = level, level.structure
        self.ids, self.index, self.nodes, self.reports, self.boxes = ids, index, nodes, said, boxes
        self.rects, self._incoming, self._shifted = rects, incoming, set()
        self.dots = np.array([box.is_dot for box in boxes], bool)
        ranks = np.where(earlier < 0, 0, self._ranks[earlier] if len(self._ranks) else 0).astype(np.intp)
        self._ranks = follow_ranks(level, index, ranks, np.nonzero(is_rewired)[0].tolist())
        self._build_wires(earlier, old_incoming, is_rewired, disturbed, touched)
        self.version += 1
        self.places_version += 1
        self.rows_version += 1

    def _carried(
        self,
        earlier: Rows,
        nodes: list[Node],
        said: list[NodeReport | None],
        incoming: list[tuple[Wire, ...]],
    ) -> tuple[list[Box], NDArray[np.bool_], NDArray[np.bool_]]:
        """The boxes as they were, for which rows that may hold no more, and which rows have other wires."""
        olds: list[list[Any]] = [self.boxes, self.nodes, self.reports, self._incoming]
        if not (len(earlier) == len(self.ids) and (earlier == np.arange(len(earlier))).all()):
            rows = earlier.tolist()
            olds = [[old[row] if row >= 0 else None for row in rows] for old in olds]
        boxes, old_nodes, old_said, old_incoming = olds
        is_rewired = np.fromiter(map(is_not, incoming, old_incoming), bool, len(nodes))
        other = np.fromiter(map(is_not, nodes, old_nodes), bool, len(nodes))
        other |= np.fromiter(map(is_not, said, old_said), bool, len(nodes))
        other |= is_rewired | (earlier < 0)
        if self._relinked:
            other |= np.fromiter((node.id in self._relinked for node in nodes), bool, len(nodes))
        if self._shifted:
            other |= np.isin(earlier, list(self._shifted))
        return list(boxes), other, is_rewired

    def _build_wires(
        self,
        earlier: Rows,
        old_incoming: list[tuple[Wire, ...]],
        is_rewired: NDArray[np.bool_],
        disturbed: NDArray[np.bool_],
        touched: NDArray[np.bool_],
    ) -> None:
        """Lay the wires anew that were disturbed or whose nodes were touched, and carry the others over."""
        counts = np.array(list(map(len, self._incoming)), np.intp)
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        total = int(first[-1])
        before = rows_before(earlier, self._first, first, counts, self._incoming, old_incoming, is_rewired)
        self.wires = list(chain.from_iterable(self._incoming))
        had, new = np.nonzero(before >= 0)[0], np.nonzero(before < 0)[0]
        old = before[had]
        row_now = np.full(int(earlier.max(initial=-1)) + 2, -1)
        row_now[earlier] = np.arange(len(earlier))
        nodes = np.empty((total, 2), np.intp)
        nodes[:, 1] = np.repeat(np.arange(len(counts)), counts)
        nodes[had, 0] = row_now[self.wire_nodes[old, 0]] if len(old) else 0
        nodes[new, 0] = [self.index[self.wires[row].source] for row in new.tolist()]
        heights, names = np.zeros((total, 2)), np.zeros(total, np.intp)
        heights[had], names[had] = (self._heights[old], self._names[old]) if len(old) else (0.0, 0)
        names[new] = [_number(self.wires[row].output) for row in new.tolist()]
        kept = before >= 0
        kept[had] = ~disturbed[old]
        ways, turned_before = turned(self.dots, self.rects, nodes), np.zeros(len(counts), bool)
        turned_before[earlier >= 0] = self.turned[earlier[earlier >= 0]]
        kept &= ~(touched | (ways != turned_before))[nodes].any(axis=1)
        self.turned = ways
        rows, old_rows = np.nonzero(kept)[0], before[kept]
        ends, middles, bounds = np.zeros((total, 4)), np.zeros((total, 3)), np.zeros((total, 4))
        stale, lanes = np.zeros(total, bool), Lanes(total)
        lines = [_NOWHERE] * total
        if len(rows):
            ends[rows], middles[rows] = self.ends[old_rows], self.middles[old_rows]
            bounds[rows], stale[rows] = self.wire_bounds[old_rows], self._stale[old_rows]
            for row, old_row in zip(rows.tolist(), old_rows.tolist(), strict=True):
                lines[row] = self.lines[old_row]
            lanes.carry(rows, self._lanes, old_rows, nodes[rows, 0])
        self._first, self.wire_nodes, self._names, self._heights = first, nodes, names, heights
        self._outputs = nodes[:, 0] * OUTPUTS + names
        self.skips = self._ranks[nodes[:, 1]] - self._ranks[nodes[:, 0]] > 1
        for row in np.nonzero(self.dots[nodes].any(axis=1))[0].tolist():
            self._see_through_dots(row)
        self.ends, self.middles, self.wire_bounds, self.lines = ends, middles, bounds, lines
        self._stale, self._lanes = stale, lanes
        for row in np.nonzero((before < 0) | touched[nodes].any(axis=1))[0].tolist():
            heights[row] = self._slots_of(row)
        self._lay_direct(np.nonzero(~kept)[0])

    def _see_through_dots(self, row: int) -> None:
        """Say of a wire at a dot what holds of the whole wire that the dot lies on."""
        assert self._level is not None
        first = last = self.wires[row]
        while self._level.nodes[first.source].is_dot and (before := self._level.incoming(first.source)):
            first = before[0]
        while self._level.nodes[last.target].is_dot and (onwards := self._level.outgoing(last.target)):
            last = min(onwards, key=lambda wire: (self._ranks[self.index[wire.target]], self.index[wire.target]))
        self._outputs[row] = self.index[first.source] * OUTPUTS + _number(first.output)
        source, target = int(self.wire_nodes[row, 0]), self.index[last.target]
        self.skips[row] = self._ranks[target] - self._ranks[source] > (0 if self.dots[source] else 1)

    def _lay_direct(self, rows: Rows, *, settle: bool = True) -> None:
        """Give wires their direct curve until, with `settle`, a detour is found for them."""
        rows = self._turn_dots(rows)
        if not len(rows):
            return
        sources, targets = self.rects[self.wire_nodes[rows, 0]], self.rects[self.wire_nodes[rows, 1]]
        heights = self._heights[rows]
        ends = np.stack(
            [sources[:, 2], sources[:, 1] + heights[:, 0], targets[:, 0], targets[:, 1] + heights[:, 1]], axis=1
        )
        leaves, comes = self.turned[self.wire_nodes[rows, 0]], self.turned[self.wire_nodes[rows, 1]]
        ends[leaves, 0], ends[comes, 2] = sources[leaves, 0], targets[comes, 2]
        lines = curves(ends[:, :2], ends[:, 2:])
        self.ends[rows] = ends
        points = lines.shape[1]
        self.middles[rows, :2] = (lines[:, (points - 1) // 2] + lines[:, points // 2]) / 2
        self.middles[rows, 2] = ends[:, 2] - ends[:, 0]
        self.wire_bounds[rows, :2], self.wire_bounds[rows, 2:] = lines.min(axis=1), lines.max(axis=1)
        self._lanes.free(rows)
        for row, line in zip(rows.tolist(), lines, strict=True):
            self.lines[row] = line
        if settle:
            self._stale[rows] = True
        for place in np.nonzero(leaves | comes)[0].tolist():
            x, y, far, low = ends[place].tolist()
            ways = {"leaves_left": bool(leaves[place]), "comes_right": bool(comes[place])}
            self._lay(int(rows[place]), *leftwards((x, y), (far, low), **ways))
            self._stale[rows[place]] = False

    def _turn_dots(self, rows: Rows) -> Rows:
        """Turn dots at some wires the way that these lead; returns the wires and those of dots that have turned."""
        asked = np.unique(self.wire_nodes[rows])
        asked = asked[self.dots[asked]]
        if not len(asked):
            return rows
        ways = turned(self.dots, self.rects, self.wire_nodes, asked)
        changed = asked[ways[asked] != self.turned[asked]]
        if not len(changed):
            return rows
        self.turned[changed] = ways[changed]
        for row in changed.tolist():
            self._places.pop(row, None)
        return np.union1d(rows, self.wires_of(changed.tolist()))

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

    def _slots_of(self, row: int) -> tuple[float, float]:
        """How far below the corners of its nodes a wire ends; one at a port that is not there ends beside the title."""
        wire = self.wires[row]
        source, target = self.wire_nodes[row].tolist()
        output, input = self.boxes[source].output(wire.output), self.boxes[target].input(wire.input, wire.order)
        return output.y if output else HEADER / 2, input.y if input else HEADER / 2


def _number(output: str) -> int:
    return _numbers.get(output) or _numbers.setdefault(output, next(_counter))


_counter = count(1)
_numbers: dict[str, int] = {}
"""Names of outputs → numbers, the same for all levels."""
_NOWHERE: Array = np.zeros((0, 2))
