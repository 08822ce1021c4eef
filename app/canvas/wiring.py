"""Edits of wires that users ask for by stroke, key or menu: each one step of the history, or refused in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF

from app.canvas.copying import Copying
from app.canvas.curves import Point
from app.canvas.joining import join
from graph import rewiring
from graph.document import Wire


class Wiring(Copying):
    """A surface whose wires can be cut, bent and led elsewhere."""

    def cut_wires(self, wires: Sequence[Wire]) -> None:
        """Take wires away."""
        session = self.session
        self._try(lambda: rewiring.cut(session.at, wires))

    def disconnect_selection(self) -> None:
        """Take away the chosen wire, or all wires of the selected nodes."""
        session = self.session
        level = session.document.level(session.at)
        chosen = session.selection
        wires = [wire for wire in level.wires() if wire.source in chosen or wire.target in chosen]
        if self.looks.chosen is not None:
            wires = [self.looks.chosen]
        if not wires:
            session.refuse("What is selected has no wires")
            return
        self.cut_wires(wires)

    def pull_out_selection(self) -> None:
        """Take the selected nodes out of their wires and close the gap."""
        session = self.session
        self._try(lambda: rewiring.pull_out(session.document, session.at, session.selection))

    def join_selection(self) -> None:
        """Wire the selected nodes one to the next, from left to right, at the ports that fit best."""
        join(self.session, self.geometry_of, self.session.selection)

    def lay_dots(self, crossings: Mapping[Wire, Point]) -> None:
        """Lead wires through dots at these places."""
        session = self.session
        self._try(lambda: rewiring.lay_dots(session.document, session.at, crossings))

    def middle_of(self, wire: Wire) -> QPointF:
        """The place on a wire where there is the most room."""
        row = self.geometry_of.wire_row(wire)
        self.geometry_of.settle([row])
        return QPointF(*_middle(self.geometry_of.middles[row].tolist()))

    def add_dot(self, wire: Wire | None = None, place: QPointF | None = None) -> None:
        """Lead a wire through a dot: the chosen one, else all that leave the selected node, at their middle."""
        session, geometry = self.session, self.geometry_of
        wire = wire or self.looks.chosen
        if wire is None and session.focus is None:
            session.refuse("Click a wire, or select the block that it comes from")
            return
        wires = (
            [wire] if wire else session.document.level(session.at).outgoing(str(session.focus and session.focus[-1]))
        )
        if not wires:
            session.refuse("No wire leaves this block")
            return
        geometry.settle([geometry.wire_row(one) for one in wires])
        middles = {one: _middle(geometry.middles[geometry.wire_row(one)].tolist()) for one in wires}
        if wire is not None and place is None and wire == self.looks.chosen and self.asked_at is not None:
            place = self.map_to_scene(self.asked_at)
        if wire is not None and place is not None:
            middles[wire] = (place.x(), place.y())
        self.lay_dots(middles)


def _middle(values: list[float]) -> Point:
    return values[0], values[1]
