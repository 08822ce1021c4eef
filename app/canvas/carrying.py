"""Which row a wire had before an edit, so that what is known of it can be carried over. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graph.document import Wire

Rows = NDArray[np.intp]


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
