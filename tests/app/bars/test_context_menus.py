"""The menus that the right button opens: each for what is under the pointer, with what can be done there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.menu import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.main_window import MainWindow

NONE = Qt.KeyboardModifier.NoModifier
BY_MOUSE, BY_KEY = QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard


@pytest.fixture
def gpt(window: MainWindow) -> Iterator[MainWindow]:
    """A window with a small GPT on the canvas."""
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    QApplication.processEvents()
    window.canvas.setFocus()
    yield window
    while menu := QApplication.activePopupWidget():
        menu.close()


def ask(window: MainWindow, scene: QPointF, reason: QContextMenuEvent.Reason = BY_MOUSE) -> QMenu:
    """Press the right button (or the menu key) and return the menu."""
    canvas = window.canvas
    point = canvas.map_from_scene(scene).toPoint()
    if reason is BY_MOUSE:
        QTest.mousePress(canvas, Qt.MouseButton.RightButton, NONE, point)
    QApplication.sendEvent(canvas, QContextMenuEvent(reason, point, canvas.mapToGlobal(point), NONE))
    if reason is BY_MOUSE:
        QTest.mouseRelease(canvas, Qt.MouseButton.RightButton, NONE, point)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def titles(menu: QMenu) -> list[str]:
    return [plain(action.text()) for action in menu.actions() if not action.isSeparator()]


def choose(menu: QMenu, title: str) -> None:
    next(action for action in menu.actions() if plain(action.text()) == title).trigger()
    menu.close()
    QApplication.processEvents()


def middle(window: MainWindow, id: str) -> QPointF:
    left, top, right, _ = window.canvas.geometry_of.bounds([id])
    return QPointF((left + right) / 2, top + 12)


def wire_into(window: MainWindow, id: str):
    return next(wire for wire in window.session.document.top.wires() if wire.target == id)


def test_a_block_is_offered_nothing_that_only_groups_or_several_can_do(gpt: MainWindow) -> None:
    found = titles(ask(gpt, middle(gpt, "final_norm")))
    assert {"Rename …", "Cut", "Switch off", "Collapse", "Wires", "Run to here"} <= set(found)
    assert not {"Enter group", "Ungroup", "Repeat …", "Share weights"} & set(found)
    assert len(found) <= 20
    QApplication.activePopupWidget().close()
    assert {"Enter group", "Ungroup", "Repeat …", "Share weights"} <= set(titles(ask(gpt, middle(gpt, "decoder"))))


def test_a_wire_is_cut_bent_or_given_a_block(gpt: MainWindow) -> None:
    session, canvas = gpt.session, gpt.canvas
    session.select(["head"])
    wire = wire_into(gpt, "final_norm")
    place = canvas.middle_of(wire)
    menu = ask(gpt, place)
    assert titles(menu) == ["Insert a block into the wire …", "Add a dot to the wire", "Cut the wire"]
    assert canvas.looks.chosen == wire
    choose(menu, "Cut the wire")
    assert wire not in list(session.document.top.wires())
    session.undo()
    choose(ask(gpt, place), "Insert a block into the wire …")
    assert gpt.finder.popup.isVisible()
    QTest.keyClicks(gpt.finder.popup.field, "linear")
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Return)
    assert wire_into(gpt, "final_norm").source == "linear"
    assert wire_into(gpt, "linear").source == wire.source
    session.undo()
    assert wire in list(session.document.top.wires())
    assert not session.history.can_undo


def test_the_key_inserts_into_the_chosen_wire_and_says_what_to_choose(gpt: MainWindow) -> None:
    canvas = gpt.canvas
    QTest.keyClick(canvas, Qt.Key.Key_I)
    assert gpt.banners.shown[-1].text == "Click the wire that a block is to go into."
    canvas.choose(wire_into(gpt, "final_norm"))
    QTest.keyClick(canvas, Qt.Key.Key_I)
    assert gpt.finder.popup.isVisible()
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Escape)


def test_a_port_is_wired_and_freed(gpt: MainWindow) -> None:
    session = gpt.session
    place = gpt.canvas.geometry_of.port("final_norm", "y", is_input=False)
    menu = ask(gpt, QPointF(place.x, place.y))
    assert titles(menu) == ["Find a block that fits …", "Wire it to …", "Cut its wires"]
    choose(menu, "Cut its wires")
    assert session.document.top.outgoing("final_norm") == []
    session.undo()
    assert len(session.document.top.outgoing("final_norm")) == 1
    choose(ask(gpt, QPointF(place.x, place.y)), "Find a block that fits …")
    QTest.keyClicks(gpt.finder.popup.field, "gelu")
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Return)
    assert wire_into(gpt, "gelu").source == "final_norm"


def test_on_the_ground_things_are_added_where_the_menu_was_asked_for(gpt: MainWindow) -> None:
    canvas, session = gpt.canvas, gpt.session
    session.select(["final_norm"])
    canvas.copy()
    scene = canvas.map_to_scene(QPoint(canvas.width() // 3, canvas.height() - 40))
    menu = ask(gpt, scene)
    assert titles(menu)[:2] == ["Add a block …", "Paste"]
    assert "Leave group" not in titles(menu)
    choose(menu, "Paste")
    (new,) = session.selection
    assert new != "final_norm"
    left, top, _, _ = canvas.geometry_of.bounds([new])
    assert (left, top) == pytest.approx((scene.x(), scene.y()), abs=8)
    session.undo()
    asked = []
    canvas.search_requested.connect(lambda place, _screen: asked.append(place))
    choose(ask(gpt, scene), "Add a block …")
    assert (asked[0].x(), asked[0].y()) == pytest.approx((scene.x(), scene.y()), abs=1)
    QTest.keyClick(gpt.finder.popup.field, Qt.Key.Key_Escape)
    QGuiApplication.clipboard().clear()


def test_the_menu_key_asks_about_what_is_selected_and_opens_there(gpt: MainWindow) -> None:
    canvas = gpt.canvas
    gpt.session.select(["final_norm"])
    places = []
    canvas.menu_requested.connect(lambda scene, _screen: places.append(scene))
    menu = ask(gpt, QPointF(), BY_KEY)
    assert "Switch off" in titles(menu)
    left, top, right, bottom = canvas.geometry_of.bounds(["final_norm"])
    assert left <= places[0].x() <= right
    assert top <= places[0].y() <= bottom
    menu.close()
    canvas.choose(wire_into(gpt, "final_norm"))
    menu = ask(gpt, QPointF(), BY_KEY)
    assert "Cut the wire" in titles(menu)
    menu.close()
    canvas.choose(None)
    gpt.session.select(())
    assert "Add a block …" in titles(ask(gpt, QPointF(), BY_KEY))


def test_escape_leaves_a_group_when_nothing_else_is_to_be_left(gpt: MainWindow) -> None:
    gpt.canvas.enter_group("decoder")
    gpt.session.select(["attn"])
    QTest.keyClick(gpt.canvas, Qt.Key.Key_Escape)
    assert gpt.session.at == ("decoder",)
    QTest.keyClick(gpt.canvas, Qt.Key.Key_Escape)
    assert gpt.session.at == ()
    assert gpt.session.selection == {"decoder"}


def test_a_refusal_goes_with_the_next_thing_that_is_done(gpt: MainWindow) -> None:
    QTest.keyClick(gpt.canvas, Qt.Key.Key_I)
    assert [banner.tone for banner in gpt.banners.shown] == ["warning"]
    gpt.session.select(["final_norm"])
    QApplication.processEvents()
    assert gpt.banners.shown, "nothing is done yet"
    QTest.keyClick(gpt.canvas, Qt.Key.Key_H)
    assert [banner.text for banner in gpt.banners.shown] == []
