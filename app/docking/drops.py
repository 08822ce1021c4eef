"""Where panels that are dragged would go, by what is under the pointer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from app.docking.area import DockArea
from app.docking.floating import FloatWindow
from app.docking.group import Group
from app.docking.layout import DEFAULT_SIZES, Float, Middle, Part, Side, Tabs

EDGE = 20
"""Pixels at the edge of the window that mean the whole side of it."""
RIM = 0.28
"""The share of a group, from each side, that means beside it; what is left means among its tabs."""
WORDS: dict[Side, str] = {"left": "left of", "right": "right of", "above": "above", "below": "below"}


@dataclass(frozen=True)
class Drop:
    """A place to drop panels.

    Args:
        goal: the part or window; None is a window of their own.
        side: the side of it, or None for among its tabs.
        place: which tab they become.
        words: what it means, as people say it.
        host: what the mark is painted over.
        mark: where on it.
        line: between which tabs they would come.
        size: the pixels that the panels get.
        extent: the pixels that the part has along that side.
    """

    goal: Part | Float | None = None
    side: Side | None = None
    place: int | None = None
    words: str = "a window of its own"
    host: QWidget | None = None
    mark: QRect = QRect()
    line: QRect = QRect()
    size: int = 0
    extent: int = 0


def drop_in_windows(windows: Iterable[FloatWindow], at: QPoint, names: Sequence[str]) -> Drop | None:
    """A place in a window that floats."""
    for window in windows:
        rect = QRect(window.mapToGlobal(QPoint()), window.size())
        if window.isVisible() and rect.contains(at):
            if set(window.float.panels) <= set(names):
                return Drop(words="here")
            return _among(window.float, window.group, window, window.rect(), at, names)
    return None


def drop_in_area(
    area: DockArea, groups: dict[Tabs, Group], root: Part, at: QPoint, names: Sequence[str]
) -> Drop | None:
    """A place around the canvas."""
    here, whole = area.mapFromGlobal(at), area.rect()
    if not whole.contains(here) or not area.isVisible():
        return None
    side = _nearest_edge(whole, here)
    if side is not None:
        mark, size, extent = _strip(whole, side, 0)
        return Drop(root, side, None, f"the {_edge(side)} of the window", area, mark, size=size, extent=extent)
    part = area.group_at(here)
    if part is None:
        return None
    rect = area.rects[part]
    if isinstance(part, Middle):
        side = _rim(rect, here)
        if side is None:
            return None
        mark, size, extent = _strip(rect, side, 0)
        return Drop(part, side, None, f"{WORDS[side]} the canvas", area, mark, size=size, extent=extent)
    group = groups[part]
    if set(group.names) <= set(names):
        return Drop(part, words="here", host=area, mark=rect, place=None)
    header = here.y() < rect.top() + group.header.height()
    side = None if header else _rim(rect, here)
    if side is None:
        return _among(part, group, area, rect, at, names)
    mark, size, extent = _strip(rect, side, 2)
    words = f"{WORDS[side]} {group.bar.tabText(group.bar.currentIndex())}"
    return Drop(part, side, None, words, area, mark, size=size, extent=extent)


def _among(goal: Tabs | Float, group: Group, host: QWidget, rect: QRect, at: QPoint, names: Sequence[str]) -> Drop:
    """A tab of a group: before the one under the pointer, or the last."""
    place, line = None, QRect()
    bar = group.bar
    here = bar.mapFromGlobal(at)
    over = bar.tabAt(here)
    if over >= 0:
        after = here.x() > bar.tabRect(over).center().x()
        name = bar.names[over]
        place = goal.panels.index(name) + after if name in goal.panels else None
        spot = bar.tabRect(over)
        corner = bar.mapTo(host, QPoint(spot.right() if after else spot.left(), 6))
        line = QRect(corner.x(), corner.y(), 2, bar.height() - 12)
    other = next((bar.tabText(index) for index, name in enumerate(bar.names) if name not in names), "")
    return Drop(goal, None, place, f"in a tab with {other}", host, rect, line)


def _nearest_edge(rect: QRect, at: QPoint) -> Side | None:
    far: dict[Side, int] = {
        "left": at.x() - rect.left(), "right": rect.right() - at.x(), "below": rect.bottom() - at.y(),
        "above": at.y() - rect.top(),
    }  # fmt: skip
    side = min(far, key=lambda side: far[side])
    return side if far[side] < EDGE and side != "above" else None


def _rim(rect: QRect, at: QPoint) -> Side | None:
    x, y = (at.x() - rect.left()) / max(1, rect.width()), (at.y() - rect.top()) / max(1, rect.height())
    far: dict[Side, float] = {"left": x, "right": 1 - x, "above": y, "below": 1 - y}
    side = min(far, key=lambda side: far[side])
    return side if far[side] < RIM else None


def _strip(rect: QRect, side: Side, halves: int) -> tuple[QRect, int, int]:
    """The part of a rectangle that panels would get, its pixels along that side, and those of the whole."""
    extent = rect.width() if side in ("left", "right") else rect.height()
    size = extent // halves if halves else min(DEFAULT_SIZES[side], round(extent * 0.45))
    mark = QRect(rect)
    if side == "left":
        mark.setWidth(size)
    elif side == "right":
        mark.setLeft(rect.right() - size + 1)
    elif side == "above":
        mark.setHeight(size)
    else:
        mark.setTop(rect.bottom() - size + 1)
    return mark, size, extent


def _edge(side: Side) -> str:
    return {"left": "left side", "right": "right side", "above": "top", "below": "bottom"}[side]
