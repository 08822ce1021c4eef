"""An action: something a user can ask for, by a menu, by its keys or by the search for commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.main_window import MainWindow


@dataclass(frozen=True)
class Action:
    """Something a user can ask for.

    Args:
        id: its name in the program.
        title: what menus say.
        menu: the menu it is in; a new `section` begins with a line.
        do: does it.
        shortcuts: the keys, as long as the user wants no others; the first one is shown.
        enabled: whether it can be done now.
        label: what menus say instead of the title, where that depends on the state ("Undo Move attn").
        checked: for a switch, whether it is on.
        on_canvas: its keys count only while the canvas has the focus, so that fields and lists keep theirs.
        spoken: what the search for commands says instead of the title, where that needs its menu to be understood.
    """

    id: str
    title: str
    menu: str
    do: Callable[[MainWindow], object]
    shortcuts: tuple[str, ...] = ()
    enabled: Callable[[MainWindow], bool] = lambda window: True
    label: Callable[[MainWindow], str] | None = None
    checked: Callable[[MainWindow], bool] | None = None
    on_canvas: bool = False
    section: int = 0
    spoken: str = ""
