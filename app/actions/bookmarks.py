"""The rows of the table of actions that set bookmarks and go to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing

if TYPE_CHECKING:
    from app.main_window import MainWindow

NUMBERS = range(1, 10)


def bookmark_actions() -> tuple[Action, ...]:
    """Nine bookmarks: Ctrl+Shift+1 … 9 set them, Shift+1 … 9 go there."""
    go = [
        Action(
            f"bookmark_{number}", f"Go to bookmark {number}", "",
            lambda w, n=number: w.canvas.viewpoints.go_to_bookmark(n), (f"Shift+{number}",), drawing,
            lambda w, n=number: _label(w, n), on_canvas=True,
        )
        for number in NUMBERS
    ]  # fmt: skip
    mark = [
        Action(
            f"set_bookmark_{number}", f"Set bookmark {number}", "",
            lambda w, n=number: w.canvas.viewpoints.set_bookmark(n), (f"Ctrl+Shift+{number}",), drawing,
            on_canvas=True,
        )
        for number in NUMBERS
    ]  # fmt: skip
    return (*go, *mark)


def _label(window: MainWindow, number: int) -> str:
    """What a bookmark shows, once it is set."""
    session = window.drawing
    if session is None:
        return f"Go to bookmark {number}"
    from graph.bookmarks import bookmarks, level_of
    from graph.judge import title_of

    mark = bookmarks(session.document).get(number)
    if mark is None:
        return f"Go to bookmark {number}"
    at = level_of(session.document, mark)
    place = "gone" if at is None else title_of(session.document.node(at)) if at else session.title
    return f"Go to bookmark {number}: {place}"
