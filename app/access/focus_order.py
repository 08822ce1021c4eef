"""The order in which Tab goes: as one reads, whatever was made first.

Forms and cards are made anew while the program runs, and Qt puts what is new at the end of its chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QWidget

Placed = tuple[QRect, QWidget]


def in_order(parent: QWidget, last: Sequence[QWidget] = ()) -> list[QWidget]:
    """What Tab reaches in a widget, as one reads: bands from the top, in them columns from the left.

    Args:
        parent: whose parts.
        last: parts that lie over others and come after all of them.
    """
    stops: dict[QWidget, list[QWidget]] = {}
    for part in parent.children():
        if isinstance(part, QWidget) and not part.isWindow() and part.isVisible():
            inside = [part] if takes_focus(part) else []
            inside += in_order(part)
            if inside:  # handles and the like reach across others, and do not count
                stops[part] = inside
    order = _read([(part.geometry(), part) for part in stops if part not in last])
    return [stop for part in (*order, *(part for part in last if part in stops)) for stop in stops[part]]


def takes_focus(widget: QWidget) -> bool:
    """Whether Tab stops at a widget."""
    by_tab = (widget.focusPolicy() & Qt.FocusPolicy.TabFocus) == Qt.FocusPolicy.TabFocus
    return by_tab and widget.focusProxy() is None and widget.isEnabled() and widget.isVisible()


def beside(focus: QWidget | None, order: Sequence[QWidget], by: int) -> QWidget | None:
    """The stop after (+1) or before (-1) the one that has the keyboard; after the last comes the first."""
    if not order:
        return None
    here = focus
    while here is not None and here not in order:
        here = here.parentWidget()
    if here is None:
        return order[0 if by > 0 else -1]
    return order[(order.index(here) + by) % len(order)]


def _read(parts: list[Placed]) -> list[QWidget]:
    """Parts in the order of reading: cut into bands where a gap goes through, else into columns, and so on."""
    if len(parts) < 2:
        return [widget for _, widget in parts]
    bands = _cut(parts, lambda rect: (rect.top(), rect.bottom()))
    if len(bands) > 1:
        return [widget for band in bands for widget in _read(band)]
    columns = _cut(parts, lambda rect: (rect.left(), rect.right()))
    if len(columns) > 1:
        return [widget for column in columns for widget in _read(column)]
    return [widget for _, widget in sorted(parts, key=lambda part: (part[0].top(), part[0].left()))]


def _cut(parts: list[Placed], ends: Callable[[QRect], tuple[int, int]]) -> list[list[Placed]]:
    """Parts that follow each other without overlap along an axis, each group by itself."""
    groups: list[list[Placed]] = []
    reach = 0
    for part in sorted(parts, key=lambda part: ends(part[0])):
        start, end = ends(part[0])
        if groups and start < reach:
            groups[-1].append(part)
        else:
            groups.append([part])
        reach = max(reach, end) if len(groups[-1]) > 1 else end
    return groups
