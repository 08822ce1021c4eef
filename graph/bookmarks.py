"""Numbered bookmarks: places of a drawing to come back to, stored with it. No Qt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from graph.commands import Command, Sequence, SetDocument
from graph.document import Document, Path

KEY = "bookmarks"
NUMBERS = range(1, 10)
FARTHEST = 1e8


@dataclass(frozen=True)
class Bookmark:
    """A place: the level, by the unchanging uid of its group ("" is the top), the middle of the view and its zoom."""

    group: str
    x: float
    y: float
    zoom: float


def bookmarks(document: Document) -> dict[int, Bookmark]:
    """The bookmarks of a drawing, by number; what is damaged is left out."""
    table = document.extra.get(KEY)
    if not isinstance(table, Mapping):
        return {}
    return {number: mark for number in NUMBERS if (mark := _read(table.get(str(number)))) is not None}


def fault(data: Any) -> str:
    """What is wrong with the bookmarks in a file, as the beginning of a sentence; empty when nothing is."""
    if data is None:
        return ""
    if not isinstance(data, dict):
        return "bookmarks must be a table"
    for name, item in data.items():
        if name in map(str, NUMBERS) and _read(item) is None:
            return f"bookmark {name} must have a group, a place and a zoom"
    return ""


def set_bookmark(document: Document, number: int, mark: Bookmark | None) -> Command:
    """The edit that sets a bookmark, or takes it away with None."""
    old = document.extra.get(KEY)
    table = dict(old) if isinstance(old, Mapping) else {}
    if mark is None:
        table.pop(str(number), None)
    else:
        place = [round(mark.x, 2), round(mark.y, 2)]
        table[str(number)] = {"group": mark.group, "position": place, "zoom": mark.zoom}
    extra = {key: value for key, value in document.extra.items() if key != KEY}
    if table:
        extra[KEY] = dict(sorted(table.items()))
    label = f"Set bookmark {number}" if mark is not None else f"Remove bookmark {number}"
    return Sequence((SetDocument("extra", MappingProxyType(extra)),), label)


def level_of(document: Document, mark: Bookmark) -> Path | None:
    """The path of the level that a bookmark is on, or None when its group is gone."""
    if not mark.group:
        return ()
    return next((path for path, node in document.walk() if node.uid == mark.group and node.is_group), None)


def _read(item: Any) -> Bookmark | None:
    if not isinstance(item, Mapping):
        return None
    group, place, zoom = item.get("group", ""), item.get("position"), item.get("zoom")
    if not isinstance(group, str) or not isinstance(place, list | tuple) or len(place) != 2:
        return None
    x, y, size = _number(place[0]), _number(place[1]), _number(zoom)
    if x is None or y is None or size is None or size <= 0:
        return None
    return Bookmark(group, x, y, size)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and abs(value) < FARTHEST else None
