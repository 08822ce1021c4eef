"""One level as the canvas sees it: what is seen, what is hit, where wires run. Numpy arrays, no Qt."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from math import hypot
from weakref import WeakKeyDictionary

import numpy as np

from app.canvas.arrays import MANY, LevelArrays, PortPlace, Rows
from app.canvas.curves import Array
from app.canvas.routes import route
from graph.comments import Comment
from graph.document import Level, Wire
from graph.issues import LevelReport

__all__ = ["LevelGeometry", "PortPlace", "Rows", "prepare"]

SPARE = 12.0
"""How far beyond its rectangle a node may paint: ports, outlines, the cards of a stack, badges."""
ABOVE = 20.0
"""How far above its rectangle something may be written about a node."""


class LevelGeometry(LevelArrays):
    """Where everything on a level lies.

    `update` brings it up to date at the cost of what changed. Detours of wires are found by `settle`, a slice of time
    at once; until then a wire has its direct curve.
    """

    def __init__(self) -> None:
        super().__init__()
        self._labelled: tuple[int, Rows] = (-1, np.zeros(0, np.intp))
        self._by_output: tuple[int, Rows, Rows] = (-1, np.zeros(0, np.intp), np.zeros(0, np.intp))
        self.comments: Mapping[str, Comment] = {}
        """The frames and notes as they are shown: during a drag elsewhere than the document has them."""
        self._written: Mapping[str, Comment] = {}

    def update(self, level: Level, report: LevelReport | None, linked: frozenset[str] = frozenset()) -> bool:
        """Follow the level, of which some nodes share weights with others; returns whether anything has changed."""
        ready = _ready.pop(level, None) if level is not self._level else None
        if ready is not None:
            versions = (self.version + 1, self.places_version + 1, self.rows_version + 1)
            self.__dict__.update(ready.__dict__)
            self.version, self.places_version, self.rows_version = versions
            self._labelled = (-1, np.zeros(0, np.intp))
            self._by_output = (-1, *self._by_output[1:])
        changed = super().update(level, report, linked) or ready is not None
        if level.comments is not self._written:
            self.comments = self._written = level.comments
            self.version += 1
            self.places_version += 1
            return True
        return changed

    def hold(self, comments: Iterable[Comment]) -> None:
        """Show some frames and notes elsewhere than the document has them, for a drag; none when it is over."""
        held = {comment.id: comment for comment in comments}
        self.comments = {**self._written, **held} if held else self._written
        self.places_version += 1

    def home_rects(self) -> dict[str, tuple[float, float, float, float]]:
        """Of every node left, top, right and bottom where the document has it."""
        places = zip(self.nodes, self.boxes, strict=True)
        corners = ((node.id, *node.position, box) for node, box in places)
        return {id: (x, y, x + box.width, y + box.height) for id, x, y, box in corners}

    # Drags and detours

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
            self._shifted.difference_update(rows)
            self._reroute(rows, np.array(homes).reshape(-1, 4))
            self.places_version += 1
            return
        self._shifted.update(rows)
        self.version += 1
        self.places_version += 1
        self._lay_direct(self.wires_of(rows), settle=len(rows) <= MANY)

    def show_at(self, places: Mapping[str, tuple[float, float]]) -> None:
        """Show nodes at places of their own, on their way; `shift` by nothing puts them in place again."""
        rows = [self.index[id] for id in places if id in self.index]
        for row in rows:
            self._place(row, *places[self.ids[row]])
        self._shifted.update(rows)
        self.version += 1
        self.places_version += 1
        self._lay_direct(self.wires_of(rows), settle=False)

    def area_of(self, ids: Iterable[str]) -> tuple[float, float, float, float] | None:
        """The rectangle around nodes, what they paint beside themselves, and their wires."""
        rows = [self.index[id] for id in ids if id in self.index]
        bounds = self.bounds(ids)
        if bounds is None:
            return None
        left, top, right, bottom = bounds[0] - SPARE, bounds[1] - ABOVE, bounds[2] + SPARE, bounds[3] + SPARE
        wires = self.wires_of(rows)
        dots = self.wire_nodes[wires].ravel()
        dots = dots[self.dots[dots]]
        if len(dots):  # they may turn, and their other wires with them
            wires = np.union1d(wires, self.wires_of(dots.tolist()))
        if len(wires):
            around = self.wire_bounds[wires]
            left, top = min(left, around[:, 0].min()), min(top, around[:, 1].min())
            right, bottom = max(right, around[:, 2].max()), max(bottom, around[:, 3].max())
        return float(left), float(top), float(right), float(bottom)

    def settle(self, rows: Iterable[int] | None = None, seconds: float = 0.008) -> bool:
        """Find detours of wires that are in the way of nodes, of some rows or of all; returns whether that is done."""
        waiting = self.waiting(np.arange(len(self.wires)) if rows is None else np.array(list(rows), np.intp))
        if not len(waiting):
            return True
        self.version += 1
        deadline = time.perf_counter() + seconds
        ends = self.ends[waiting]
        spans = np.abs(ends[:, 2] - ends[:, 0]) + np.abs(ends[:, 3] - ends[:, 1])
        queue = waiting[np.argsort(spans, kind="stable")].tolist()  # short ones first
        for done, row in enumerate(queue, start=1):
            span = self._span(row)
            found = route(span, self.rects, self._lanes)
            self._lay(row, found.points, (*found.middle, found.room))
            if found.lane is not None:
                self._lanes.take(row, span, found.lane)
            self._stale[row] = False
            if time.perf_counter() > deadline:
                return done == len(queue)
        return True

    def waiting(self, rows: Rows) -> Rows:
        """Those of some wires that nobody has looked for a detour for yet."""
        return rows[self._stale[rows]]

    def relabelled(self) -> Rows:
        """The rows of wires that carry a shape now and did not when that was asked last, or no longer do.

        None where nodes or wires have come or gone since.
        """
        if self._by_output[0] != self.rows_version:
            return np.zeros(0, np.intp)
        before = self._labelled[1]
        return np.setxor1d(before, self._labels(), assume_unique=True)

    # What is where

    def bounds(self, ids: Iterable[str] | None = None) -> tuple[float, float, float, float] | None:
        """Left, top, right and bottom of some nodes (by default all, with frames and notes), or None without any."""
        rows = range(len(self.ids)) if ids is None else [self.index[id] for id in ids if id in self.index]
        if ids is None and self.comments:
            around = np.concatenate([self.rects, np.array([one.rect for one in self.comments.values()])])
            low, high = around[:, :2].min(axis=0).tolist(), around[:, 2:].max(axis=0).tolist()
            return low[0], low[1], high[0], high[1]
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
        rows = self._labels()
        x, y = self.middles[rows, 0], self.middles[rows, 1]
        return rows[(x >= left) & (x <= right) & (y >= top) & (y <= bottom)].tolist()

    def _labels(self) -> Rows:
        if self._labelled[0] != self.version:
            self._labelled = self.version, self._straightest()
        return self._labelled[1]

    def _straightest(self) -> Rows:
        """Of each output the row of the wire with the most room for its shape; skips have none."""
        if self._by_output[0] != self.rows_version:
            order = np.argsort(self._outputs, kind="stable")
            starts = np.nonzero(np.diff(self._outputs[order], prepend=-1))[0]
            self._by_output = self.rows_version, order, starts
        _, order, starts = self._by_output
        if not len(order):
            return order
        room = np.where(self.skips, -np.inf, self.middles[:, 2])[order]
        best = np.repeat(np.maximum.reduceat(room, starts), np.diff(starts, append=len(order)))
        found = order[(room == best) & (room > -np.inf)]
        outputs = self._outputs[found]
        return found[np.diff(outputs, prepend=-1) != 0]

    def node_at(self, x: float, y: float) -> str | None:
        """The node under a point, the uppermost of several."""
        rects = self.rects
        hit = (rects[:, 0] <= x) & (rects[:, 2] >= x) & (rects[:, 1] <= y) & (rects[:, 3] >= y)
        rows = np.nonzero(hit)[0]
        return self.ids[rows[-1]] if len(rows) else None

    def port_at(self, x: float, y: float, reach: float, *, inputs: bool | None = None) -> PortPlace | None:
        """The port nearest to a point and within reach; `inputs` restricts it to inputs or to outputs."""
        rects = self.rects
        close = (rects[:, 0] - reach <= x) & (rects[:, 2] + reach >= x)
        close &= (rects[:, 1] - reach <= y) & (rects[:, 3] + reach >= y)  # ports lie on the edges of their node
        best, found = reach, None
        for row in np.nonzero(close)[0].tolist():
            for place in self.places_of(row):
                distance = hypot(place.x - x, place.y - y)
                nearer = distance < best or (found is None and distance == best)
                if nearer and (inputs is None or place.is_input == inputs):
                    best, found = distance, place
        return found

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
        return self.places_of(self.index[id])

    def port(self, node: str, port: str, *, is_input: bool, order: int = 0) -> PortPlace | None:
        """A port by its names."""
        if node not in self.index:
            return None
        places = [p for p in self.ports_of(node) if p.port == port and p.is_input == is_input]
        return next((p for p in places if p.order == order), places[0] if places else None)


def prepare(level: Level, report: LevelReport | None) -> None:
    """Lay a large level out before it is shown; may be called in any thread."""
    geometry = LevelGeometry()
    geometry.update(level, report)
    _ready[level] = geometry


_ready: WeakKeyDictionary[Level, LevelGeometry] = WeakKeyDictionary()


def _distance(line: Array, x: float, y: float) -> float:
    """How far a point is from a line of points."""
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-9)
    along = np.clip(((x - start[:, 0]) * step[:, 0] + (y - start[:, 1]) * step[:, 1]) / length, 0.0, 1.0)
    return float(np.hypot(start[:, 0] + along * step[:, 0] - x, start[:, 1] + along * step[:, 1] - y).min())
