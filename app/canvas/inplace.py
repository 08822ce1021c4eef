"""Values edited where they stand: a click opens the one field, Tab goes on to the next, a switch is turned."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF

import blocks
from app.canvas.ink import faces
from app.canvas.looks import NEAR
from app.canvas.wiring import Wiring
from app.editors.reading import Unreadable, nearest, read, spell
from blocks.rules import Choice
from blocks.spec import Param
from graph.commands import UNSET, SetParam
from graph.document import FROM_WIRE
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

    def edit_row(self, id: str, row: int, *, turn: bool = True) -> None:
        """Edit a parameter of a node in its row; with `turn` a switch is turned at once."""
        session = self.session
        name = self.geometry_of.boxes[self.geometry_of.index[id]].rows[row][0]
        node = session.document.level(session.at).node(id)
        block = blocks.find(node.block)
        param = next((param for param in block.params() if param.name == name), None) if block is not None else None
        if param is None:
            return
        report = session.report.node((*session.at, id))
        value = node.params.get(name, param.default)
        if turn and param.type is bool and report is not None and isinstance(report.params.get(name), bool):
            session.do(SetParam(session.at, id, name, not report.params[name]))
            return

        def keep(text: str) -> bool:
            return self._keep_value(id, param, text)

        text = "" if value == FROM_WIRE else spell(value)
        left = INSET_LEFT + faces().text.width(name) + 10
        words = param.rule.options if isinstance(param.rule, Choice) else ("yes", "no") if param.type is bool else ()
        self._edit(id, row, FIRST_ROW + ROW * row, left, faces().number, text, keep, name, words)

    def explain(self, what: str, reason: str, offered: Any = None) -> None:
        """Say why a text that was typed in place will not do: under its field, or, once that is closed, aloud.

        Args:
            what: what will not do, as the beginning of a sentence.
            reason: why, as a sentence.
            offered: the value that would do and is nearest to it, if there is one.
        """
        assert self.editor is not None
        if self.editor.is_open:
            self.editor.explain(reason, spell(offered))
        else:
            self.session.refuse(f"{what}: {reason[:1].lower()}{reason[1:]}")

    def _keep_value(self, id: str, param: Param, text: str) -> bool:
        session = self.session
        if not text.strip() and not param.optional:
            value = FROM_WIRE if param.from_wire else UNSET
        else:
            try:
                value = read(text, param, session.report.variables)
            except Unreadable as fault:
                self.explain(
                    f"This value of {param.name} will not do",
                    str(fault),
                    nearest(text, param, session.report.variables),
                )
                return False
        return session.do(SetParam(session.at, id, param.name, value))
