"""The rows of the table of actions that name nodes, and make groups and go into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import group_selected, selected

if TYPE_CHECKING:
    from app.main_window import MainWindow


def _can_rename(window: MainWindow) -> bool:
    session = window.drawing
    return session is not None and (session.focus is not None or len(session.comments) == 1)


def _inside(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.at)


def _shares_weights(window: MainWindow) -> bool:
    session = window.drawing
    return session is not None and group_selected(window) and session.document.node(session.focus).shared


def group_actions() -> tuple[Action, ...]:
    """Groups and their repetition."""
    return (
        Action("rename", "Rename …", "Node", lambda w: w.canvas.rename(), ("F2",), _can_rename, section=4),
        Action("group", "Group", "Node", lambda w: w.canvas.group_selection(), ("Ctrl+G",), selected, section=4),
        Action(
            "ungroup", "Ungroup", "Node", lambda w: w.canvas.ungroup_selection(), ("Ctrl+Shift+G",), group_selected,
            section=4,
        ),
        Action(
            "repeat", "Repeat …", "Node", lambda w: w.canvas.edit_repeat(), ("R",), group_selected, on_canvas=True,
            section=4,
        ),
        Action(
            "share_weights", "Share weights", "Node", lambda w: w.canvas.toggle_shared(), ("Shift+R",),
            group_selected, checked=_shares_weights, on_canvas=True, section=4,
        ),
        Action(
            "save_block", "Save to My blocks …", "Node", lambda w: w.library.save_selected(), (), group_selected,
            section=4,
        ),
    )  # fmt: skip


def level_actions() -> tuple[Action, ...]:
    """Into groups and out of them."""
    return (
        Action("enter", "Enter group", "Node", lambda w: w.canvas.enter_group(), (), group_selected, section=4),
        Action("leave", "Leave group", "Node", lambda w: w.canvas.leave_group(), (), _inside, section=4),
    )  # fmt: skip
