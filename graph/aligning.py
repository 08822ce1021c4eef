"""Nodes put in line or at even distances: each one command. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from graph.commands import Command, Move, Sequence
from graph.document import Document, EditError, Path
from graph.layout import GRID, Box

Rect = tuple[float, float, float, float]
SIDES: Mapping[str, tuple[int, Callable[[Rect], float]]] = {
    "left": (0, lambda r: r[0]),
    "centre": (0, lambda r: (r[0] + r[2]) / 2),
    "right": (0, lambda r: r[2]),
    "top": (1, lambda r: r[1]),
    "middle": (1, lambda r: (r[1] + r[3]) / 2),
    "bottom": (1, lambda r: r[3]),
}
"""What nodes can have in line: along which axis they move for it, and where it is on a node."""
AXES = {"across": 0, "down": 1}


def align(document: Document, at: Path, ids: Iterable[str], boxes: Mapping[str, Box], side: str) -> Command:
    """Put nodes in line: by their left, centre, right, top, middle or bottom.

    Left, right, top and bottom go to the outermost of them, centre and middle to the middle of all.

    Raises:
        EditError: there are fewer than two.
    """
    rects = _rects(document, at, ids, boxes)
    if len(rects) < 2:
        raise EditError("select two nodes or more to put them in line")
    axis, of = SIDES[side]
    around = (
        min(r[0] for r in rects.values()), min(r[1] for r in rects.values()),
        max(r[2] for r in rects.values()), max(r[3] for r in rects.values()),
    )  # fmt: skip
    goal = of(around)
    return _moved(at, rects, {id: goal - of(rect) for id, rect in rects.items()}, axis, f"Align {side}")


def distribute(document: Document, at: Path, ids: Iterable[str], boxes: Mapping[str, Box], way: str) -> Command:
    """Put even gaps between nodes, "across" or "down"; the first and the last stay.

    Raises:
        EditError: there are fewer than three.
    """
    rects = _rects(document, at, ids, boxes)
    if len(rects) < 3:
        raise EditError("select three nodes or more to put even gaps between them")
    axis = AXES[way]
    order = sorted(rects, key=lambda id: (rects[id][axis] + rects[id][axis + 2], id))
    first, last = rects[order[0]], rects[order[-1]]
    taken = sum(rects[id][axis + 2] - rects[id][axis] for id in order)
    gap = (last[axis + 2] - first[axis] - taken) / (len(order) - 1)
    shifts: dict[str, float] = {}
    place = first[axis]
    for id in order:
        goal = place if id in (order[0], order[-1]) else round(place / GRID) * GRID
        shifts[id] = 0.0 if id == order[-1] else goal - rects[id][axis]
        place += rects[id][axis + 2] - rects[id][axis] + gap
    return _moved(at, rects, shifts, axis, f"Distribute {way}")


def _rects(document: Document, at: Path, ids: Iterable[str], boxes: Mapping[str, Box]) -> dict[str, Rect]:
    level = document.level(at)
    found: dict[str, Rect] = {}
    for id in ids:
        x, y = level.node(id).position
        found[id] = (x, y, x + boxes[id].width, y + boxes[id].height)
    return found


def _moved(at: Path, rects: Mapping[str, Rect], shifts: Mapping[str, float], axis: int, label: str) -> Command:
    places = {
        id: (rects[id][0] + (shift if axis == 0 else 0.0), rects[id][1] + (shift if axis == 1 else 0.0))
        for id, shift in shifts.items()
        if shift
    }
    return Sequence((Move(at, places),) if places else (), label)
