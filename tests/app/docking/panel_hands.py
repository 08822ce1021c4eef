"""What the tests of panels do by hand: press on headers, carry them, choose from their menus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.docking.floating import FloatWindow
from app.docking.layout import Middle, Part, Tabs
from app.widgets.menu import plain

if TYPE_CHECKING:
    from app.docking.group import Group
    from app.main_window import MainWindow

Key, NONE, SHIFT = Qt.Key, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
FIRST = [("palette", "outline"), (["canvas", "properties"], "attention_maps activations memory code problems history")]


def shape(part: Part) -> object:
    """A part of the layout without its sizes: lists are side by side, tuples one above the other."""
    if isinstance(part, Middle):
        return "canvas"
    if isinstance(part, Tabs):
        return " ".join(part.panels)
    return (tuple if part.upright else list)(shape(child) for child in part.parts)


def group(window: MainWindow, name: str) -> Group:
    found = window.docks.group_of(name)
    assert found is not None, f"{name} is nowhere"
    return found


def tab(window: MainWindow, name: str) -> tuple[QWidget, QPoint]:
    """The bar with the name of a panel, and where on it that is."""
    bar = group(window, name).bar
    return bar, bar.tabRect(bar.names.index(name)).center()


def carry(bar: QWidget, start: QPoint, goal: QPoint, *, steps: int = 6, drops: bool = True) -> None:
    """Press on a header, go to a place of the screen, and release there."""
    end = bar.mapFromGlobal(goal)
    QTest.mouseMove(bar, start)
    QTest.mousePress(bar, LEFT, NONE, start)
    for step in range(1, steps + 1):
        QTest.mouseMove(bar, start + (end - start) * step / steps)
        QApplication.processEvents()
    if drops:
        QTest.mouseRelease(bar, LEFT, NONE, end)
        QApplication.processEvents()


def place(window: MainWindow, name: str, x: float, y: float) -> QPoint:
    """A place on the screen within the group of a panel, or the canvas: 0 to 1 from its left and top."""
    widget = window.docks.area.middle if name == "canvas" else group(window, name)
    return widget.mapToGlobal(QPoint(round(x * widget.width()), round(y * widget.height())))


def windows(window: MainWindow) -> list[FloatWindow]:
    return [one for one in window.findChildren(FloatWindow) if one.isVisible()]


def press(window: MainWindow, words: str) -> None:
    """Choose from the menu that is open, by keys."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    for action in menu.actions():
        if plain(action.text()).startswith(words):
            menu.setActiveAction(action)
            QTest.keyClick(menu, Key.Key_Return)
            QApplication.processEvents()
            return
    pytest.fail(f"{words} is not in {[plain(action.text()) for action in menu.actions()]}")
