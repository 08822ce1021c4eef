"""Tabs as plain words: what is too much for the room is scrolled to, and nothing lies over anything."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app import theme
from app.bars.tab_bar import TabBar


def test_words_do_not_show_through_the_buttons_that_scroll(qtbot: QtBot) -> None:
    theme.apply("dark")
    bar = TabBar()
    qtbot.addWidget(bar)
    for _ in range(3):
        bar.addTab("MMMMMMMMMMMM")
    bar.resize(200, 36)
    bar.show()
    qtbot.waitExposed(bar)
    buttons = sorted((b for b in bar.findChildren(QToolButton) if b.isVisible()), key=lambda button: button.x())
    assert len(buttons) == 2
    seen = bar.grab().toImage()
    for button in buttons:
        edge = [seen.pixelColor(button.mapTo(bar, QPoint(1, y))) for y in range(4, button.height() - 4)]
        assert set(map(QColor.name, edge)) == {QColor(theme.DARK.panel).name()}
    shown = bar.tabRect(0).x()
    QTest.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert bar.tabRect(0).x() < shown
