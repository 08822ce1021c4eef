"""What a drag of panels does to the layout: it begins at a header, looks for places, and ends in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize

from app.docking.dragging import Drag
from app.docking.drops import Drop, drop_in_area, drop_in_windows
from app.docking.floating import wholly_seen
from app.docking.layout import Float, Tabs

if TYPE_CHECKING:
    from app.docking.docks import Docks
    from app.docking.group import Group

FLOAT_LEAST, FLOAT_MOST = QSize(280, 200), QSize(640, 480)
GRABBED = QPoint(40, 14)
"""Where the pointer is in a window that was just dragged out."""


class Carrying:
    """Takes panels from one place to another."""

    def __init__(self, docks: Docks) -> None:
        self._docks = docks
        self.drag: Drag | None = None

    def connect_to(self, group: Group) -> None:
        """Let the header of a group be dragged."""
        group.pulled.connect(self._pull)
        group.carried.connect(lambda at: self.drag.move(at) if self.drag is not None else None)
        group.let_go.connect(self._let_go)

    def end(self) -> None:
        """Give up what is under way."""
        drag, self.drag = self.drag, None
        if drag is not None:
            drag.end()

    def float(self, names: Sequence[str], corner: QPoint, *, wholly: bool = False) -> None:
        """Give panels a window of their own, or put the one that they have already somewhere else.

        Args:
            names: the panels.
            corner: where on the desktop.
            wholly: whether to move it so that all of it is seen.
        """
        docks = self._docks
        group = docks.group_of(names[0])
        size = (group.size() if group is not None else FLOAT_LEAST).boundedTo(FLOAT_MOST).expandedTo(FLOAT_LEAST)
        one = docks.layout.float_of(names[0])
        if one is not None and set(one.panels) <= set(names):
            window = docks.windows[one]
            window.bring(QRect(corner, window.size()))
        else:
            rect = QRect(corner, size)
            rect = wholly_seen(rect, docks.area.window()) if wholly else rect
            docks.layout.float(names, (rect.left(), rect.top(), rect.width(), rect.height()))

    def _pull(self, names: Sequence[str], at: QPoint) -> None:
        self.end()
        docks = self._docks
        docks.area.keep_sizes()
        title = docks.title(names[0]) if len(names) == 1 else f"{len(names)} panels"
        self.drag = Drag(docks.area.window(), names, title, self._find, self._put)
        self.drag.move(at)

    def _let_go(self, at: QPoint) -> None:
        drag, self.drag = self.drag, None
        if drag is not None:
            drag.release(at)

    def _find(self, at: QPoint, names: Sequence[str]) -> Drop:
        docks = self._docks
        found = drop_in_windows(docks.windows.values(), at, names)
        return found or drop_in_area(docks.area, docks.places, docks.layout.root, at, names) or Drop()

    def _put(self, names: Sequence[str], drop: Drop, at: QPoint) -> None:
        docks, goal = self._docks, drop.goal
        front = docks.front_of(names)
        if goal is None:
            self.float(names, at - GRABBED)
        elif drop.side is not None and not isinstance(goal, Float):
            docks.layout.put_beside(names, goal, drop.side, drop.size, drop.extent)
        elif isinstance(goal, Float | Tabs):
            docks.layout.put_with(names, goal, drop.place)
        docks.show(front)
