"""A layout as text and back. What is remembered is data like any file: what is not as it should be is refused."""

from __future__ import annotations

import json
from typing import Any

from app.docking.layout import Float, Layout, Middle, Part, Split, Tabs

LAYOUT_VERSION = 3
DEEPEST, LONGEST = 24, 4_000_000
"""Splits in each other, and pixels, that a sane layout stays below."""


def to_text(layout: Layout) -> str:
    """What is remembered of a layout."""
    data = {
        "version": LAYOUT_VERSION,
        "root": _data(layout.root),
        "closed": sorted(layout.closed),
        "floats": [{"panels": one.panels, "front": one.front, "rect": list(one.rect)} for one in layout.floats],
        "readings": layout.readings,
        "extent": list(layout.extent),
    }
    return json.dumps(data, separators=(",", ":"))


def from_text(text: str) -> Layout | None:
    """The layout of such a text, or None where it is of another version or damaged."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("version") != LAYOUT_VERSION:
            return None
        layout = Layout(_part(data["root"]), set(_names(data["closed"])), readings=data["readings"] is True)
        wide, high = map(_whole, data.get("extent", (0, 0)))  # of an earlier program, nobody knows
        layout.extent = (max(0, wide), max(0, high))
        for one in data["floats"]:
            rect = [_whole(number) for number in one["rect"]]
            left, top, width, height = rect
            if width < 1 or height < 1:
                raise ValueError
            layout.floats.append(Float(_names(one["panels"]), (left, top, width, height), str(one["front"])))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    homes, afloat = layout.names, [name for one in layout.floats for name in one.panels]
    middles = sum(isinstance(part, Middle) for part, _ in layout.parts())
    whole = all(tabs.panels for tabs in layout.tabs()) and all(one.panels for one in layout.floats)
    unique = len(homes) == len(set(homes)) and len(afloat) == len(set(afloat)) and set(afloat) <= set(homes)
    return layout if middles == 1 and whole and unique else None


def _data(part: Part) -> dict[str, Any]:
    if isinstance(part, Middle):
        return {"size": part.size, "middle": True}
    if isinstance(part, Tabs):
        return {"size": part.size, "panels": part.panels, "front": part.front}
    return {"size": part.size, "upright": part.upright, "parts": [_data(child) for child in part.parts]}


def _part(data: Any, depth: int = 0) -> Part:
    if not isinstance(data, dict) or depth > DEEPEST:
        raise ValueError
    size = _whole(data["size"])
    if size < 0:
        raise ValueError
    if data.get("middle") is True:
        return Middle(size)
    if "panels" in data:
        return Tabs(_names(data["panels"]), str(data["front"]), size)
    parts = [_part(child, depth + 1) for child in data["parts"]]
    if len(parts) < 2:
        raise ValueError
    return Split(data["upright"] is True, parts, size)


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
        raise ValueError
    return list(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LONGEST:
        raise ValueError
    return value
