"""The rows of the table of actions that open, save and export drawings, and go from one to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing, nodes, ready

if TYPE_CHECKING:
    from app.main_window import MainWindow


def _several(window: MainWindow) -> bool:
    return window.workspace is not None and len(window.workspace.sessions) > 1


def _is_open(window: MainWindow, place: int) -> bool:
    return _several(window) and window.workspace is not None and place < len(window.workspace.sessions)


def _drawing_label(window: MainWindow, place: int) -> str:
    return f"Go to {window.workspace.sessions[place].title}" if _is_open(window, place) else f"Drawing {place + 1}"


def file_actions() -> tuple[Action, ...]:
    """The File menu."""
    return (
        Action("new", "New …", "File", lambda w: w.show_gallery(), ("Ctrl+N",)),
        Action("new_empty", "New empty canvas", "File", lambda w: w.filing.new_empty(), ("Ctrl+Shift+N",), ready),
        Action("open", "Open …", "File", lambda w: w.filing.ask_open(), ("Ctrl+O",), ready),
        Action("save", "Save", "File", lambda w: w.filing.save(), ("Ctrl+S",), drawing, section=1),
        Action("save_as", "Save as …", "File", lambda w: w.filing.save_as(), ("Ctrl+Shift+S",), drawing, section=1),
        Action(
            "export_onnx", "Export ONNX …", "File", lambda w: w.dialogs.export("onnx"), ("Ctrl+E",), nodes, section=2
        ),
        Action(
            "export_pytorch", "Export PyTorch code …", "File", lambda w: w.dialogs.export("pytorch"), ("Ctrl+Shift+E",),
            nodes, section=2,
        ),
        Action("preferences", "Preferences …", "File", lambda w: w.dialogs.show_preferences(), ("Ctrl+,",), section=3),
        Action(
            "next_drawing", "Next drawing", "File", lambda w: w.filing.show_next(), ("Ctrl+Tab", "Ctrl+PgDown"),
            _several, section=4,
        ),
        Action(
            "previous_drawing", "Previous drawing", "File", lambda w: w.filing.show_next(-1),
            ("Ctrl+Shift+Tab", "Ctrl+PgUp"), _several, section=4,
        ),
        Action("close", "Close drawing", "File", lambda w: w.filing.close(), ("Ctrl+W",), drawing, section=4),
        Action("quit", "Quit", "File", lambda w: w.close(), ("Ctrl+Q",), section=4),
    )  # fmt: skip


def drawing_actions() -> tuple[Action, ...]:
    """The open drawings by number."""
    return (
        *(
            Action(
                f"drawing_{place + 1}", f"Drawing {place + 1}", "", lambda w, place=place: w.filing.show_place(place),
                (f"Alt+{place + 1}",), lambda w, place=place: _is_open(w, place),
                lambda w, place=place: _drawing_label(w, place),
            )
            for place in range(9)
        ),
    )  # fmt: skip
