"""The window without a mouse: a network built by keys alone, nodes walked, wires laid from a list, parts visited."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.searching import wiring
from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, Node, Wire
from graph.files import document_to_data

if TYPE_CHECKING:
    from app.main_window import MainWindow

ALT, CONTROL, SHIFT = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
Key = Qt.Key


class Keys:
    """Presses keys where the focus is, as a keyboard does."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window

    def __call__(self, *keys: Key | str, held: Qt.KeyboardModifier = NONE) -> None:
        for key in keys:
            QApplication.processEvents()
            target = QApplication.focusWidget()
            assert target is not None, "nothing has the focus"
            if isinstance(key, str):
                QTest.keyClicks(target, key)
            else:
                QTest.keyClick(target, key, held)
            QApplication.processEvents()


@pytest.fixture
def keys(window: MainWindow) -> Keys:
    return Keys(window)


def wires_of(window: MainWindow) -> set[tuple[str, str]]:
    return {(wire.source, wire.target) for wire in window.session.document.top.wires()}


def test_a_small_network_is_built_by_keys_alone(window: MainWindow, keys: Keys) -> None:
    keys(Key.Key_N, held=CONTROL | SHIFT)
    canvas, session = window.canvas, window.session
    assert canvas is not None and canvas.hasFocus()
    before = document_to_data(session.document)
    keys(Key.Key_A, held=SHIFT)
    keys("feature input", Key.Key_Return)
    for name in ("linear", "relu", "linear", "output"):
        keys("w")
        keys(name, Key.Key_Down, Key.Key_Up, Key.Key_Return)
    nodes = session.document.top.nodes
    assert [nodes[id].block for id in canvas.walker.order()] == ["FeatureInput", "Linear", "ReLU", "Linear", "Output"]
    assert wires_of(window) == {
        ("feature_input", "linear"), ("linear", "re_lu"), ("re_lu", "linear_2"), ("linear_2", "output"),
    }  # fmt: skip
    assert session.report.valid, [str(issue) for issue in session.report.issues]
    rects = [tuple(canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()) for id in canvas.walker.order()]
    assert all(left[2] < right[0] for left, right in zip(rects, rects[1:], strict=False)), "one beside the other"
    keys(Key.Key_Z, held=CONTROL)
    assert "output" not in session.document.top
    for _ in range(4):
        keys(Key.Key_Z, held=CONTROL)
    assert document_to_data(session.document) == before


@pytest.fixture
def forked(window: MainWindow) -> MainWindow:
    """An input that feeds two, which are added; and an output that lacks its wire."""
    window.filing.new_empty()
    session = window.session
    for node in (
        Node("source", "FeatureInput", {"dim": 32}, position=(0.0, 0.0)),
        Node("above", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(240.0, 0.0)),
        Node("below", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(240.0, 160.0)),
        Node("total", "Add", position=(520.0, 0.0)),
        Node("result", "Output", position=(760.0, 0.0)),
    ):
        session.do(AddNode((), node))
    for source, output, target, order in (
        ("source", "features", "above", 0), ("source", "features", "below", 0),
        ("above", "y", "total", 0), ("below", "y", "total", 1),
    ):  # fmt: skip
        first = next(iter(session.report.node((target,)).input_ports))
        session.do(Connect((), Wire(source, output, target, first, order)))
    assert window.canvas is not None
    window.canvas.fit_all()
    return window


def test_tab_goes_through_the_nodes_and_on(forked: MainWindow, keys: Keys) -> None:
    canvas, session = forked.canvas, forked.session
    forked.block_palette.list.setFocus()
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    picture = canvas.grab().toImage()
    from app import theme

    assert picture.pixelColor(300, 0).name() == theme.current().accent, "the focus ring is seen"
    gone = []
    for _ in range(5):
        keys(Key.Key_Tab)
        gone.append(session.focus[-1])
    assert gone == canvas.walker.order()
    assert gone[0] == "source" and set(gone) == set(session.document.top.nodes)
    keys(Key.Key_Backtab)
    assert session.focus[-1] == gone[-2]
    keys(Key.Key_Tab, Key.Key_Tab)
    assert not canvas.hasFocus(), "after the last node the focus goes on: the keys are never caught"
    assert not session.history.undone and session.focus[-1] == gone[-1]


