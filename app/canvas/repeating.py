"""How often a group runs, and whether its rounds share their weights, said at the node itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from app.canvas.ink import faces
from app.editors.reading import Unreadable, nearest, read, spell
from blocks.spec import Param, Size
from graph.commands import SetNode
from graph.layout import HEADER, TITLE_LEFT

if TYPE_CHECKING:
    from app.canvas.view import Canvas

REPEAT = Param("repeat", int, 1, Size("times, one after the other", high=4096))
GAP, LETTER = 6, 10
"""Only the number itself is meant: beside it, a double-click enters the group."""


def edit_repeat(canvas: Canvas, id: str | None = None) -> None:
    """Edit how often a group runs, by default the selected one, beside its title."""
    session = canvas.session
    id = id or (session.focus[-1] if session.focus else None)
    node = session.document.level(session.at).node(id) if id is not None else None
    if id is None or node is None or not node.is_group:
        session.refuse("Select one group to repeat it")
        return

    def keep(text: str) -> bool:
        try:
            value = read(text, REPEAT, session.report.variables) if text.strip() else 1
        except Unreadable as fault:
            canvas.explain("A group cannot run so often", str(fault), nearest(text, REPEAT, session.report.variables))
            return False
        return value == node.repeat or session.do(SetNode(session.at, id, "repeat", value))

    title = canvas.labels.node(node).title
    left = min(TITLE_LEFT + faces().title.width(title) + GAP, 160)
    canvas.edit_in_place(id, HEADER / 2, left, spell(node.repeat), keep, "Repeat, how often it runs")


def toggle_shared(canvas: Canvas) -> None:
    """Let all rounds of the selected groups use one set of weights, or each its own."""
    session = canvas.session
    focus = session.focus
    if focus is not None and session.document.node(focus).is_group:
        session.do(SetNode(focus[:-1], focus[-1], "shared", not session.document.node(focus).shared))


def is_on_times(canvas: Canvas, id: str, place: QPointF) -> bool:
    """Whether a place of the drawing is on the "× 12" beside a group's title."""
    geometry = canvas.geometry_of
    row = geometry.index[id]
    label = canvas.labels.node(geometry.nodes[row])
    if not label.times:
        return False
    x, y = place.x() - float(geometry.rects[row, 0]), place.y() - float(geometry.rects[row, 1])
    start = TITLE_LEFT + faces().title.width(label.title) + GAP
    return abs(y - HEADER / 2) <= LETTER / 2 and start <= x <= start + faces().title.width(label.times)
