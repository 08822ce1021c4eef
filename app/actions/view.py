"""The rows of the table of actions that look for things, and change what is in view and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing, nodes
from app.live import Timings
from app.motion import Motion

if TYPE_CHECKING:
    from app.main_window import MainWindow


def search_actions() -> tuple[Action, ...]:
    """Fields in which to look for something."""
    return (
        Action("find_node", "Find a node …", "View", lambda w: w.finder.nodes(), ("Ctrl+F",), nodes),
        Action("find_block", "Find a block", "View", lambda w: w.focus_palette(), ("Ctrl+B",)),
        Action("find_command", "Find a command …", "View", lambda w: w.finder.commands(), ("Ctrl+Shift+P",)),
    )  # fmt: skip


def zoom_actions() -> tuple[Action, ...]:
    """What of the drawing is in view."""
    return (
        Action(
            "fit_all", "Fit all", "View", lambda w: w.canvas.fit_all(), ("Home",), nodes, on_canvas=True, section=1
        ),
        Action(
            "fit_selection", "Fit selection", "View", lambda w: w.fit(), ("F",), nodes, on_canvas=True, section=1
        ),
        Action("zoom_in", "Zoom in", "View", lambda w: w.canvas.zoom_in(), ("Ctrl++", "Ctrl+="), drawing, section=1),
        Action("zoom_out", "Zoom out", "View", lambda w: w.canvas.zoom_out(), ("Ctrl+-",), drawing, section=1),
        Action("zoom_reset", "Actual size", "View", lambda w: w.canvas.zoom_reset(), ("Ctrl+0",), drawing, section=1),
    )  # fmt: skip


def _switch_timings(window: MainWindow) -> None:
    """Show on the nodes how long they took, or hide it; where nothing has run yet, say when they will."""
    Timings.switch(window.settings)
    if window.canvas is not None:
        window.canvas.update()
        if Timings.is_on and not window.session.live.timings:
            window.banners.say("Blocks show how long they took once the drawing has run.", brief=True)


def look_actions() -> tuple[Action, ...]:
    """Light, dark, motion and what nodes say of themselves."""
    return (
        Action(
            "timings", "Show timings", "View", _switch_timings, ("Ctrl+T",), checked=lambda w: Timings.is_on, section=3
        ),
        Action(
            "theme_system", "Follow the system", "View", lambda w: w.set_theme("system"),
            checked=lambda w: w.settings.theme == "system", section=4,
        ),
        Action(
            "theme_dark", "Dark", "View", lambda w: w.set_theme("dark"),
            checked=lambda w: w.settings.theme == "dark", section=4,
        ),
        Action(
            "theme_light", "Light", "View", lambda w: w.set_theme("light"),
            checked=lambda w: w.settings.theme == "light", section=4,
        ),
        Action(
            "motion", "Show transitions", "View", lambda w: Motion.switch(w.settings), checked=lambda w: Motion.is_on,
            section=4,
        ),
    )  # fmt: skip
