"""The windows that open over the window: exports, preferences, help. None of them stops the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from app.dialogs import help
from app.motion import Motion

if TYPE_CHECKING:
    from app.main_window import MainWindow


class Dialogs:
    """Opens dialogs; each frees itself when it is closed."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.take_motion()

    def export(self, kind: str) -> None:
        """Ask where to and export as "onnx" or "pytorch"; a drawing that cannot run is refused in words."""
        from app.dialogs.export import ExportDialog

        problem = self._window.watch.why_not()
        if problem:
            self._window.watch.complain(problem)
            return
        dialog = ExportDialog(self._window, kind)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def show_preferences(self) -> None:
        """Show the preferences."""
        from app.dialogs.preferences import Preferences

        window = self._window
        dialog = Preferences(window.settings, window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.theme_chosen.connect(window.set_theme)
        dialog.motion_chosen.connect(self.take_motion)
        dialog.keys_asked.connect(self.show_keys)
        dialog.run_changed.connect(window.watch.take_options)
        dialog.autosave_chosen.connect(lambda is_on: window.autosave and window.autosave.turn(is_on))
        dialog.open()

    def take_motion(self) -> None:
        """Let things glide, or not, as the user prefers."""
        Motion.is_on = self._window.settings.motion

    def show_tour(self) -> None:
        """Show the first steps, from the first."""
        self._window.tour.start()

    def show_keys(self) -> None:
        """Show the keyboard shortcuts."""
        help.show_keys(self._window)

    def show_log(self) -> None:
        """Open the log's folder."""
        help.show_log()

    def show_about(self) -> None:
        """Show name, version and licence."""
        help.show_about(self._window)
