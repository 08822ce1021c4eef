"""The rows of the table of actions for work without a mouse, and for help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.wire_finder import find_wires

if TYPE_CHECKING:
    from app.actions import Action
    from app.main_window import MainWindow


def _one_selected(window: MainWindow) -> bool:
    return window.drawing is not None and window.drawing.focus is not None


def wire_actions() -> tuple[Action, ...]:
    """Wires that are laid from a list."""
    from app.actions import Action

    return (
        Action(
            "wire_to", "Wire its output to …", "Edit", lambda w: find_wires(w, outwards=True), ("W",), _one_selected,
            on_canvas=True, section=4,
        ),
        Action(
            "wire_from", "Wire its input from …", "Edit", lambda w: find_wires(w, outwards=False), ("Shift+W",),
            _one_selected, on_canvas=True, section=4,
        ),
    )  # fmt: skip


def pane_actions() -> tuple[Action, ...]:
    """From one part of the window to the next."""
    from app.actions import Action

    return (
        Action("next_pane", "Next part of the window", "View", lambda w: w.panes.go(1), ("F6",)),
        Action("previous_pane", "Previous part of the window", "View", lambda w: w.panes.go(-1), ("Shift+F6",)),
    )


def help_actions() -> tuple[Action, ...]:
    """The Help menu."""
    from app.actions import Action

    return (
        Action("keys", "Keyboard shortcuts", "Help", lambda w: w.dialogs.show_keys(), ("F1",)),
        Action("tour", "First steps", "Help", lambda w: w.dialogs.show_tour()),
        Action("log", "Show the log", "Help", lambda w: w.dialogs.show_log()),
        Action("about", "About Blockwright", "Help", lambda w: w.dialogs.show_about(), section=1),
    )
