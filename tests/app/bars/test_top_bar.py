from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app import theme

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow


@pytest.mark.parametrize("name", ["search", "export"])
def test_a_button_that_keys_come_to_has_its_ring_and_no_other(window: MainWindow, qtbot: QtBot, name: str) -> None:
    window.filing.new_empty()
    button = getattr(window.top_bar, name)
    qtbot.waitUntil(button.isEnabled)
    for _ in range(60):
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_F6)
        if window.top_bar.isAncestorOf(window.focusWidget()):
            break
    for _ in range(60):
        if button.hasFocus():
            break
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    assert button.hasFocus()
    picture, look = button.grab().toImage(), theme.current()
    assert picture.pixelColor(0, button.height() // 2).name() == look.accent
    inside = {picture.pixelColor(x, y).name() for x in range(2, button.width() - 2) for y in (4, 5, 6)}
    assert inside == {look.field}
