"""The rows of the table of actions that mark nodes, and write frames and notes around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing, nodes_selected, selected
from app.tags import NONE, TAGS

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.document import Node


def _comments_selected(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.comments)


def _written(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.document.level(window.drawing.at).comments)


def _mute_label(window: MainWindow) -> str:
    return "Switch on again" if _all_selected(window, lambda node: node.muted) else "Switch off"


def _collapse_label(window: MainWindow) -> str:
    return "Unfold" if _all_selected(window, lambda node: node.collapsed) else "Collapse"


def _frame_label(window: MainWindow) -> str:
    return "Frame the selection" if selected(window) else "Add a frame"


def _all_selected(window: MainWindow, test: Callable[[Node], bool]) -> bool:
    session = window.drawing
    if session is None or not session.selection:
        return False
    nodes = session.document.level(session.at).nodes
    return all(test(nodes[id]) for id in session.selection)


def marking_actions() -> tuple[Action, ...]:
    """Switch off, collapse, frame, note, colours."""
    stretches = (("wider", 20, 0, "Right"), ("narrower", -20, 0, "Left"), ("higher", 0, 20, "Down"),
                 ("lower", 0, -20, "Up"))  # fmt: skip
    return (
        Action(
            "mute", "Switch off", "Node", lambda w: w.canvas.mute_selection(), ("M",), nodes_selected, _mute_label,
            on_canvas=True, section=5,
        ),
        Action(
            "collapse", "Collapse", "Node", lambda w: w.canvas.collapse_selection(), ("H",), nodes_selected,
            _collapse_label, on_canvas=True, section=5,
        ),
        Action(
            "frame", "Add a frame", "Node", lambda w: w.canvas.add_frame(), ("C",), drawing, _frame_label,
            on_canvas=True, section=6,
        ),
        Action(
            "note", "Add a note", "Node", lambda w: w.canvas.add_note(), ("Shift+C",), drawing, on_canvas=True,
            section=6,
        ),
        Action(
            "next_note", "Next frame or note", "Node", lambda w: w.canvas.next_comment(), ("Alt+C",), _written,
            on_canvas=True, section=6,
        ),
        *(
            Action(
                f"stretch_{name}", f"Make the frame {name}", "",
                lambda w, dx=dx, dy=dy: w.canvas.stretch_selection(dx, dy), (f"Alt+Shift+{key}",), _comments_selected,
                on_canvas=True,
            )
            for name, dx, dy, key in stretches
        ),
        *(
            Action(
                f"tag_{name}", name.capitalize() if name != NONE else "No colour", "",
                lambda w, name=name: w.canvas.tag_selection("" if name == NONE else name), (), selected,
                spoken=f"Colour: {name}",
            )
            for name in (*TAGS, NONE)
        ),
    )  # fmt: skip
