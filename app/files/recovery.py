"""Offers what a killed program has left, without standing in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.files.autosave import Leftover
    from app.main_window import MainWindow

KEY = "recovery"


class Recovery:
    """One message at the start: recover or discard."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def offer(self) -> None:
        """Look for leftovers and offer them."""
        from app.files.autosave import leftovers

        found = leftovers()
        if not found:
            return
        names = ", ".join(dict.fromkeys(leftover.title for leftover in found[:3]))
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        when = found[0].time.strftime("%d %B, %H:%M").lstrip("0")
        self._window.banners.say(
            f"Work that was not saved was kept: {names}{more} ({when}).",
            ("Recover", lambda: self.recover(found)),
            ("Discard", lambda: self.discard(found)),
            tone="warning",
            key=KEY,
        )

    def recover(self, found: list[Leftover]) -> None:
        """Open the drawings, not saved yet; a leftover goes only once this window has its own journal of it."""
        from app.files.autosave import discard
        from app.session import Session
        from graph.replacing import Replace

        for leftover in reversed(found):
            workspace = self._window.workspace
            session = workspace.find(leftover.path) if workspace is not None and leftover.path is not None else None
            if session is None:
                session = Session(leftover.document, leftover.path)
                session.stamp = leftover.stamp
                session.history.mark_unsaved()
            else:  # it has come back with the other tabs: what was saved is one undo away
                session.do(Replace(leftover.document, "Recover"))
            self._window.show_session(session)
        self._window.disk.check()
        autosave = self._window.autosave
        if autosave is not None:
            autosave.flush()
        for leftover in found:
            discard(leftover)

    def discard(self, found: list[Leftover]) -> None:
        """Give them up."""
        from app.files.autosave import discard

        for leftover in found:
            discard(leftover)
