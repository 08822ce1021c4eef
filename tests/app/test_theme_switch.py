"""A theme that is taken while windows are open: all of them follow at once, and the way back leads to the same."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from app import theme
from app.stylesheet import style

if TYPE_CHECKING:
    from app.main_window import MainWindow


def test_a_theme_is_followed_and_the_way_back_leads_to_the_same(window: MainWindow) -> None:
    def picture() -> object:
        QApplication.processEvents()
        return window.gallery.grab().toImage()

    window.set_theme("dark")
    dark = picture()
    window.set_theme("light")
    light = picture()
    assert light != dark
    window.set_theme("dark")
    assert picture() == dark


def test_a_theme_is_taken_faster_than_a_sheet_is_changed(window: MainWindow) -> None:
    def cost(name: str, sheet: str) -> float:
        application = QApplication.instance()
        theme.apply("dark" if name == "light" else "light")
        start = time.process_time()
        application.setStyleSheet(sheet) if sheet else theme.apply(name)
        return time.process_time() - start

    assert window.isVisible()
    rounds = [(cost("light", ""), cost("light", style(theme.LIGHT))) for _ in range(3)]
    assert min(new for new, _ in rounds) < min(old for _, old in rounds)
    window.set_theme("dark")
