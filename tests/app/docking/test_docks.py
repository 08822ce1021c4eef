"""Panels in the window: closed and shown again, there after a restart, never over one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from panel_hands import FIRST, LEFT, NONE, Key, carry, group, place, shape, tab, windows
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.panels import PANEL_IDS
from app.actions.table import ACTIONS
from app.docking.area import Grip
from app.docking.docks import TITLES
from app.docking.floating import within_screens
from app.docking.layout import Split
from app.widgets.menu import plain

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine


def test_the_table_names_every_panel(window: MainWindow) -> None:
    assert {panel.name: panel.title for panel in window.docks.panels} | {"palette": "Palette"} == TITLES
    assert {action.id for action in ACTIONS} >= set(PANEL_IDS.values())
    assert sorted(window.docks.layout.names) == sorted(TITLES)


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


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640), (1600, 1000)])
def test_nothing_lies_over_anything_at_any_size(drawn: MainWindow, size: tuple[int, int]) -> None:
    for name, side in (("outline", "right"), ("memory", "left"), ("code", "right"), ("history", "left")):
        drawn.docks.move(name, side)
    drawn.resize(*size)
    QApplication.processEvents()
    assert (drawn.width(), drawn.height()) == size, "the panels do not hold the window up"
    area = drawn.docks.area
    rects = [one.geometry() for one in drawn.docks.groups()] + [area.middle.geometry()]
    for number, rect in enumerate(rects):
        assert area.rect().contains(rect)
        assert not any(rect.intersects(other) for other in rects[number + 1 :])
    splits = [part for part, _ in drawn.docks.layout.parts() if isinstance(part, Split)]
    lines = sum(len(split.parts) - 1 for split in splits)
    assert len([grip for grip in area.findChildren(Grip) if grip.isVisible()]) == lines
