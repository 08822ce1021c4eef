"""Wires by the keys of the window, and the search that adds blocks: what it remembers, and how it is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from graph.engine import Engine
    from tests.app.conftest import Hand

SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def chain(window: MainWindow) -> MainWindow:
    """Features → layer → result, in one row."""
    from graph.commands import AddNode, Connect
    from graph.document import FROM_WIRE, Node, Wire

    window.filing.new_empty()
    nodes = (
        Node("a", "FeatureInput", {"dim": 8}),
        Node("b", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(240.0, 0.0)),
        Node("o", "Output", position=(520.0, 0.0)),
    )
    for node in nodes:
        window.session.do(AddNode((), node))
    window.session.do(Connect((), Wire("a", "features", "b", "x")))
    window.session.do(Connect((), Wire("b", "y", "o", "x")))
    window.session.history.done.clear()
    window.canvas.fit_all()
    window.canvas.setFocus()
    QApplication.processEvents()
    return window


def pairs(window: MainWindow) -> set[tuple[str, str]]:
    return {(wire.source, wire.target) for wire in window.session.document.top.wires()}


def press(window: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window.canvas, key, keys)
    QApplication.processEvents()


def test_wires_by_keys_alone(chain: MainWindow) -> None:
    session = chain.session
    session.select(["b"])
    QApplication.processEvents()
    press(chain, Qt.Key.Key_J, ALT)
    assert pairs(chain) == {("a", "o")}
    press(chain, Qt.Key.Key_Z, CONTROL)
    press(chain, Qt.Key.Key_J, SHIFT)
    assert pairs(chain) == set()
    session.select(["a", "b", "o"])
    QApplication.processEvents()
    press(chain, Qt.Key.Key_J)
    assert pairs(chain) == {("a", "b"), ("b", "o")}
    session.select(["b"])
    QApplication.processEvents()
    press(chain, Qt.Key.Key_Semicolon)
    assert pairs(chain) == {("a", "b"), ("b", "reroute"), ("reroute", "o")}
    press(chain, Qt.Key.Key_Delete)
    assert pairs(chain) == {("a", "b"), ("b", "o")}
    session.select(["b"])
    QApplication.processEvents()
    press(chain, Qt.Key.Key_Delete, SHIFT)
    assert pairs(chain) == {("a", "o")}
    assert "b" not in session.document.top
    while session.undo() is not None:
        pass
    assert pairs(chain) == {("a", "b"), ("b", "o")}


@pytest.mark.parametrize("key, keys", [(Qt.Key.Key_Tab, None), (Qt.Key.Key_Space, None), (Qt.Key.Key_A, SHIFT)])
def test_the_search_opens_at_the_pointer(chain: MainWindow, key: Qt.Key, keys: Qt.KeyboardModifier | None) -> None:
    canvas, popup = chain.canvas, chain.finder.popup
    place = canvas.map_from_scene(QPointF(300, -160)).toPoint()
    QTest.mouseMove(canvas, place / 2)  # a pointer that is there already would send nothing
    QTest.mouseMove(canvas, place)
    QApplication.processEvents()
    press(chain, key, keys or Qt.KeyboardModifier.NoModifier)
    assert popup.isVisible()
    assert (popup.mapToGlobal(popup.rect().topLeft()) - canvas.mapToGlobal(place)).manhattanLength() < 4
    QTest.keyClicks(popup.field, "nn.ReLU")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    (id,) = chain.session.selection
    assert chain.session.document.top.node(id).block == "ReLU"
    left, top, right, _ = canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()
    assert left <= 300 <= right and top <= -160 <= top + 36


def test_a_double_click_on_nothing_searches_and_on_a_wire_bends_it(chain: MainWindow, hand: Hand) -> None:
    canvas = chain.canvas
    hand.double_click(canvas, canvas.map_from_scene(QPointF(300, 240)).toPoint())
    assert chain.finder.popup.isVisible()
    chain.finder.popup.close_search()
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    hand.double_click(canvas, canvas.map_from_scene(QPointF(x, y)).toPoint())
    assert not chain.finder.popup.isVisible()
    assert ("b", "reroute") in pairs(chain)


def test_what_was_used_last_comes_first_and_is_remembered(
    chain: MainWindow, open_window: Callable[..., MainWindow], engine: Engine, quit_quietly: Callable[..., None]
) -> None:
    for name in ("Linear", "GELU", "Linear", "Add"):
        chain.add_block(name, None)
    assert chain.finder.recent == ["Add", "Linear", "GELU"]
    assert chain.settings.uses == {"Add": 1, "Linear": 2, "GELU": 1}
    press(chain, Qt.Key.Key_Tab)
    lines = chain.finder.popup.model.entries
    assert [line.title for line in lines[:2]] == ["Recent", "Add"]
    chain.finder.popup.close_search()
    quit_quietly(chain)
    again = open_window(engine=engine)
    assert again.finder.recent == ["Add", "Linear", "GELU"]


def test_the_list_of_a_dropped_wire_has_the_most_used_first_and_wires_it(chain: MainWindow, hand: Hand) -> None:
    canvas, popup = chain.canvas, chain.finder.popup
    for _ in range(4):
        chain.settings.add_use("LayerNorm")
    start = hand.port(canvas, "b", "y", is_input=False)
    goal = canvas.map_from_scene(QPointF(600, 200)).toPoint()
    hand.drag(canvas, start, goal)
    assert popup.isVisible()
    assert popup.model.entries[0].name == "LayerNorm"
    assert popup.note.text() == "What takes batch × seq × 8"
    QTest.keyClicks(popup.field, "lin")
    names = [entry.name for entry in popup.model.entries]
    assert names[0] == "Linear" and "Conv2d" not in names
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    assert ("b", "linear") in pairs(chain)
    assert len(chain.session.history.done) == 1
    assert chain.session.document.top.node("linear").position[0] == round(600 / 4) * 4
