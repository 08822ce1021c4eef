"""The rows of the table of actions for panels: to show and close each, and to move the one that has the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.docking.docks import TITLES
from app.docking.menu import SIZING, ask_other, ask_panel_menu

if TYPE_CHECKING:
    from app.docking.layout import Side
    from app.main_window import MainWindow

KEYS = {"palette": ("Ctrl+1",), "properties": ("Ctrl+2",), "outline": ("Ctrl+4",)}
SIDES: tuple[tuple[Side, str], ...] = (("left", "to the left"), ("right", "to the right"), ("below", "below"))
PANEL_IDS = {name: name if name in KEYS else f"panel_{name}" for name in TITLES}
"""Panel → the action that shows it."""
STEP = 48
"""Pixels by which a key changes the size of a panel."""
SIZES = (("wider", False, STEP), ("narrower", False, -STEP), ("higher", True, STEP), ("lower", True, -STEP))
MOVING = ("panel_float", "panel_left", "panel_right", "panel_below", "panel_tab", "", *SIZING, "", "panel_close")
"""What can be done with the panel that has the keyboard."""


def panel(window: MainWindow) -> str:
    """The panel that actions are about: the one that has the focus or had it last, else one that is shown."""
    docks = window.docks
    if docks.group_of(docks.current) is not None:
        return docks.current
    groups = docks.groups()
    return groups[-1].front if groups else ""


def _named(window: MainWindow, verb: str, rest: str = "") -> str:
    title = window.docks.title(panel(window)) or "panel"
    return f"{verb} {title} {rest}".strip()


def _there(window: MainWindow) -> bool:
    return bool(panel(window))


def _float_label(window: MainWindow) -> str:
    if window.docks.is_floating(panel(window)):
        return _named(window, "Put", "back into the window")
    return _named(window, "Float")


def showing_actions() -> tuple[Action, ...]:
    """Which panels are there, and the way back to where all were at first."""
    return (
        *(
            Action(
                PANEL_IDS[name], title, "View" if name in KEYS else "", lambda w, name=name: w.docks.toggle(name),
                KEYS.get(name, ()), checked=lambda w, name=name: w.docks.is_shown(name), section=2,
                spoken=f"{title} panel",
            )
            for name, title in TITLES.items()
        ),
        Action(
            "readings", "Readings", "View", lambda w: w.docks.toggle("readings"), ("Ctrl+3",),
            checked=lambda w: w.docks.is_shown("readings"), section=2,
        ),
        Action("reset_panels", "Reset panel layout", "View", lambda w: w.docks.reset(), section=2),
    )  # fmt: skip


def moving_actions() -> tuple[Action, ...]:
    """What the menu on the header of a panel does."""
    return (
        Action("panel_menu", "Menu of the panel", "", ask_panel_menu, (), _there, lambda w: _named(w, "Menu of")),
        Action(
            "panel_float", "Float the panel", "", lambda w: w.docks.turn([panel(w)]), (), _there, _float_label
        ),
        *(
            Action(
                f"panel_{side}", f"Move the panel {words}", "", lambda w, side=side: w.docks.move(panel(w), side), (),
                _there, lambda w, words=words: _named(w, "Move", words),
            )
            for side, words in SIDES
        ),
        Action(
            "panel_tab", "Tab the panel with others …", "", ask_other, (), _there,
            lambda w: _named(w, "Tab", "with others …"),
        ),
        *(
            Action(
                f"panel_{word}", f"Make the panel {word}", "",
                lambda w, upright=upright, by=by: w.docks.stretch(panel(w), by, upright=upright), (), _there,
                lambda w, word=word: _named(w, "Make", word),
            )
            for word, upright, by in SIZES
        ),
        Action(
            "panel_close", "Close the panel", "", lambda w: w.docks.close(panel(w)), (), _there,
            lambda w: _named(w, "Close"),
        ),
    )  # fmt: skip
