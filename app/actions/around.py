"""The rows of the table of actions that go about the window without a mouse, and for help."""

from __future__ import annotations

from app.actions.action import Action


def pane_actions() -> tuple[Action, ...]:
    """From one part of the window to the next, and to the menus."""
    return (
        Action("next_pane", "Next part of the window", "View", lambda w: w.panes.go(1), ("F6",)),
        Action("previous_pane", "Previous part of the window", "View", lambda w: w.panes.go(-1), ("Shift+F6",)),
        Action("open_menus", "Open the menus", "View", lambda w: w.top_bar.open_menus(), ("F10",)),
        Action("open_menu", "Open the menu of what is chosen", "View", lambda w: w.panes.open_menu(), ("Shift+F10",)),
    )


def help_actions() -> tuple[Action, ...]:
    """The Help menu."""
    return (
        Action("keys", "Keyboard shortcuts", "Help", lambda w: w.dialogs.show_keys(), ("F1",)),
        Action("tour", "First steps", "Help", lambda w: w.dialogs.show_tour()),
        Action("log", "Show the log", "Help", lambda w: w.dialogs.show_log()),
        Action("about", "About Blockwright", "Help", lambda w: w.dialogs.show_about(), section=1),
    )