def test_the_mouse_gives_tab_back_to_the_search(forked: MainWindow, keys: Keys) -> None:
    canvas = forked.canvas
    canvas.setFocus()
    keys(Key.Key_Backtab)
    assert canvas.walker.is_on
    QTest.mouseMove(canvas, QPoint(200, 300))
    QTest.mouseMove(canvas, QPoint(210, 310))
    assert not canvas.walker.is_on
    keys(Key.Key_Tab)
    assert forked.finder.popup.isVisible()


def test_arrows_move_what_is_selected(forked: MainWindow, keys: Keys) -> None:
    canvas, session = forked.canvas, forked.session
    canvas.setFocus()
    before, steps = document_to_data(session.document), len(session.history.done)
    session.select(["above", "below"])
    keys(Key.Key_Right)
    step = session.document.top.node("above").position[0] - 240.0
    assert step > 0
    keys(Key.Key_Right, held=SHIFT)
    assert session.document.top.node("below").position == (240.0 + 6 * step, 160.0)
    while len(session.history.done) > steps:
        session.undo()
    assert document_to_data(session.document) == before


def test_alt_and_arrows_walk_along_wires_and_among_several(forked: MainWindow, keys: Keys) -> None:
    canvas, session = forked.canvas, forked.session
    canvas.setFocus()
    session.select(["total"])
    walked = []
    for key in (
        Key.Key_Left, Key.Key_Down, Key.Key_Down, Key.Key_Down, Key.Key_Left, Key.Key_Right, Key.Key_Right,
    ):  # fmt: skip
        keys(key, held=ALT)
        walked.append(session.focus[-1])
    assert walked == ["above", "below", "above", "below", "source", "below", "total"], "the way back is the way there"


def test_a_wire_is_laid_from_a_list(forked: MainWindow, keys: Keys) -> None:
    canvas, session, popup = forked.canvas, forked.session, forked.finder.popup
    canvas.setFocus()
    session.select(["total"])
    before = document_to_data(session.document)
    keys("w")
    assert popup.isVisible()
    entries = popup.model.entries
    assert (entries[0].kind, entries[1].title) == ("heading", "Output")
    assert "batch" in popup.note.text()
    keys(Key.Key_Return)
    assert ("total", "result") in wires_of(forked)
    assert canvas.hasFocus() and session.focus == ("result",)
    session.undo()
    assert document_to_data(session.document) == before
    session.select(["result"])
    keys(Key.Key_W, held=SHIFT)
    assert popup.model.entries[1].title == "Add", "what is nearest and fits comes first"
    keys(Key.Key_Escape)
    assert not popup.isVisible()
    assert document_to_data(session.document) == before


def test_the_list_knows_shapes_and_what_gives_way(forked: MainWindow) -> None:
    session = forked.session
    ways = wiring.ways_out(session, "source")
    assert {way.wire.target for way in ways} == {"result"}, "32 features do not go with 8, and two have them already"
    ways = wiring.ways_in(session, "below")
    assert [way.instead for way in ways if way.wire.source == "above"] == ["Feature input"]
    assert next(way for way in ways if way.wire.source == "above").detail == "batch × seq × 8"
    assert wiring.lay(session, next(way for way in ways if way.wire.source == "above"))
    assert ("source", "below") not in wires_of(forked)
    assert ("above", "below") in wires_of(forked)


