"""The rows of the table of actions that put nodes in order and select them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint

from app.actions.action import Action
from app.actions.conditions import nodes, nodes_selected

if TYPE_CHECKING:
    from app.main_window import MainWindow

ARRANGE_MENU = (
    "align_left", "align_centre", "align_right", "", "align_top", "align_middle", "align_bottom", "",
    "distribute_across", "distribute_down", "", "tidy", "tidy_all",
)  # fmt: skip
"""What Q offers."""


def _several(window: MainWindow) -> bool:
    return window.drawing is not None and len(window.drawing.selection) > 1


def _three(window: MainWindow) -> bool:
    return window.drawing is not None and len(window.drawing.selection) > 2


def _tidy_label(window: MainWindow) -> str:
    return "Tidy the selection" if _several(window) else "Tidy"


def _offer(window: MainWindow) -> None:
    """Show the choices beside the pointer, or by keys below what is selected."""
    canvas = window.canvas
    if canvas is None:
        return
    inside = canvas.rect().contains(canvas.pointer.toPoint())
    by_keys = canvas.walker.is_on or not inside
    place = canvas.walker.place_of_menu() if by_keys else canvas.pointer.toPoint()
    window.commands.pop_up(ARRANGE_MENU, canvas.mapToGlobal(place) + QPoint(4, 4), "Arrange")


def arranging_actions() -> tuple[Action, ...]:
    """Tidy, align and distribute."""
    sides = (
        ("left", "Align left"), ("centre", "Align centres"), ("right", "Align right"),
        ("top", "Align tops"), ("middle", "Align middles"), ("bottom", "Align bottoms"),
    )  # fmt: skip
    return (
        Action(
            "tidy", "Tidy", "Arrange", lambda w: w.canvas.arranging.tidy(), ("L",), nodes, _tidy_label,
            on_canvas=True,
        ),
        Action(
            "tidy_all", "Tidy everything", "Arrange", lambda w: w.canvas.arranging.tidy_all(), ("Shift+L",), nodes,
            on_canvas=True,
        ),
        *(
            Action(
                f"align_{side}", title, "Arrange", lambda w, side=side: w.canvas.arranging.align(side), (), _several,
                section=1 if side in ("left", "centre", "right") else 2,
            )
            for side, title in sides
        ),
        Action(
            "distribute_across", "Distribute across", "Arrange", lambda w: w.canvas.arranging.distribute("across"),
            (), _three, section=3,
        ),
        Action(
            "distribute_down", "Distribute down", "Arrange", lambda w: w.canvas.arranging.distribute("down"), (),
            _three, section=3,
        ),
        Action("arrange", "Choose an arrangement …", "Arrange", _offer, ("Q",), nodes, on_canvas=True, section=4),
    )  # fmt: skip


def picking_actions() -> tuple[Action, ...]:
    """Select everything, or what belongs together."""
    return (
        Action(
            "select_all", "Select all", "Edit", lambda w: w.canvas.select_all(), ("Ctrl+A",), nodes, on_canvas=True,
            section=3,
        ),
        Action(
            "select_linked", "Select linked", "Edit", lambda w: w.canvas.picking.linked(), ("Ctrl+L",), nodes_selected,
            on_canvas=True, section=3,
        ),
        Action(
            "select_upstream", "Select upstream", "Edit", lambda w: w.canvas.picking.upstream(), ("[",), nodes_selected,
            on_canvas=True, section=3,
        ),
        Action(
            "select_downstream", "Select downstream", "Edit", lambda w: w.canvas.picking.downstream(), ("]",),
            nodes_selected, on_canvas=True, section=3,
        ),
        Action(
            "select_similar", "Select similar", "Edit", lambda w: w.canvas.picking.similar(), ("Shift+G",),
            nodes_selected, on_canvas=True, section=3,
        ),
        Action(
            "select_inverse", "Invert the selection", "Edit", lambda w: w.canvas.picking.invert(), ("Ctrl+I",),
            nodes, on_canvas=True, section=3,
        ),
        Action(
            "select_nothing", "Select nothing", "Edit", lambda w: w.canvas.picking.nothing(), ("Ctrl+Shift+A",),
            nodes_selected, on_canvas=True, section=3,
        ),
    )  # fmt: skip
