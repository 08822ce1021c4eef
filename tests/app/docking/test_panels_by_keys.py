"""Panels worked by keys alone: the menu of a header, commands, F6, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panel_hands import SHIFT, Key, group, press, shape, windows
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.menu import plain

if TYPE_CHECKING:
    from app.main_window import MainWindow


def test_the_menu_of_a_header_by_keys(drawn: MainWindow) -> None:
    bar = group(drawn, "properties").bar
    bar.setFocus()
    QTest.keyClick(bar, Key.Key_F10, SHIFT)
    press(drawn, "Move Properties to the left")
    assert shape(drawn.docks.layout.root)[0] == ("palette", "outline", "properties")
    assert drawn.focusWidget() is group(drawn, "properties").bar, "the keyboard goes along"
    QTest.keyClick(drawn.focusWidget(), Key.Key_Menu)
    press(drawn, "Move Properties below")
    assert group(drawn, "properties").names[-1] == "properties"
    assert group(drawn, "properties").front == "properties"
    QTest.keyClick(drawn.focusWidget(), Key.Key_Return)
    press(drawn, "Move Properties to the right")
    assert shape(drawn.docks.layout.root)[-1] == "properties"
    QTest.keyClick(drawn.focusWidget(), Key.Key_F10, SHIFT)
    press(drawn, "Float Properties")
    (window,) = windows(drawn)
    assert window.group.names == ["properties"]
    QTest.keyClick(window.group.bar, Key.Key_F10, SHIFT)
    press(drawn, "Put Properties back")
    assert windows(drawn) == []
    QTest.keyClick(group(drawn, "properties").bar, Key.Key_Delete)
    assert drawn.docks.group_of("properties") is None


def test_the_menu_within_a_panel_and_its_list_of_others(drawn: MainWindow) -> None:
    outline = next(panel for panel in drawn.docks.panels if panel.name == "outline")
    outline.take_focus()
    at = QPoint(20, 20)
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, outline.mapToGlobal(at))
    QApplication.sendEvent(outline, asked)
    press(drawn, "Tab with")
    others = QApplication.activePopupWidget()
    assert isinstance(others, QMenu)
    assert [plain(action.text()) for action in others.actions()] == [
        "Palette", "Properties", "Attention maps, Activations, Memory …",
    ]  # fmt: skip
    press(drawn, "Properties")
    assert group(drawn, "outline").names == ["properties", "outline"]


def test_commands_are_found_and_name_the_panel(drawn: MainWindow) -> None:
    outline = next(panel for panel in drawn.docks.panels if panel.name == "outline")
    outline.take_focus()
    drawn.finder.commands()
    drawn.finder.popup.field.setText("move outline right")
    QTest.keyClick(drawn.finder.popup.field, Key.Key_Return)
    QApplication.processEvents()
    assert shape(drawn.docks.layout.root)[1][0] == ["canvas", ("properties", "outline")]
    drawn.commands["panel_tab"].trigger()
    press(drawn, "Palette")
    assert group(drawn, "palette").names == ["palette", "outline"]
    drawn.commands["panel_close"].trigger()
    assert drawn.docks.group_of("outline") is None
    drawn.activateWindow()
    QApplication.processEvents()
    drawn.focus_palette()
    drawn.commands.refresh()
    marked = {entry.name: entry.icon for entry in drawn.finder._command_lines("panel")}
    assert (marked["palette"], marked["outline"]) == ("check", ""), "outline was closed"
    for words in ("memory panel", "reset panel layout", "float palette"):
        found = drawn.finder._command_lines(words)
        assert found[0].title.lower() == words


def test_f6_goes_through_panels_wherever_they_are(drawn: MainWindow) -> None:
    drawn.docks.move("outline", "right")
    drawn.docks.turn(["code"])
    drawn.activateWindow()
    drawn.canvas.setFocus()
    visited = []
    for _ in range(10):
        drawn.panes.go(1)
        QApplication.processEvents()
        focus = QApplication.focusWidget()
        found = [one for one in drawn.docks.groups() if one.isAncestorOf(focus)]
        visited.append(found[0].front if found else "")
    assert visited.index("properties") < visited.index("outline") < visited.index("palette") < visited.index("code")


def test_sizes_are_changed_by_keys(drawn: MainWindow) -> None:
    palette, middle = group(drawn, "palette"), drawn.docks.area.middle
    palette.bar.setFocus()
    wide, high, canvas = palette.width(), palette.height(), middle.width()
    QTest.keyClick(palette.bar, Key.Key_Menu)
    press(drawn, "Size")
    press(drawn, "Make Palette wider")
    assert (palette.width(), middle.width()) == (wide + 48, canvas - 48)
    drawn.commands["panel_lower"].trigger()
    assert palette.height() == high - 48
    drawn.commands["panel_higher"].trigger()
    drawn.commands["panel_narrower"].trigger()
    assert (palette.width(), palette.height(), middle.width()) == (wide, high, canvas)
    drawn.docks.turn(["memory"])
    drawn.docks.current = "memory"
    (window,) = windows(drawn)
    before = window.height()
    drawn.commands["panel_higher"].trigger()
    QApplication.processEvents()
    assert window.height() == before + 48
    assert drawn.docks.layout.floats[0].rect[3] == before + 48
