"""Picking: select what belongs to what is selected. Menus and keys call these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from graph import kin
from graph.document import Level

if TYPE_CHECKING:
    from app.canvas.view import Canvas


class Picking:
    """Changes the selection on the level that a canvas shows; it is no step of the history."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def linked(self) -> None:
        """Select all that wires join to what is selected."""
        self._grow(kin.linked)

    def upstream(self) -> None:
        """Select all that what is selected depends on."""
        self._grow(kin.upstream)

    def downstream(self) -> None:
        """Select all that depends on what is selected."""
        self._grow(kin.downstream)

    def similar(self) -> None:
        """Select all of the same blocks."""
        self._grow(kin.similar)

    def invert(self) -> None:
        """Select what is not selected, and nothing else."""
        session = self._canvas.session
        session.select(session.document.level(session.at).nodes.keys() - session.selection)

    def nothing(self) -> None:
        """Select nothing."""
        self._canvas.session.select(())

    def _grow(self, find: Callable[[Level, Iterable[str]], frozenset[str]]) -> None:
        session = self._canvas.session
        if not session.selection:
            session.refuse("Select a block first")
            return
        session.select(find(session.document.level(session.at), sorted(session.selection)))
