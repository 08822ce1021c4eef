"""The first steps: shown once, four of them, at real controls; by mouse, by keys, or skipped; again from the menu."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app import theme
from app.settings import Settings
from app.tour import STEPS

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand


@pytest.fixture
def newcomer(remembered: Path) -> None:
    """A home in which the first steps were never shown."""
    settings = Settings()
    settings.has_seen_tour = False
    settings.flush()


@pytest.fixture
def first(newcomer: None, open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot) -> MainWindow:
    """The window of someone who starts the program for the first time."""
    window = open_window(engine=engine)
    qtbot.waitUntil(lambda: window.tour.is_shown)
    return window


def area(window: MainWindow, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint()), widget.size())


def is_beside(window: MainWindow, place: QRect) -> bool:
    """Whether the callout lies within the window, beside a place and not on it."""
    rect = window.tour.callout.geometry()
    near = rect.intersects(place.adjusted(-12, -12, 12, 12))
    return window.rect().contains(rect) and near and not rect.adjusted(8, 8, -8, -8).intersects(place)


def test_four_steps_point_at_real_controls(first: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    tour, callout = first.tour, first.tour.callout
    assert callout.title.text() == "Pick an architecture"
    assert is_beside(first, area(first, first.gallery.setup.button))
    hand.click(callout.next)
    qtbot.waitUntil(lambda: tour.step == 1)
    assert first.session.document.top.nodes, "what was chosen is drawn, so that there is something to look into"
    canvas = first.canvas
    group = canvas.geometry_of.bounds(["decoder"])
    qtbot.waitUntil(
        lambda: is_beside(
            first, canvas.camera.rect_to_screen(*group).toAlignedRect().translated(canvas.mapTo(first, QPoint()))
        )
    )
    hand.click(callout.next)
    assert is_beside(first, area(first, first.top_bar.run))
    hand.click(callout.next)
    assert is_beside(first, area(first, first.top_bar.export))
    assert callout.next.text() == "Done"
    assert not callout.skip.isVisible()
    hand.click(callout.next)
    assert not tour.is_shown
    assert len(STEPS) == 4


def test_who_begins_with_an_empty_canvas_is_told_how_to_draw(first: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    tour = first.tour
    hand.click(first.gallery._empty)
    qtbot.waitUntil(lambda: tour.step == 1)
    assert tour.callout.title.text() == "Draw"
    middle = QRect(first.canvas.mapTo(first, first.canvas.rect().center()), QSize(1, 1)).adjusted(-120, -20, 120, 20)
    qtbot.waitUntil(lambda: not tour.callout.geometry().intersects(middle))
    hand.click(tour.callout.next)
    hand.click(tour.callout.back)
    assert tour.callout.title.text() == "Draw"


def test_it_is_shown_once_and_again_from_the_menu(
    first: MainWindow, open_window: Callable[..., MainWindow], engine: Engine, hand: Hand
) -> None:
    hand.click(first.tour.callout.skip)
    assert not first.tour.is_shown
    first.close()
    second = open_window(engine=engine)
    QTest.qWait(50)
    assert not second.tour.is_shown
    second.commands["tour"].trigger()
    assert second.tour.is_shown
    assert second.tour.callout.next.hasFocus()


def test_it_is_walked_by_keys(first: MainWindow, qtbot: QtBot) -> None:
    tour = first.tour
    assert tour.callout.next.hasFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tour.step == 1)
    QTest.keyClick(first.canvas, Qt.Key.Key_F6)
    assert tour.callout.isAncestorOf(QApplication.focusWidget()), "F6 leads there from the canvas"
    QTest.keyClick(tour.callout.next, Qt.Key.Key_Return)
    assert tour.step == 2
    QTest.keyClick(tour.callout.back, Qt.Key.Key_Space)
    assert tour.step == 1
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not tour.is_shown
    assert first.canvas.hasFocus()


def test_it_follows_what_the_user_does(first: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    tour = first.tour
    first.gallery.choose("mlp")
    hand.click(first.gallery.setup.button)
    qtbot.waitUntil(lambda: tour.step == 1)
    assert first.session.document.title == "multilayer perceptron"
    before = tour.callout.geometry()
    first.resize(1300, 800)
    qtbot.waitUntil(lambda: tour.callout.geometry() != before)
    assert first.rect().contains(tour.callout.geometry())
    tour.forward()
    hand.click(first.top_bar.run)
    assert tour.step == 3


def test_it_greets_nobody_who_opens_a_file(
    newcomer: None, open_window: Callable[..., MainWindow], engine: Engine, qtbot: QtBot
) -> None:
    window = open_window(engine=engine, template="mlp")
    qtbot.waitUntil(lambda: window.canvas is not None)
    assert not window.tour.is_shown


def test_it_is_seen_in_both_looks(first: MainWindow) -> None:
    callout = first.tour.callout
    try:
        for look in (theme.LIGHT, theme.DARK):
            first.set_theme(look.name)
            picture = callout.grab().toImage()
            assert picture.pixelColor(callout.width() // 4, callout.height() - 20).name() == look.node
    finally:
        first.set_theme("dark")
