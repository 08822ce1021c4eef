"""Wires as the segments that they are painted with, kept while a wire runs as it does.

Short lines are what Qt's raster engine paints fastest: a tenth of the time that one path of them takes.
"""

from __future__ import annotations

from itertools import chain, compress

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF

from app.canvas.curves import Array, coarser, finer
from app.canvas.geometry import LevelGeometry
from app.canvas.remembering import is_overfull
from graph.document import Wire

Area = tuple[float, float, float, float]
"""Left, top, right and bottom in the scene."""
FINE = 1.3
"""With so many pixels to a unit and more, bends would look angular without more points."""
COARSE = ((0.32, 1.2), (0.5, 0.7), (0.85, 0.35))
"""Below so many pixels to a unit bends need no point that lies less than so many units off the line without it."""
OVERLAP = 0.6
"""How far segments reach into one another, so that no seams show; square ends would do too, but take longer."""


class _Stroke:
    """One wire: its points, and its segments with what they cover."""

    __slots__ = ("bounds", "lines", "points")

    def __init__(self, points: Array, line: Array) -> None:
        starts, ends = line[:-1], line[1:]
        self.points = points
        self.bounds = np.concatenate([np.minimum(starts, ends), np.maximum(starts, ends)], axis=1)
        way = ends - starts
        way *= OVERLAP / np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-9)[:, None]
        self.lines = [QLineF(*ends) for ends in np.concatenate([starts - way, ends + way], axis=1).tolist()]


class Strokes:
    """The segments of wires, in as many pieces as a zoom needs; each fineness has its own."""

    def __init__(self) -> None:
        self._by_detail: dict[float, dict[Wire, _Stroke]] = {}
        self._lines: dict[float, dict[Wire, tuple[Array, Array]]] = {}
        self._detail = 0.0
        self._kept: dict[Wire, _Stroke] = {}

    def begin(self, geometry: LevelGeometry, scale: float) -> None:
        """A picture of a level begins with so many pixels to a unit of the scene."""
        coarse = next((spare for below, spare in COARSE if scale < below), 0.0)
        self._detail = -1.0 if scale >= FINE else coarse
        self._kept = self._by_detail.setdefault(self._detail, {})
        for kept in (self._kept, self._lines.setdefault(self._detail, {})):
            if is_overfull(kept, geometry.wires):
                kept.clear()

    def line(self, geometry: LevelGeometry, row: int) -> Array:
        """The points of a wire."""
        wire, points = geometry.wires[row], geometry.lines[row]
        known = self._lines[self._detail].get(wire)
        if known is None or known[0] is not points:
            known = self._lines[self._detail][wire] = (points, self._cut(points))
        return known[1]

    def _cut(self, points: Array) -> Array:
        detail = self._detail
        return finer(points) if detail < 0 else coarser(points, detail) if detail else points

    def whole(self, geometry: LevelGeometry, rows: list[int]) -> list[QLineF]:
        """All segments of wires."""
        return list(chain.from_iterable([self._stroke(geometry, row).lines for row in rows]))

    def pieces(self, geometry: LevelGeometry, rows: list[int], area: Area) -> list[QLineF]:
        """The segments of wires that reach into an area."""
        if not rows:
            return []
        strokes = [self._stroke(geometry, row) for row in rows]
        seen = _meet(np.concatenate([stroke.bounds for stroke in strokes]), area)
        return list(compress(chain.from_iterable([stroke.lines for stroke in strokes]), seen.tolist()))

    def _stroke(self, geometry: LevelGeometry, row: int) -> _Stroke:
        wire, points = geometry.wires[row], geometry.lines[row]
        known = self._kept.get(wire)
        if known is None or known.points is not points:
            known = self._kept[wire] = _Stroke(points, self._cut(points))
        return known


def _meet(bounds: Array, area: Area) -> NDArray[np.bool_]:
    left, top, right, bottom = area
    found: NDArray[np.bool_] = bounds[:, 0] <= right
    found &= bounds[:, 2] >= left
    found &= bounds[:, 1] <= bottom
    found &= bounds[:, 3] >= top
    return found
