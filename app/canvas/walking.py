"""From node to node by keys: on and back in the order of the wires, along wires, and among several at their end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF

from graph.document import Path
from graph.layout import GRID, HEADER

if TYPE_CHECKING:
    from app.canvas.view import Canvas

BESIDE = 152.0
"""From a node to the middle of one that is added beside it by keys."""


@dataclass(frozen=True)
class Stop:
    """Where one was last: a level, its nodes in their order, and one of them."""

    at: Path = ()
    ids: tuple[str, ...] = ()
    id: str = ""


class Walker:
    """Where one goes from the selected node.

    `is_on` while the canvas is worked by keys: then Tab goes from node to node, and what is added comes beside what is
    selected. Until then Tab looks for a block at the pointer.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self.is_on = False
        self._beside: list[str] = []
        self._from: tuple[str, str] = ("", "")
        self._last = Stop()
        self.reached = ""
        """The node one came to last."""

    def put(self, is_on: bool) -> None:
        """Whether the canvas is worked by keys from now on."""
        if is_on != self.is_on:
            self.is_on = is_on
            self._canvas.show_focus_ring(is_on)

    def order(self) -> list[str]:
        """The nodes of the level, each after what feeds it; alike ones from left to right, then down."""
        session = self._canvas.session
        level, report = session.document.level(session.at), session.report.level(session.at)
        ids = [id for id in report.nodes if id in level] if report is not None else []
        return ids if len(ids) == len(level.nodes) else [*ids, *(id for id in level.nodes if id not in set(ids))]

    def ask_for_block(self) -> None:
        """Ask for a block: at the pointer, or by keys beside what is selected."""
        canvas = self._canvas
        place = canvas.rect().toRectF().center() if self.is_on and canvas.asked_at is None else canvas.aim
        beside = self.place_beside() if self.is_on and canvas.asked_at is None else None
        if beside is not None:
            canvas.camera.reveal((beside.x(), beside.y(), beside.x() + 100, beside.y() + 40), canvas.size())
            canvas.view_changed()
            place = canvas.map_from_scene(beside)
        canvas.search_requested.emit(canvas.map_to_scene(place), canvas.mapToGlobal(place.toPoint()))

    def tab(self, by: int) -> None:
        """Go from node to node, and after the last one to what lies beside the canvas."""
        self.put(True)
        if not self.step(by):
            self._canvas.focusNextPrevChild(by > 0)

    def step(self, by: int) -> bool:
        """Go to the next node (+1) or the one before (-1); false at the end, where the focus goes on."""
        ids, here = self.order(), self._here()
        place = ids.index(here) + by if here in ids else self._place_again(ids, by)
        if not 0 <= place < len(ids):
            return False
        self._go(ids[place])
        return True

    def remember(self) -> None:
        """Keep where one is, to go on from there when nothing is selected any more."""
        session = self._canvas.session
        if self.is_on and session.focus is not None and self._last.id != session.focus[-1]:
            self._last = Stop(session.at, tuple(self.order()), session.focus[-1])

    def along(self, dx: int, dy: int, *, adding: bool = False) -> None:
        """Go along a wire to what is fed (dx = 1) or feeds (-1), or to the next of several there (dy).

        Args:
            dx: 1 to what is fed, -1 to what feeds.
            dy: 1 down, -1 up.
            adding: whether what one comes to is selected with the others.
        """
        self.put(True)
        kept = self._canvas.session.selection if adding else frozenset()
        self._along(dx, dy)
        reached = self._here()
        if kept and reached is not None:
            self._canvas.session.select(kept | {reached})
            self.reached = reached

    def _along(self, dx: int, dy: int) -> None:
        here = self._here()
        if here is None:
            if ids := self.order():
                self._go(ids[0])
        elif dx:
            ends = self._ends(here, dx)
            if ends:
                before, back = self._from
                goal = back if before == here and back in ends else ends[0]
                self._from = (goal, here)
                self._beside = ends
                self._go(goal)
        else:
            group = self._beside if here in self._beside and len(self._beside) > 1 else self._peers(here)
            if group:
                self._beside = group
                self._go(group[(group.index(here) + dy) % len(group)])

    def place_of_menu(self) -> QPoint:
        """Where a menu opens that is asked for by keys: below what is selected, else in the middle."""
        canvas = self._canvas
        bounds = canvas.geometry_of.bounds(canvas.session.selection)
        if bounds is None:
            return canvas.rect().center()
        place = canvas.camera.to_screen(QPointF(bounds[0], bounds[3])).toPoint() + QPoint(0, 4)
        return place if canvas.rect().contains(place) else canvas.rect().center()

    def place_beside(self) -> QPointF | None:
        """Where a node goes that is added by keys: to the right of what is selected, where it is free."""
        canvas = self._canvas
        bounds = canvas.geometry_of.bounds(canvas.session.selection)
        if bounds is None:
            return None
        x, y = bounds[2] + BESIDE, bounds[1] + HEADER / 2
        while canvas.geometry_of.nodes_in(x - 100, y - HEADER / 2 - 12, x + 100, y + 76):
            y += 8 * GRID
        return QPointF(x, y)

    def _here(self) -> str | None:
        session = self._canvas.session
        if self.reached in session.selection:
            return self.reached
        return session.focus[-1] if session.focus else next(iter(sorted(session.selection)), None)

    def _place_again(self, ids: list[str], by: int) -> int:
        """Where Tab goes while nothing is selected: where one was, or to what followed it, or to an end."""
        last = self._last
        if last.at == self._canvas.session.at and last.id in last.ids:
            place = last.ids.index(last.id)
            following = last.ids[place:] if by > 0 else last.ids[place::-1]
            again = next((id for id in following if id in ids), None)
            if again is not None:
                return ids.index(again)
        return 0 if by > 0 else len(ids) - 1

    def _ends(self, id: str, dx: int) -> list[str]:
        """What a node feeds, or what feeds it, from the top down."""
        session = self._canvas.session
        level = session.document.level(session.at)
        found = [w.target for w in level.outgoing(id)] if dx > 0 else [w.source for w in level.incoming(id)]
        return sorted(
            dict.fromkeys(found), key=lambda one: (level.nodes[one].position[1], level.nodes[one].position[0])
        )

    def _peers(self, id: str) -> list[str]:
        """Those beside a node: fed by the same, else feeding the same, else the nodes of the level from the top."""
        for away in (-1, 1):
            for other in self._ends(id, away):
                peers = self._ends(other, -away)
                if len(peers) > 1:
                    return peers
        session = self._canvas.session
        nodes = session.document.level(session.at).nodes
        return sorted(nodes, key=lambda one: (nodes[one].position[1], nodes[one].position[0]))

    def _go(self, id: str) -> None:
        session = self._canvas.session
        self.reached = id
        session.show((*session.at, id))
