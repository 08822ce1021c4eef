"""Panels moved with real mouse events: dragged to other sides, tabbed, floated; and the lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from panel_hands import FIRST, LEFT, NONE, Key, carry, group, place, shape, tab, windows
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import theme
from app.docking.area import Grip

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow


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
