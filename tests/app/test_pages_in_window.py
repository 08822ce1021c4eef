"""What is clicked on the canvas is shown in the properties panel, and cut or coloured there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.properties import Properties
from graph.files import document_to_data

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import Hand

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def gpt(window: MainWindow) -> MainWindow:
    window.filing.new_from_template("gpt", {"dim": 32, "layers": 2, "num_heads": 2, "vocab": 64, "context": 32})
    QApplication.processEvents()
    return window


def test_a_clicked_wire_is_shown_and_cut(gpt: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    canvas, session, panel = gpt.canvas, gpt.session, gpt.findChild(Properties)
    before = document_to_data(session.document)
    (wire,) = session.document.top.outgoing("decoder")
    x, y, _ = canvas.geometry_of.middles[canvas.geometry_of.wire_row(wire)].tolist()
    hand.click(canvas, canvas.map_from_scene(QPointF(x, y)).toPoint())
    assert session.wire == canvas.looks.chosen == wire
    qtbot.waitUntil(lambda: panel.page is panel.wire_page)
    hand.click(panel.wire_page.cut)
    assert wire not in session.document.top.wires() and canvas.looks.chosen is None
    qtbot.waitUntil(lambda: panel.page is panel.document_page)
    session.undo()
    assert document_to_data(session.document) == before
    hand.click(canvas, canvas.map_from_scene(QPointF(x, y)).toPoint())
    qtbot.waitUntil(lambda: panel.page is panel.wire_page)
    hand.click(panel.wire_page.target)
    assert session.selection == {wire.target} and canvas.looks.chosen is None


def test_a_clicked_frame_and_note_are_shown(gpt: MainWindow, hand: Hand, qtbot: QtBot) -> None:
    canvas, session, panel = gpt.canvas, gpt.session, gpt.findChild(Properties)
    canvas.setFocus()
    session.select(["tokens"])
    canvas.add_frame()
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
    session.select(())
    before = document_to_data(session.document)
    frame = session.document.top.comments["frame"]
    hand.click(canvas, canvas.map_from_scene(QPointF(frame.position[0] + 60, frame.position[1] + 12)).toPoint())
    qtbot.waitUntil(lambda: panel.page is panel.comment_page)
    hand.click(panel.comment_page.marks.swatches.buttons["blue"])
    assert session.document.top.comments["frame"].colour == "blue"
    hand.click(panel.comment_page.contents)
    assert session.selection == {"tokens"}
    session.undo()
    assert document_to_data(session.document) == before
