"""Snapping: what is dragged keeps to the grid and lines up with its neighbours, with thin guides that say with what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPen

from app.canvas.ink import ink
from graph.layout import GRID

if TYPE_CHECKING:
    from app.canvas.arrays import PortPlace
    from app.canvas.curves import Array
    from app.canvas.view import Canvas

REACH, PORT_REACH = 5.0, 7.0
"""How close edges and ports must come to line up, in pixels of the screen."""
SAME = 0.25
OVERHANG = 8.0
"""How far a guide goes beyond what it joins."""
MOST_OWN = 40
"""Of more nodes than these the ports are not looked at."""


@dataclass(frozen=True)
class Guide:
    """A thin line from one point of the drawing to another, level or upright."""

    x: float
    y: float
    end_x: float
    end_y: float


class Snapping:
    """Finds how far nodes are moved for a drag that goes so far.

    Left, centre and right line up with those of the nodes in sight, top, middle and bottom likewise; ports line up with
    the ports that they are wired to, so that the wire is straight.
    """

    def __init__(self, canvas: Canvas, ids: list[str], node: str) -> None:
        """Look at what lies around.

        Args:
            canvas: where it is.
            ids: what is dragged.
            node: the one of them that was pressed; without a neighbour its corner keeps to the grid.
        """
        self._canvas = canvas
        self.guides: list[Guide] = []
        geometry = canvas.geometry_of
        own = [geometry.index[id] for id in ids if id in geometry.index]
        self._corner: tuple[float, float] = geometry.nodes[geometry.index[node]].position
        homes = np.array([(*geometry.nodes[row].position, *_size(canvas, row)) for row in own])
        low, high = homes[:, :2].min(axis=0), (homes[:, :2] + homes[:, 2:]).max(axis=0)
        self._around = (*low.tolist(), *high.tolist())
        seen = geometry.seen_nodes(*canvas.camera.rect_to_scene(canvas.rect().toRectF()))
        self._others = geometry.rects[seen[~np.isin(seen, own)]].copy()
        self._links = self._wired(own) if len(own) <= MOST_OWN else []

    def step(self, way: QPointF, *, is_free: bool) -> tuple[float, float]:
        """How far the nodes go; `is_free` goes along with the pointer and lines nothing up."""
        old = self.guides
        self.guides = []
        if is_free:
            found = float(round(way.x())), float(round(way.y()))
        else:
            zoom = self._canvas.camera.zoom
            across = self._level(way.x(), 0, zoom)
            down = self._straight(way.y(), zoom)
            if down is None:
                down = self._level(way.y(), 1, zoom)
            x, y = self._corner
            dx = across if across is not None else round((x + way.x()) / GRID) * GRID - x
            dy = down if down is not None else round((y + way.y()) / GRID) * GRID - y
            found = dx, dy
            self._guide(dx, dy, is_across=across is not None, is_down=down is not None)
        if old != self.guides:
            self._repaint(old)
            self._repaint(self.guides)
        return found

    def stop(self) -> None:
        """Take the guides away."""
        old, self.guides = self.guides, []
        self._repaint(old)

    def paint(self, painter: QPainter) -> None:
        """Paint the guides, in scene coordinates."""
        if not self.guides:
            return
        pen = QPen(ink().accent, 1.0)
        pen.setCosmetic(True)
        painter.setPen(pen)
        for guide in self.guides:
            painter.drawLine(QPointF(guide.x, guide.y), QPointF(guide.end_x, guide.end_y))

    def _wired(self, own: list[int]) -> list[tuple[float, float, float, float]]:
        """Of each wire that leaves what is dragged: x and y of the port on it, and of the port at the other end."""
        geometry = self._canvas.geometry_of
        inside = set(own)
        found: list[tuple[float, float, float, float]] = []
        for row in own:
            for port in geometry.ports_of(geometry.ids[row]):
                wires = self._wires_at(port.node, port.port, port.order, is_input=port.is_input)
                found += [(port.x, port.y, e.x, e.y) for e in wires if geometry.index[e.node] not in inside]
        return found

    def _wires_at(self, node: str, port: str, order: int, *, is_input: bool) -> list[PortPlace]:
        session, geometry = self._canvas.session, self._canvas.geometry_of
        level, lifted = session.document.level(session.at), self._canvas.looks.lifted
        if is_input:
            wires = [w for w in level.incoming(node) if w.input == port and w.order == order and w not in lifted]
            ends = [geometry.port(wire.source, wire.output, is_input=False) for wire in wires]
        else:
            wires = [w for w in level.outgoing(node) if w.output == port and w not in lifted]
            ends = [geometry.port(wire.target, wire.input, is_input=True, order=wire.order) for wire in wires]
        return [end for end in ends if end is not None]

    def _level(self, way: float, axis: int, zoom: float) -> float | None:
        """The nearest way on which an edge or a middle lines up with that of another node."""
        if not len(self._others):
            return None
        ways = (_lines(self._others, axis) - _lines(np.array([self._around]), axis)).ravel()
        best = int(np.argmin(np.abs(ways - way)))
        return float(ways[best]) if abs(float(ways[best]) - way) <= REACH / zoom else None

    def _straight(self, way: float, zoom: float) -> float | None:
        """The nearest way up or down on which a wire becomes straight."""
        ways = [y - own for _, own, _, y in self._links]
        best = min(ways, key=lambda other: abs(other - way), default=None)
        return best if best is not None and abs(best - way) <= PORT_REACH / zoom else None

    def _guide(self, dx: float, dy: float, *, is_across: bool, is_down: bool) -> None:
        """The lines along which something lies in line now."""
        left, top, right, bottom = self._around
        around = np.array([[left + dx, top + dy, right + dx, bottom + dy]])
        if is_down:
            for x, y, end_x, end_y in self._links:
                if abs(y + dy - end_y) < SAME:
                    self.guides.append(Guide(min(x + dx, end_x), end_y, max(x + dx, end_x), end_y))
        for axis, holds in ((0, is_across), (1, is_down and not self.guides)):
            if not holds or not len(self._others):
                continue
            own, theirs = _lines(around, axis)[0], _lines(self._others, axis)
            for place, line in enumerate(own.tolist()):
                met = self._others[np.abs(theirs[:, place] - line) < SAME]
                if len(met):
                    low = min(float(met[:, 1 - axis].min()), float(around[0, 1 - axis])) - OVERHANG
                    high = max(float(met[:, 3 - axis].max()), float(around[0, 3 - axis])) + OVERHANG
                    self.guides.append(Guide(line, low, line, high) if axis == 0 else Guide(low, line, high, line))

    def _repaint(self, guides: list[Guide]) -> None:
        for guide in guides:
            self._canvas.update_scene(guide.x, guide.y, guide.end_x, guide.end_y)


def _lines(rects: Array, axis: int) -> Array:
    """Of every rectangle the near edge, the middle and the far edge along an axis."""
    low, high = rects[:, axis], rects[:, axis + 2]
    return np.stack([low, (low + high) / 2, high], axis=1)


def _size(canvas: Canvas, row: int) -> tuple[float, float]:
    box = canvas.geometry_of.boxes[row]
    return box.width, box.height
