"""The rows of the table of actions that run the drawing and go through its problems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.action import Action
from app.actions.conditions import one_selected

if TYPE_CHECKING:
    from app.main_window import MainWindow


def _runnable(window: MainWindow) -> bool:
    return window.drawing is not None and bool(window.drawing.document.top.nodes) and not window.is_running


def _has_problem(window: MainWindow) -> bool:
    return window.drawing is not None and any(issue.path for issue in window.drawing.report.issues)


def model_actions() -> tuple[Action, ...]:
    """The Model menu."""
    return (
        Action("run", "Run", "Model", lambda w: w.watch.run(), ("F5", "Ctrl+R"), _runnable),
        Action(
            "run_here", "Run to here", "Model", lambda w: w.watch.run_to_here(), ("Ctrl+F5",),
            lambda w: _runnable(w) and one_selected(w),
        ),
        Action("cancel", "Cancel the run", "Model", lambda w: w.watch.cancel(), ("Shift+F5",), lambda w: w.is_running),
        Action(
            "next_problem", "Next problem", "Model", lambda w: w.watch.next_problem(), ("F8",), _has_problem, section=1
        ),
        Action(
            "previous_problem", "Previous problem", "Model", lambda w: w.watch.next_problem(-1), ("Shift+F8",),
            _has_problem, section=1,
        ),
    )  # fmt: skip
