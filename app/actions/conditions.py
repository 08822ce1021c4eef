"""What has to be so that an action can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.main_window import MainWindow


def ready(window: MainWindow) -> bool:
    """Whether everything is loaded."""
    return window.is_ready


def drawing(window: MainWindow) -> bool:
    """Whether a drawing is in view."""
    return window.drawing is not None


def nodes(window: MainWindow) -> bool:
    """Whether the level in view holds nodes."""
    return window.drawing is not None and bool(window.drawing.document.level(window.drawing.at).nodes)


def selected(window: MainWindow) -> bool:
    """Whether nodes, frames or notes are selected."""
    return window.drawing is not None and bool(window.drawing.selection or window.drawing.comments)


def nodes_selected(window: MainWindow) -> bool:
    """Whether nodes are selected."""
    return window.drawing is not None and bool(window.drawing.selection)


def one_selected(window: MainWindow) -> bool:
    """Whether one node has the focus."""
    return window.drawing is not None and window.drawing.focus is not None


def group_selected(window: MainWindow) -> bool:
    """Whether the node with the focus is a group."""
    session = window.drawing
    return session is not None and session.focus is not None and session.document.node(session.focus).is_group