def test_f6_goes_round_the_parts_of_the_window(forked: MainWindow, keys: Keys) -> None:
    forked.canvas.setFocus()
    parts = {
        "canvas": forked.stack, "properties": forked.docks.group_of("properties"),
        "readings": forked.docks.group_of("memory"), "bar": forked.top_bar, "palette": forked.block_palette,
        "outline": forked.docks.group_of("outline"),
    }  # fmt: skip

    def here() -> str:
        focus = QApplication.focusWidget()
        return next((name for name, part in parts.items() if part is focus or part.isAncestorOf(focus)), "status")

    visited = []
    for _ in range(8):
        keys(Key.Key_F6)
        visited.append(here())
        if visited[-1] == "canvas":
            break
    assert set(parts) <= set(visited)
    keys(Key.Key_F6, held=SHIFT)
    assert here() == visited[-2]


def test_alt_shift_and_arrows_select_along_wires(forked: MainWindow, keys: Keys) -> None:
    session = forked.session
    forked.canvas.setFocus()
    session.select(["source"])
    keys(Key.Key_Right, Key.Key_Down, Key.Key_Right, held=ALT | SHIFT)
    assert session.selection == {"source", "above", "below", "total"}
    keys(Key.Key_Left, held=ALT)
    assert session.selection == {"below"}, "without Shift it is one again"
    before = document_to_data(session.document)
    keys(Key.Key_Right, held=ALT | SHIFT)
    keys(Key.Key_G, held=CONTROL)
    assert len(session.document.top.nodes) == 4
    session.undo()
    assert document_to_data(session.document) == before


def test_tab_goes_on_from_where_one_was(forked: MainWindow, keys: Keys) -> None:
    canvas, session = forked.canvas, forked.session
    forked.block_palette.list.setFocus()
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    order = canvas.walker.order()
    keys(Key.Key_Tab, Key.Key_Tab, Key.Key_Tab)
    assert session.focus == (order[2],)
    keys(Key.Key_Escape, Key.Key_Tab)
    assert session.focus == (order[2],)
    keys(Key.Key_Delete, Key.Key_Tab)
    assert session.focus == (order[3],)
    keys(Key.Key_Z, held=CONTROL)
    assert session.focus == (order[2],), "one is on what has come back"
    keys(Key.Key_Backtab)
    assert session.focus == (order[1],)


def test_a_drawing_that_is_opened_by_keys_is_worked_by_keys(window: MainWindow, keys: Keys) -> None:
    window.gallery.choose("mlp")
    QApplication.processEvents()
    keys(Key.Key_Return)
    canvas = window.canvas
    assert canvas is not None and canvas.hasFocus() and canvas.walker.is_on
    picture = canvas.grab().toImage()
    from app import theme

    assert picture.pixelColor(300, 0).name() == theme.current().accent, "the focus ring is seen"
    keys(Key.Key_Tab)
    assert window.session.focus == (canvas.walker.order()[0],)


def test_a_drawing_that_is_opened_by_mouse_keeps_tab_for_the_search(window: MainWindow, keys: Keys) -> None:
    QTest.mouseClick(window.gallery.setup.button, Qt.MouseButton.LeftButton)
    assert window.canvas is not None and not window.canvas.walker.is_on
    keys(Key.Key_Tab)
    assert window.finder.popup.isVisible()


def test_a_wire_is_chosen_from_a_list_and_cut(forked: MainWindow, keys: Keys) -> None:
    canvas, session = forked.canvas, forked.session
    canvas.setFocus()
    session.select(["total"])
    before = document_to_data(session.document)
    keys(Key.Key_W, held=ALT)
    titles = [(entry.kind, entry.title) for entry in forked.finder.popup.model.entries]
    assert titles == [("heading", "From"), ("port", "Linear"), ("port", "Linear")]
    keys(Key.Key_Down)
    assert canvas.looks.chosen is not None and canvas.looks.chosen.source == "below", "it is seen while one looks"
    keys(Key.Key_Escape)
    assert canvas.looks.chosen is None and canvas.hasFocus() and session.focus == ("total",)
    keys(Key.Key_W, held=ALT)
    keys(Key.Key_Down, Key.Key_Return, Key.Key_Delete)
    assert wires_of(forked) == {("source", "above"), ("source", "below"), ("above", "total")}
    session.undo()
    assert document_to_data(session.document) == before
