"""The menus of the canvas: each offers what can be done with what was asked about, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QMenu

from app.searching.wire_finder import find_wires
from app.tags import colour_menu
from app.widgets.menu import Menu

if TYPE_CHECKING:
    from app.canvas.arrays import PortPlace
    from app.canvas.view import Canvas
    from app.main_window import MainWindow

Row = str | tuple[str, tuple[str, ...]] | tuple[str, Callable[[], object]]
"""An action, a line (""), a menu of actions with its title, or something else with its title."""

COLOURS = "colours"
"""Stands in a menu for the menu of colours."""
NODE_MENU: tuple[Row, ...] = (
    "rename", "enter", "run_here", "",
    "cut", "copy", "duplicate", "delete", "delete_heal", "",
    "mute", "collapse", "frame", COLOURS, "",
    "group", "ungroup", "repeat", "share_weights", "save_block", "",
    ("Wires", (
        "join", "wire_to", "wire_from", "", "disconnect", "pull_out", "add_dot", "", "residual", "long_skip",
    )),
    ("Select", ("select_linked", "select_upstream", "select_downstream", "select_similar")),
    ("Arrange", ("tidy", "arrange")), "",
    "fit_selection",
)  # fmt: skip
"""What can be done with selected nodes."""
WIRE_MENU: tuple[Row, ...] = ("insert_block", "add_dot", "", "disconnect")
WRITTEN_MENU: tuple[Row, ...] = ("rename", COLOURS, "", "cut", "copy", "duplicate", "delete", "", "fit_selection")
"""What can be done with frames and notes."""
CANVAS_MENU: tuple[Row, ...] = (
    "add_block", "paste", "paste_wired", "", "note", "frame", "", "select_all", "tidy_all", "",
    "leave", "fit_all", "zoom_reset",
)  # fmt: skip
"""What can be done on the ground."""
NAMES = {"wire": "The wire", "nodes": "What is selected", "written": "What is written", "ground": "Canvas"}
"""What a screen reader calls the menus."""
FOR_SEVERAL = ("join", "arrange")
BEYOND = 160.0
"""How far beside a port a block is put that is found for it."""


def pop_up(window: MainWindow, canvas: Canvas, at: QPoint) -> None:
    """Show the menu of what was asked about on the canvas, at a place on the screen."""
    asked = canvas.asked
    menus = {"wire": WIRE_MENU, "nodes": NODE_MENU, "written": WRITTEN_MENU, "ground": CANVAS_MENU}
    rows = menus[asked] if isinstance(asked, str) else _port_rows(window, canvas, asked)
    menu = Menu("", window, name=NAMES[asked] if isinstance(asked, str) else asked.port)
    window.commands.refresh()
    _fill(window, menu, rows)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def _fill(window: MainWindow, menu: QMenu, rows: tuple[Row, ...]) -> None:
    """Lay out rows; what cannot be done is left out, and lines with nothing between them too."""
    wants_line = False
    for row in rows:
        if row == "":
            wants_line = not menu.isEmpty()
            continue
        if isinstance(row, str) and row != COLOURS and not _can_be_done(window, row):
            continue
        if wants_line:
            menu.addSeparator()
            wants_line = False
        if row == COLOURS:
            menu.addMenu(colour_menu(window.commands.__getitem__, menu))
        elif isinstance(row, str):
            menu.addAction(window.commands[row])
        elif isinstance(row[1], tuple):
            inside = Menu(row[0], menu)
            menu.addMenu(inside)
            _fill(window, inside, row[1])
        else:
            menu.addAction(row[0], row[1])


def _can_be_done(window: MainWindow, id: str) -> bool:
    few = window.drawing is None or len(window.drawing.selection) < 2
    return window.commands[id].isEnabled() and not (few and id in FOR_SEVERAL)


def _port_rows(window: MainWindow, canvas: Canvas, place: PortPlace) -> tuple[Row, ...]:
    """What can be done with a port."""
    session = canvas.session
    level = session.document.level(session.at)
    wires = level.incoming(place.node) if place.is_input else level.outgoing(place.node)
    is_wired = any((wire.input if place.is_input else wire.output) == place.port for wire in wires)

    def list_wires() -> None:
        session.select([place.node])
        find_wires(window, outwards=not place.is_input)

    def find_block() -> None:
        scene = QPointF(place.x + (-BEYOND if place.is_input else BEYOND), place.y)
        screen = canvas.mapToGlobal(canvas.map_from_scene(scene).toPoint())
        side = "input" if place.is_input else "output"
        canvas.wire_dropped.emit((*session.at, place.node), place.port, side, scene, screen)

    rows: list[Row] = [
        ("Find a block that fits …", find_block),
        ("Wire it from …" if place.is_input else "Wire it to …", list_wires),
    ]
    if is_wired:
        cut = "Cut its wire" if place.is_input else "Cut its wires"
        rows += ["", (cut, lambda: canvas.break_wires(place.node, place.port, is_input=place.is_input))]
    return tuple(rows)
