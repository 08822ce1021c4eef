"""Frames and notes in files and on the clipboard, read with the same suspicion as the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from graph.comments import LARGEST, LONGEST, Comment
from graph.json_text import FileError

MOST = 10_000
KEYS = ("id", "kind", "text", "position", "size", "colour")


def comments_to_data(comments: Mapping[str, Comment]) -> list[dict[str, Any]]:
    """Comments as plain values; what is at its default is left out."""
    found: list[dict[str, Any]] = []
    for comment in comments.values():
        data: dict[str, Any] = {"id": comment.id, "kind": comment.kind}
        if comment.text:
            data["text"] = comment.text
        data["position"], data["size"] = [*map(_short, comment.position)], [*map(_short, comment.size)]
        if comment.colour:
            data["colour"] = comment.colour
        found.append(data | dict(comment.extra))
    return found


def comments_from_data(data: Any, where: str) -> dict[str, Comment]:
    """Comments in plain values, checked.

    Raises:
        FileError: they are none; the sentence says where.
    """
    place = f" in {where}" if where else ""
    if not isinstance(data, list) or len(data) > MOST:
        raise FileError(f"comments{place} must be a list.")
    found: dict[str, Comment] = {}
    for item in data:
        if not isinstance(item, dict):
            raise FileError(f"a comment{place} must be a table.")
        texts = {key: item.get(key, "") for key in ("id", "kind", "text", "colour")}
        for key, value in texts.items():
            if not isinstance(value, str) or len(value) > (LONGEST if key == "text" else 100):
                raise FileError(f"{key} of a comment{place} must be a text.")
        if not texts["id"] or texts["id"] in found or not texts["kind"]:
            raise FileError(f"a comment{place} has no name or kind, or the name of another one.")
        name = f"of comment {texts['id']}{place}"
        position, size = _pair(item.get("position"), f"position {name}"), _pair(item.get("size"), f"size {name}")
        if min(size) <= 0:
            raise FileError(f"size {name} must be more than nothing.")
        extra = {key: value for key, value in item.items() if key not in KEYS}
        found[texts["id"]] = Comment(**texts, position=position, size=size, extra=MappingProxyType(extra))
    return found


def _pair(value: Any, where: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2 or not all(_is_place(part) for part in value):
        raise FileError(f"{where} must be two numbers.")
    return float(value[0]), float(value[1])


def _is_place(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and abs(value) <= 10 * LARGEST


def _short(value: float) -> float | int:
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded
