"""What a screen reader is told: the node one comes to, what a key has done, and why something was refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.access.voice import VOICE
from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, Node, Wire

if TYPE_CHECKING:
    from app.main_window import MainWindow

Key = Qt.Key
ALT, CONTROL, SHIFT = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


class Ear:
    """Presses keys where the focus is, and hears what is said then."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def __call__(self, key: Key | str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> str:
        self.heard.clear()
        target = QApplication.focusWidget()
        assert target is not None
        if isinstance(key, str):
            QTest.keyClicks(target, key)
        else:
            QTest.keyClick(target, key, held)
        for _ in range(3):
            QApplication.processEvents()
        return " | ".join(self.heard)


@pytest.fixture
def ear() -> Iterator[Ear]:
    ear = Ear()
    VOICE.said.connect(ear.heard.append)
    yield ear
    VOICE.said.disconnect(ear.heard.append)


@pytest.fixture
def drawing(window: MainWindow, ear: Ear) -> MainWindow:
    window.filing.new_empty()
    session = window.session
    for node in (
        Node("source", "FeatureInput", {"dim": 32}, position=(0.0, 0.0)),
        Node("above", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, title="Query", position=(240.0, 0.0)),
        Node("below", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(240.0, 160.0)),
        Node("total", "Add", position=(520.0, 0.0)),
    ):
        session.do(AddNode((), node))
    for wire in (
        Wire("source", "features", "above", "x"), Wire("source", "features", "below", "x"),
        Wire("above", "y", "total", "inputs", 0),
    ):  # fmt: skip
        port = next(iter(session.report.node((wire.target,)).input_ports))
        session.do(Connect((), Wire(wire.source, wire.output, wire.target, port, wire.order)))
    window.block_palette.list.setFocus()
    window.canvas.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    return window


def test_the_node_one_comes_to_is_said_with_its_wires(drawing: MainWindow, ear: Ear) -> None:
    assert ear(Key.Key_Tab) == "Feature input. To Query, Linear, batch × seq × 32."
    said = ear(Key.Key_Right, ALT)
    assert said == "Query, Linear. From Feature input. To Add, batch × seq × 8."
    canvas = QAccessible.queryAccessibleInterface(drawing.canvas)
    assert said.rstrip(".") in canvas.text(QAccessible.Text.Description)
    assert ear(Key.Key_Down, ALT | SHIFT).startswith("2 selected. Linear. From Feature input. Output y not wired")
    assert ear(Key.Key_Escape) == "Nothing selected."


def test_steps_are_said_and_so_are_undo_and_problems(drawing: MainWindow, ear: Ear) -> None:
    drawing.session.select(["below"])
    QApplication.processEvents()
    ear("w")
    said = ear(Key.Key_Return)
    assert said.startswith("Linear wired to Add, input "), said
    assert ear(Key.Key_Z, CONTROL).startswith("Undone: ")
    assert ear(Key.Key_Z, CONTROL | SHIFT).startswith("Done again: ")
    drawing.session.select(["total"])
    said = ear(Key.Key_J, SHIFT)
    assert "Linear no longer wired to Add" in said and "Query no longer wired to Add" in said
    assert said.endswith((" warning.", " warnings.")), said


def test_a_refusal_is_said(drawing: MainWindow, ear: Ear) -> None:
    drawing.session.select(["source"])
    QApplication.processEvents()
    assert "This block has no input." in ear(Key.Key_W, SHIFT)


def test_the_line_that_enter_takes_is_said_while_one_types(drawing: MainWindow, ear: Ear) -> None:
    ear(Key.Key_A, SHIFT)
    assert ear("relu").split(" | ")[-1].startswith("ReLU, Activation, 1 of ")
    assert ", 2 of " in ear(Key.Key_Down)
    ear(Key.Key_Up)
    said = ear(Key.Key_Return)
    assert "Add ReLU" in said and "ReLU. Input x not wired" in said


def test_the_palette_says_what_enter_would_add(drawing: MainWindow, ear: Ear) -> None:
    ear(Key.Key_B, CONTROL)
    assert ear("relu").split(" | ")[-1].startswith("ReLU, ")
    said = ear(Key.Key_Down)
    assert said and not said.startswith("ReLU, ")


def test_levels_are_said(window: MainWindow, ear: Ear) -> None:
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    session = window.session
    session.select(["decoder"])
    QApplication.processEvents()
    assert ear(Key.Key_Return).startswith("Inside Decoder layer, 8 blocks.")
    said = ear("u")
    assert said.startswith("gpt, 7 blocks. Decoder layer, group of 8 blocks, 2 times.")
