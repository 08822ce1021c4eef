"""The rows of the table of actions that add blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing

if TYPE_CHECKING:
    from app.main_window import MainWindow


def _insert(window: MainWindow) -> None:
    """Find a block for the chosen wire."""
    canvas = window.canvas
    wire = canvas.looks.chosen
    if wire is None:
        canvas.session.refuse("Click the wire that a block is to go into")
        return
    scene = canvas.middle_of(wire) if canvas.asked_at is None else canvas.map_to_scene(canvas.asked_at)
    window.finder.inserting(wire, scene, canvas.mapToGlobal(canvas.map_from_scene(scene).toPoint()))


def adding_actions() -> tuple[Action, ...]:
    """Blocks on the level, and into a wire."""
    return (
        Action(
            "add_block", "Add a block …", "Node", lambda w: w.canvas.walker.ask_for_block(), (), drawing,
            on_canvas=True, section=2,
        ),
        Action(
            "insert_block", "Insert a block into the wire …", "Node", _insert, ("I",), drawing, on_canvas=True,
            section=2,
        ),
    )  # fmt: skip
