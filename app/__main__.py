"""`python -m app` and the window behind `blockwright`.

Nothing of Qt is imported before the window is wanted: the engine's process imports this module too.
"""

from __future__ import annotations

import sys
from pathlib import Path


def run_window(path: Path | None = None, template: str | None = None) -> int:
    """Show the window, with a file or template if one is named, until it is closed. Returns the exit code."""
    from PySide6.QtWidgets import QApplication

    from app import theme
    from app.faults import Faults, start_log
    from app.live import Timings
    from app.main_window import MainWindow
    from app.motion import Motion
    from app.settings import Settings

    application = QApplication(sys.argv[:1])
    application.setApplicationName("blockwright")
    application.setApplicationDisplayName("Blockwright")
    application.setDesktopFileName("blockwright")
    start_log()
    settings = Settings()
    theme.apply(settings.theme)
    Motion.is_on, Timings.is_on = settings.motion, settings.timings
    window = MainWindow(settings)
    faults = Faults(window)
    window.start(path, template)
    window.show()
    code = application.exec()
    faults.stop()
    return code


if __name__ == "__main__":
    from app.cli import main

    sys.exit(main())
