"""A theme that is taken while windows are open: all of them follow at once, and the way back leads to the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

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
