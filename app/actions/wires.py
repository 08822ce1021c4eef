"""The rows of the table of actions that lay, cut and mend wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing, one_selected, selected
from app.searching.wire_finder import find_wires
from app.searching.wire_list import list_wires

if TYPE_CHECKING:
    from app.main_window import MainWindow


def _cut_label(window: MainWindow) -> str:
    return "Cut the wire" if window.canvas is not None and window.canvas.looks.chosen is not None else "Cut its wires"


def wire_actions() -> tuple[Action, ...]:
    """Wires between what is selected."""
    return (
        Action(
            "join", "Connect what is selected", "Node", lambda w: w.canvas.join_selection(), ("J",), selected,
            on_canvas=True, section=2,
        ),
        Action(
            "disconnect", "Cut its wires", "Node", lambda w: w.canvas.disconnect_selection(), ("Shift+J",), drawing,
            _cut_label, on_canvas=True, section=2,
        ),
        Action(
            "pull_out", "Pull out of its wires", "Node", lambda w: w.canvas.pull_out_selection(), ("Alt+J",), selected,
            on_canvas=True, section=2,
        ),
        Action(
            "add_dot", "Add a dot to the wire", "Node", lambda w: w.canvas.add_dot(), (";",), drawing, on_canvas=True,
            section=2,
        ),
    )  # fmt: skip


def listed_wire_actions() -> tuple[Action, ...]:
    """Wires that are laid from a list."""
    return (
        Action(
            "wire_to", "Wire its output to …", "Node", lambda w: find_wires(w, outwards=True), ("W",), one_selected,
            on_canvas=True, section=4,
        ),
        Action(
            "wire_from", "Wire its input from …", "Node", lambda w: find_wires(w, outwards=False), ("Shift+W",),
            one_selected, on_canvas=True, section=4,
        ),
        Action(
            "choose_wire", "Choose one of its wires …", "Node", list_wires, ("Alt+W",), one_selected, on_canvas=True,
            section=4,
        ),
    )  # fmt: skip


def skip_actions() -> tuple[Action, ...]:
    """Wires around what is selected."""
    return (
        Action(
            "residual", "Add a residual around", "Node", lambda w: w.canvas.skip_selection("Add"), (), selected,
            section=4,
        ),
        Action(
            "long_skip", "Add a long skip around", "Node", lambda w: w.canvas.skip_selection("Concat"), (), selected,
            section=4,
        ),
    )  # fmt: skip
