"""Which row a wire had before an edit, and which are in the way of it, so that the others are carried over. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.canvas.curves import Array
from graph.document import Wire

Rows = NDArray[np.intp]
MANY = 40
"""Nodes that are too many to look for all wires that must make room for them."""


def rows_before(
    earlier: Rows,
    old_first: Rows,
    first: Rows,
    counts: Rows,
    incoming: list[tuple[Wire, ...]],
    old_incoming: list[tuple[Wire, ...]],
    is_rewired: NDArray[np.bool_],
) -> Rows:
    """Of every wire the row that it had before, -1 for a new one."""
    found = np.full(int(first[-1]), -1, np.intp)
    alike = np.nonzero(~is_rewired)[0]
    rows = np.nonzero(np.repeat(~is_rewired, counts))[0]
    found[rows] = rows + np.repeat(old_first[earlier[alike]] - first[alike], counts[alike])
    for node in np.nonzero(is_rewired & (earlier >= 0))[0].tolist():
        old = int(earlier[node])
        places = {wire: place for place, wire in enumerate(old_incoming[old])}
        for place, wire in enumerate(incoming[node]):
            if wire in places:
                found[first[node] + place] = old_first[old] + places[wire]
    return found


def meeting(bounds: Array, rects: Array) -> NDArray[np.bool_]:
    """Which bounds meet one of some rectangles; where these are very many, it does not look closely."""
    if len(rects) > 4 * MANY:
        return np.ones(len(bounds), bool)
    found = np.zeros(len(bounds), bool)
    for left, top, right, bottom in rects.tolist():
        found |= (bounds[:, 0] < right) & (bounds[:, 2] > left) & (bounds[:, 1] < bottom) & (bounds[:, 3] > top)
    return found
