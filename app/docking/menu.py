"""The menu on the header of a panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.menu import Menu

if TYPE_CHECKING:
    from app.docking.group import Group
    from app.main_window import MainWindow

SIZING = ("panel_wider", "panel_narrower", "panel_higher", "panel_lower")
ABOVE = ("panel_float", "", "panel_left", "panel_right", "panel_below")
BELOW = ("", "panel_close", "", "reset_panels")


def pop_up_panel(window: MainWindow, name: str, at: QPoint) -> None:
    """Show what can be done with a panel."""
    commands = window.commands
    commands.refresh()
    menu = Menu("", _near(window, name), name=window.docks.title(name))
    for id in ABOVE:
        menu.addAction(commands[id]) if id else menu.addSeparator()
    others = Menu("Tab with", menu)
    menu.addMenu(others)
    _list_others(window, name, others)
    sizes = Menu("Size", menu)
    menu.addMenu(sizes)
    for id in SIZING:
        sizes.addAction(commands[id])
    for id in BELOW:
        menu.addAction(commands[id]) if id else menu.addSeparator()
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


def ask_panel_menu(window: MainWindow) -> None:
    """The same for the panel that has the keyboard."""
    name, at = _here(window)
    if name:
        pop_up_panel(window, name, at)


def ask_other(window: MainWindow) -> None:
    """Ask which panels it is to be a tab with."""
    name, at = _here(window)
    menu = Menu("", _near(window, name), name="Tab with")
    _list_others(window, name, menu)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)
    menu.setActiveAction(menu.actions()[0])


def _here(window: MainWindow) -> tuple[str, QPoint]:
    from app.actions.panels import panel

    name = panel(window)
    group = window.docks.group_of(name)
    return name, group.mapToGlobal(QPoint(16, group.header.height())) if group is not None else QPoint()


def _near(window: MainWindow, name: str) -> QWidget:
    """What a menu about a panel belongs to: its window."""
    group = window.docks.group_of(name)
    return group.window() if group is not None else window


def _list_others(window: MainWindow, name: str, menu: QMenu) -> None:
    """The other places by what is in them."""
    docks = window.docks
    for group in docks.groups():
        others = [other for other in group.names if other != name]
        if others and name not in group.names:
            menu.addAction(_words(window, group), lambda other=others[0]: docks.tab_with(name, other))
    if menu.isEmpty():
        menu.addAction("No other panels are there").setEnabled(False)


def _words(window: MainWindow, group: Group) -> str:
    titles = [window.docks.title(other) for other in group.names]
    return ", ".join(titles[:3]) + (" …" if len(titles) > 3 else "")
