"""What one steers by is seen: tabs have their height, and the place of the keys is always marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from app.main_window import MainWindow

GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


def test_the_readings_have_tabs_from_the_first_drawing_on(window: MainWindow) -> None:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    readings = window.docks.group_of("memory")
    assert readings is not None
    tabs = readings.bar
    assert tabs.isVisible() and tabs.height() >= tabs.tabRect(0).height() > 0
