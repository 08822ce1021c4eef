"""Panels in the window, moved with real mouse and key events: dragged, tabbed, floated, closed, and there again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app import theme
from app.actions.panels import PANEL_IDS
from app.actions.table import ACTIONS
from app.docking.area import Grip
from app.docking.docks import TITLES
from app.docking.floating import FloatWindow, within_screens
from app.docking.layout import Middle, Part, Split, Tabs
from app.widgets.menu import plain

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.docking.group import Group
    from app.main_window import MainWindow
    from graph.engine import Engine

Key, NONE, SHIFT = Qt.Key, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
FIRST = [("palette", "outline"), (["canvas", "properties"], "attention_maps activations memory code problems history")]
GPT = {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32}


def shape(part: Part) -> object:
    """A part of the layout without its sizes: lists are side by side, tuples one above the other."""
    if isinstance(part, Middle):
        return "canvas"
    if isinstance(part, Tabs):
        return " ".join(part.panels)
    return (tuple if part.upright else list)(shape(child) for child in part.parts)


@pytest.fixture
def drawn(window: MainWindow) -> MainWindow:
    window.filing.new_from_template("gpt", GPT)
    QApplication.processEvents()
    return window


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


def test_the_table_names_every_panel(window: MainWindow) -> None:
    assert {panel.name: panel.title for panel in window.docks.panels} | {"palette": "Palette"} == TITLES
    assert {action.id for action in ACTIONS} >= set(PANEL_IDS.values())
    assert sorted(window.docks.layout.names) == sorted(TITLES)


def test_a_header_is_dragged_to_the_other_side(drawn: MainWindow) -> None:
    assert shape(drawn.docks.layout.root) == FIRST
    carry(*tab(drawn, "outline"), place(drawn, "properties", 0.5, 0.85))
    assert shape(drawn.docks.layout.root)[1][0] == ["canvas", ("properties", "outline")]
    outline = next(panel for panel in drawn.docks.panels if panel.name == "outline")
    properties = group(drawn, "properties").geometry()
    assert outline.isVisible()
    assert group(drawn, "outline").geometry().top() == properties.bottom() + 2
    assert group(drawn, "outline").geometry().left() == properties.left()
    assert group(drawn, "palette").height() == drawn.docks.area.height()
    carry(*tab(drawn, "outline"), place(drawn, "palette", 0.5, 0.9))
    assert shape(drawn.docks.layout.root) == FIRST


def test_a_tab_is_dragged_beside_the_canvas_and_back(drawn: MainWindow) -> None:
    before = drawn.docks.area.middle.width()
    carry(*tab(drawn, "memory"), place(drawn, "canvas", 0.1, 0.5))
    assert shape(drawn.docks.layout.root)[0] == ("palette", "outline")
    assert shape(drawn.docks.layout.root)[1][0] == ["memory", "canvas", "properties"]
    assert before - drawn.docks.area.middle.width() == group(drawn, "memory").width() + 1
    bar, _ = tab(drawn, "code")
    goal = bar.mapToGlobal(bar.tabRect(bar.names.index("code")).topLeft() + QPoint(4, 10))
    carry(*tab(drawn, "memory"), goal)
    assert shape(drawn.docks.layout.root) == FIRST
    assert group(drawn, "memory").front == "memory"


def test_panels_become_tabs_and_keep_their_badges(drawn: MainWindow) -> None:
    from graph.commands import SetParam

    drawn.session.do(SetParam(("decoder",), "attn", "dim", 48))
    QApplication.processEvents()
    carry(*tab(drawn, "problems"), place(drawn, "outline", 0.5, 0.5))
    together = group(drawn, "outline")
    assert together.names == ["outline", "problems"]
    assert together.front == "problems"
    QApplication.processEvents()
    count = str(len(drawn.session.report.issues))
    assert (together.bar.badge(0), together.bar.badge(1)) == ("", count)
    assert together.bar.accessibleTabName(1) == f"Problems {count}"
    assert "problems" not in group(drawn, "memory").names
    row = together.header
    carry(row, QPoint(row.width() - 4, 12), place(drawn, "properties", 0.5, 0.5))
    assert group(drawn, "properties").names == ["properties", "outline", "problems"], "the row carries all of them"
    assert group(drawn, "properties").front == "problems"


def test_tabs_change_places_in_their_row(drawn: MainWindow) -> None:
    bar, start = tab(drawn, "activations")
    carry(bar, start, bar.mapToGlobal(QPoint(bar.tabRect(0).left() + 10, start.y())))
    assert group(drawn, "memory").names[:2] == ["activations", "attention_maps"]
    carry(*tab(drawn, "activations"), bar.mapToGlobal(bar.tabRect(5).center() + QPoint(20, 0)), steps=24)
    assert group(drawn, "memory").names[-1] == "activations"
    assert group(drawn, "memory").front == "activations"


def test_the_mark_shows_where_it_would_go(drawn: MainWindow, qtbot: QtBot) -> None:
    bar, start = tab(drawn, "outline")
    carry(bar, start, place(drawn, "properties", 0.5, 0.85), drops=False)
    drag = drawn.docks.carrying.drag
    assert drag is not None
    assert drag.mark.isVisible()
    there = QRect(place(drawn, "properties", 0, 0), group(drawn, "properties").size())
    lower = there.adjusted(0, there.height() - there.height() // 2, 0, 0)
    qtbot.waitUntil(lambda: QRect(drag.mark.mapToGlobal(QPoint()), drag.mark.size()) == lower, timeout=1000)
    assert drag.chip.words.text() == "below Properties"
    edge = drag.mark.grab().toImage().pixelColor(drag.mark.width() // 2, 2)
    assert edge.name() == theme.current().accent
    tabs = group(drawn, "memory").bar
    spot = tabs.tabRect(2)
    QTest.mouseMove(bar, bar.mapFromGlobal(tabs.mapToGlobal(spot.topLeft() + QPoint(4, 18))))
    assert drag.drop.line.center().x() == tabs.mapTo(drawn.docks.area, spot.topLeft()).x()
    assert drag.chip.words.text() == "in a tab with Attention maps"
    QTest.mouseMove(bar, bar.mapFromGlobal(place(drawn, "canvas", 0.5, 0.5)))
    assert not drag.mark.isVisible()
    assert drag.chip.words.text() == "a window of its own"
    QTest.keyClick(drawn, Key.Key_Escape)
    assert drag.is_over
    QTest.mouseRelease(bar, LEFT, NONE, bar.mapFromGlobal(place(drawn, "canvas", 0.5, 0.5)))
    assert shape(drawn.docks.layout.root) == FIRST
    assert windows(drawn) == []
    assert QApplication.overrideCursor() is None


def test_two_clicks_float_a_panel_and_put_it_back(drawn: MainWindow) -> None:
    bar, at = tab(drawn, "outline")
    QTest.mouseDClick(bar, LEFT, NONE, at)
    QApplication.processEvents()
    (window,) = windows(drawn)
    assert window.group.names == ["outline"]
    assert window.windowTitle().startswith("Outline")
    assert drawn.screen().availableGeometry().contains(window.geometry())
    assert group(drawn, "palette").height() == drawn.docks.area.height()
    bar, at = tab(drawn, "outline")
    QTest.mouseDClick(bar, LEFT, NONE, at)
    QApplication.processEvents()
    assert windows(drawn) == []
    assert shape(drawn.docks.layout.root) == FIRST
    assert group(drawn, "outline").window() is drawn


def test_dragged_into_the_open_it_is_a_window_that_takes_tabs(drawn: MainWindow) -> None:
    goal = place(drawn, "canvas", 0.4, 0.5)
    carry(*tab(drawn, "memory"), goal)
    (window,) = windows(drawn)
    assert window.geometry().contains(goal), "it is under the pointer"
    carry(*tab(drawn, "code"), window.mapToGlobal(window.rect().center()))
    assert window.group.names == ["memory", "code"]
    assert windows(drawn) == [window]
    carry(*tab(drawn, "code"), place(drawn, "outline", 0.5, 0.5))
    assert group(drawn, "outline").names == ["outline", "code"]
    before = window.pos()
    carry(*tab(drawn, "memory"), place(drawn, "canvas", 0.6, 0.6))
    (window,) = windows(drawn)
    assert window.pos() != before, "by its header it moves"
    QTest.mouseDClick(window.group.bar, LEFT, NONE, window.group.bar.tabRect(0).center())
    QApplication.processEvents()
    assert "memory" in group(drawn, "history").names


def test_closed_by_its_header_and_shown_again(drawn: MainWindow, hand: object) -> None:
    row = group(drawn, "outline").header
    QTest.mouseMove(row, QPoint(row.width() // 2, 10))
    row.show_buttons()
    QTest.mouseClick(row.cross, LEFT)
    QApplication.processEvents()
    assert drawn.docks.group_of("outline") is None
    drawn.commands.refresh()
    assert not drawn.commands["outline"].isChecked()
    assert group(drawn, "palette").height() == drawn.docks.area.height()
    drawn.show_gallery()
    drawn.show_session(drawn.session)
    assert drawn.docks.group_of("outline") is None, "the gallery brings nothing back"
    QTest.keyClick(drawn, Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert group(drawn, "outline").isVisible()
    drawn.commands.refresh()
    assert drawn.commands["outline"].isChecked()
    bar, at = tab(drawn, "code")
    QTest.mouseClick(bar, Qt.MouseButton.MiddleButton, NONE, at)
    assert "code" not in group(drawn, "memory").names
    drawn.menus.panels.aboutToShow.emit()
    shown = {plain(one.text()): one.isChecked() for one in drawn.menus.panels.actions() if one.isCheckable()}
    assert shown == {title: title != "Code" for title in TITLES.values()}
    drawn.commands[PANEL_IDS["code"]].trigger()
    assert group(drawn, "memory").front == "code"


def test_what_is_closed_takes_no_share_of_what_is_beside_it(
    drawn: MainWindow, open_window: Callable[..., MainWindow], engine: Engine
) -> None:
    def heights(window: MainWindow) -> tuple[int, int]:
        return group(window, "palette").height(), group(window, "outline").height()

    before = heights(drawn)
    for _ in range(3):
        drawn.docks.close("outline")
        drawn.docks.move("memory", "right")
        drawn.docks.move("memory", "below")
        drawn.docks.reveal("outline")
        assert heights(drawn) == before
    drawn.show_gallery()
    drawn.session.history.mark_saved()
    drawn.close()
    second = open_window(engine=engine)
    second.filing.new_empty()
    QApplication.processEvents()
    assert all(abs(one - other) <= 1 for one, other in zip(heights(second), before, strict=True))


def test_readings_go_and_come_together(drawn: MainWindow) -> None:
    carry(*tab(drawn, "code"), place(drawn, "canvas", 0.5, 0.5))
    QTest.keyClick(drawn, Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert drawn.docks.group_of("memory") is None
    assert windows(drawn), "what floats is not in the way"
    assert drawn.docks.area.middle.geometry().bottom() == drawn.docks.area.rect().bottom()
    drawn.docks.move("history", "left")
    assert group(drawn, "history").isVisible(), "what is not below any more stays"
    assert drawn.docks.group_of("memory") is None
    assert drawn.docks.reveal("problems") is not None
    assert group(drawn, "problems").front == "problems"


def test_a_restart_brings_everything_back(
    open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot, quit_quietly: Callable[[MainWindow], None]
) -> None:
    first = open_window(engine=engine)
    first.filing.new_empty()
    QApplication.processEvents()
    carry(*tab(first, "outline"), place(first, "properties", 0.5, 0.85))
    carry(*tab(first, "memory"), place(first, "canvas", 0.5, 0.5))
    windows(first)[0].setGeometry(300, 200, 500, 333)
    QApplication.processEvents()
    first.docks.close("history")
    sizes = {name: group(first, name).geometry() for name in ("palette", "outline", "properties", "code")}
    before = shape(first.docks.layout.root)
    quit_quietly(first)
    assert windows(first) == []
    second = open_window(engine=engine)
    assert windows(second) == [], "the gallery has the window for itself"
    second.filing.new_empty()
    QApplication.processEvents()
    assert shape(second.docks.layout.root) == before
    assert {name: group(second, name).geometry() for name in sizes} == sizes
    assert second.docks.group_of("history") is None
    (window,) = windows(second)
    assert window.geometry() == QRect(300, 200, 500, 333)
    assert window.group.names == ["memory"]
    second.commands["reset_panels"].trigger()
    QApplication.processEvents()
    assert windows(second) == []
    assert shape(second.docks.layout.root) == FIRST
    assert "history" in group(second, "memory").names


def test_what_an_older_program_remembered_is_dropped(
    open_window: Callable[..., MainWindow], engine: Engine, remembered: Path
) -> None:
    with (remembered / "settings" / "window.ini").open("a") as file:
        file.write("[window]\nlayout=@ByteArray(\\0\\0\\0\\xff\\0)\nhidden=memory code\npanel=problems\n")
    window = open_window(engine=engine)
    window.filing.new_empty()
    assert shape(window.docks.layout.root) == FIRST
    assert "memory" in group(window, "code").names
    window.docks.toggle("outline")
    window.settings.flush()
    text = (remembered / "settings" / "window.ini").read_text()
    assert "hidden=" not in text
    assert '\\"version\\":3' in text


def test_a_window_whose_screen_is_gone_comes_into_view(drawn: MainWindow) -> None:
    screen = drawn.screen().availableGeometry()
    for lost in (QRect(9000, 100, 400, 300), QRect(-3000, -3000, 400, 300), QRect(200, screen.bottom() - 4, 400, 300)):
        there = within_screens(lost, drawn)
        assert there.size() == lost.size()
        assert screen.contains(there.topLeft()), f"{lost} lies at {there}"
    kept = QRect(screen.left() + 50, screen.top() + 60, 400, 300)
    assert within_screens(kept, drawn) == kept
    drawn.docks.turn(["memory"])
    (window,) = windows(drawn)
    window.setGeometry(9000, 4000, 400, 300)
    drawn.docks._gather()
    assert screen.contains(window.geometry().topLeft())


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


def test_the_gallery_leaves_the_palette_alone_wherever_it_is(drawn: MainWindow) -> None:
    drawn.docks.move("palette", "right")
    drawn.docks.turn(["memory"])
    drawn.show_gallery()
    assert [one.names for one in drawn.docks.groups()] == [["palette"]]
    assert windows(drawn) == []
    drawn.docks.tab_with("palette", "code")
    assert [one.names for one in drawn.docks.groups()] == [["palette"]]
    drawn.show_session(drawn.session)
    assert [one.group.names for one in windows(drawn)] == [["memory"]]
    assert group(drawn, "palette").names[-1] == "palette"


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


def test_lines_are_dragged_and_stop_at_what_panels_need(drawn: MainWindow) -> None:
    area = drawn.docks.area
    palette = group(drawn, "palette")
    wide = palette.width()
    grip = min(area.findChildren(Grip), key=lambda grip: (abs(grip.x() - palette.geometry().right()), -grip.height()))
    assert grip.cursor().shape() == Qt.CursorShape.SplitHCursor
    middle = grip.rect().center()
    QTest.mousePress(grip, LEFT, NONE, middle)
    QTest.mouseMove(grip, middle + QPoint(60, 0))
    assert palette.width() == wide + 60
    QTest.mouseMove(grip, grip.rect().center() - QPoint(2000, 0))
    QTest.mouseRelease(grip, LEFT, NONE, grip.rect().center())
    assert palette.width() == palette.least().width()
    QTest.mouseMove(drawn, grip.mapTo(drawn, grip.rect().center()))
    QApplication.processEvents()
    look = theme.current()
    assert grip.grab().toImage().pixelColor(2, 9).name() == look.accent
    QTest.mouseMove(drawn, QPoint(drawn.width() // 2, 20))
    QApplication.processEvents()
    assert grip.grab().toImage().pixelColor(2, 9).name() == look.line


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


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640), (1600, 1000)])
def test_nothing_lies_over_anything_at_any_size(drawn: MainWindow, size: tuple[int, int]) -> None:
    for name, side in (("outline", "right"), ("memory", "left"), ("code", "right"), ("history", "left")):
        drawn.docks.move(name, side)
    drawn.resize(*size)
    QApplication.processEvents()
    assert (drawn.width(), drawn.height()) == size, "the panels do not hold the window up"
    area = drawn.docks.area
    rects = [one.geometry() for one in drawn.docks.groups()] + [area.middle.geometry()]
    for place, rect in enumerate(rects):
        assert area.rect().contains(rect)
        assert not any(rect.intersects(other) for other in rects[place + 1 :])
    splits = [part for part, _ in drawn.docks.layout.parts() if isinstance(part, Split)]
    lines = sum(len(split.parts) - 1 for split in splits)
    assert len([grip for grip in area.findChildren(Grip) if grip.isVisible()]) == lines
