"""Where a stroke of the hand crosses wires. Numpy, no Qt."""

from __future__ import annotations

import numpy as np

from app.canvas.curves import Point
from app.canvas.geometry import LevelGeometry
from graph.document import Wire


def crossings(geometry: LevelGeometry, start: Point, end: Point) -> dict[Wire, Point]:
    """The wires that a straight stroke crosses, each with the place where it first does."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    found: dict[Wire, Point] = {}
    for row in geometry.seen_wires(low[0], low[1], high[0], high[1]).tolist():
        line = geometry.lines[row]
        along = _meet(np.asarray(start), np.asarray(end), line[:-1], line[1:])
        if along is not None:
            place = np.asarray(start) + along * (np.asarray(end) - np.asarray(start))
            found[geometry.wires[row]] = (float(place[0]), float(place[1]))
    return found


def _meet(start: np.ndarray, end: np.ndarray, firsts: np.ndarray, seconds: np.ndarray) -> float | None:
    """How far along a stroke it first meets one of the pieces of a line, as a share of the stroke; None for never."""
    stroke, pieces = end - start, seconds - firsts
    turn = stroke[0] * pieces[:, 1] - stroke[1] * pieces[:, 0]
    level = np.abs(turn) < 1e-12
    safe = np.where(level, 1.0, turn)
    way = firsts - start
    along = (way[:, 0] * pieces[:, 1] - way[:, 1] * pieces[:, 0]) / safe
    across = (way[:, 0] * stroke[1] - way[:, 1] * stroke[0]) / safe
    meets = ~level & (along >= 0) & (along <= 1) & (across >= 0) & (across <= 1)
    return float(along[meets].min()) if meets.any() else None
