"""The rows of the table of actions that take steps back, copy and delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import drawing, selected

if TYPE_CHECKING:
    from app.main_window import MainWindow


def _undo_label(window: MainWindow) -> str:
    steps = window.drawing.history.done if window.drawing else []
    return f"Undo {steps[-1].label}" if steps else "Undo"


def _redo_label(window: MainWindow) -> str:
    steps = window.drawing.history.undone if window.drawing else []
    return f"Redo {steps[-1].label}" if steps else "Redo"


def _can_undo(window: MainWindow) -> bool:
    return window.drawing is not None and window.drawing.history.can_undo


def _can_redo(window: MainWindow) -> bool:
    return window.drawing is not None and window.drawing.history.can_redo


def edit_actions() -> tuple[Action, ...]:
    """Undo, the clipboard and deleting."""
    return (
        Action("undo", "Undo", "Edit", lambda w: w.session.undo(), ("Ctrl+Z",), _can_undo, _undo_label),
        Action("redo", "Redo", "Edit", lambda w: w.session.redo(), ("Ctrl+Shift+Z", "Ctrl+Y"), _can_redo, _redo_label),
        Action("cut", "Cut", "Edit", lambda w: w.canvas.cut(), ("Ctrl+X",), selected, on_canvas=True, section=1),
        Action("copy", "Copy", "Edit", lambda w: w.canvas.copy(), ("Ctrl+C",), selected, on_canvas=True, section=1),
        Action("paste", "Paste", "Edit", lambda w: w.canvas.paste(), ("Ctrl+V",), drawing, on_canvas=True, section=1),
        Action(
            "duplicate", "Duplicate", "Edit", lambda w: w.canvas.duplicate(), ("Ctrl+D",), selected, on_canvas=True,
            section=1,
        ),
        Action(
            "paste_wired", "Paste with its inputs", "Edit", lambda w: w.canvas.paste(keep_inputs=True),
            ("Ctrl+Shift+V",), drawing, on_canvas=True, section=1,
        ),
        Action(
            "duplicate_wired", "Duplicate with its inputs", "Edit", lambda w: w.canvas.duplicate(keep_inputs=True),
            ("Ctrl+Shift+D",), selected, on_canvas=True, section=1,
        ),
        Action(
            "delete", "Delete", "Edit", lambda w: w.canvas.delete_selection(), ("Delete", "Backspace"), selected,
            on_canvas=True, section=2,
        ),
        Action(
            "delete_heal", "Delete and reconnect", "Edit", lambda w: w.canvas.delete_selection(heal=True),
            ("Shift+Delete",), selected, on_canvas=True, section=2,
        ),
    )  # fmt: skip
