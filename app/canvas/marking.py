"""Nodes switched off, collapsed and tagged: what is asked for by key, menu or form, each one step."""

from __future__ import annotations

from collections.abc import Callable

from app.canvas.inplace import InPlace
from graph import marking
from graph.commands import Command, Sequence
from graph.document import EditError


class Marking(InPlace):
    """A surface on which nodes can be switched off, collapsed and tagged."""

    def mute_selection(self) -> None:
        """Switch the selected nodes off, or on again when all of them are off."""
        session = self.session
        self._mark(lambda: marking.switch(session.document, session.at, session.selection))

    def collapse_selection(self) -> None:
        """Draw only the titles of the selected nodes, or all of them again."""
        session = self.session
        self._mark(lambda: marking.collapse(session.document, session.at, session.selection))

    def tag_selection(self, colour: str) -> None:
        """Give the selected nodes a colour tag; an empty name takes it off."""
        session = self.session
        self._mark(lambda: marking.tag(session.document, session.at, session.selection, colour))

    def _mark(self, make: Callable[[], Command]) -> None:
        """Make an edit that may be refused; one that would change nothing is no step."""
        try:
            command = make()
        except EditError as error:
            self.session.refuse(str(error))
            return
        if not isinstance(command, Sequence) or command.steps:
            self.session.do(command)
