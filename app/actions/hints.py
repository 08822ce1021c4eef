"""Tooltips that name keys, kept true when the user gives an action others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Hints(QObject):
    """Says the keys of actions on the buttons and fields that stand for them."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.commands.shortcuts.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Say the keys as they are now."""
        window, keys = self._window, self._window.commands.shortcuts
        bar = window.top_bar
        bar.keys.setText(keys.text("find_command").replace("+", " "))
        bar.search.setToolTip(window.commands.tooltip("find_command"))
        bar.run.setToolTip(window.commands.tooltip("run"))
        bar.export.setToolTip("Export as ONNX or as PyTorch code")
        find, following = keys.text("find_block"), keys.text("next_problem")
        found = f"Type a few letters ({find})." if find else "Type a few letters."
        window.block_palette.field.setToolTip(f"{found} On the canvas, Tab finds at the pointer.")
        window.status.problems.setToolTip(
            f"Show the problems ({following} goes to the next)" if following else "Show the problems"
        )
