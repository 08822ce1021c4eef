"""Values edited where they stand: a click opens the one field, Tab goes on to the next, a switch is turned."""

from __future__ import annotations

from PySide6.QtCore import QPointF

import blocks
from app.canvas.ink import faces
from app.canvas.looks import NEAR
from app.canvas.wiring import Wiring
from graph.layout import FIRST_ROW, INSET_LEFT, INSET_RIGHT, ROW

TITLE = -1
"""The place of the title among what can be edited on a node, before its rows."""


class InPlace(Wiring):
    """A surface on whose nodes values are edited."""

    def value_at(self, id: str, scene: QPointF) -> int | None:
        """The row whose value is under a point of a node; none from afar, where values are not shown."""
        row = self.geometry_of.index[id]
        box, (left, top, right, _) = self.geometry_of.boxes[row], self.geometry_of.rects[row].tolist()
        place = round((scene.y() - top - FIRST_ROW) / ROW)
        if self.camera.zoom < NEAR or not 0 <= place < len(box.rows):
            return None
        start = left + INSET_LEFT + faces().text.width(box.rows[place][0]) + 6
        return place if start <= scene.x() <= right - INSET_RIGHT + 6 else None

    def edit_value_at(self, id: str, scene: QPointF) -> None:
        """A node was clicked: edit the value under the pointer, if there is one."""
        place = self.value_at(id, scene)
        if place is not None:
            self.edit_row(id, place)

    def edit_next(self, id: str, place: int, step: int) -> None:
        """Edit what comes after (or before) a row or the title of a node; after the last comes the first."""
        if id not in self.geometry_of.index:
            return
        count = len(self.geometry_of.boxes[self.geometry_of.index[id]].rows)
        goal = (place - TITLE + step) % (count + 1) + TITLE
        if goal == TITLE:
            self.edit_title(id)
        else:
            self.edit_row(id, goal, turn=False)

    def is_switch(self, id: str, place: int) -> bool:
        """Whether a row shows something that is on or off."""
        row = self.geometry_of.index[id]
        block = blocks.find(self.geometry_of.nodes[row].block)
        name = self.geometry_of.boxes[row].rows[place][0]
        return block is not None and any(param.name == name and param.type is bool for param in block.params())
