"""The view moves on while something is dragged to its edge."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.canvas.gestures.drop import BLOCK_TYPE

EDGE = QPoint(1045, 400)


def moved(canvas, start):
    return start - canvas.camera.x


def test_a_node_goes_along_and_undo_brings_it_back(show, hand_on, state_of, qtbot):
    canvas = show()
    hand, before, start = hand_on(canvas), state_of(canvas.session), canvas.camera.x
    at = hand.at("first")
    hand.press(at)
    for part in range(1, 6):
        hand.move(at + (EDGE - at) * part / 5, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: moved(canvas, start) > 60, timeout=4000)
    way = canvas.map_to_scene(EDGE).x() - (at.x() - start) / canvas.camera.zoom
    assert canvas.geometry_of.rects[canvas.geometry_of.index["first"], 0] - 240.0 == pytest.approx(way, abs=2)
    hand.release(EDGE, Qt.KeyboardModifier.ControlModifier)
    here = canvas.camera.x
    QTest.qWait(60)
    assert canvas.camera.x == here, "it is over"
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before


@pytest.mark.parametrize("what", ["wire", "band", "cut"])
def test_wires_bands_and_strokes_go_on_too_until_they_are_given_up(show, hand_on, state_of, qtbot, what):
    canvas = show()
    hand, before, start = hand_on(canvas), state_of(canvas.session), canvas.camera.x
    place = hand.port("second", "y", is_input=False) if what == "wire" else QPoint(500, 560)
    keys = Qt.KeyboardModifier.ControlModifier if what == "cut" else Qt.KeyboardModifier.NoModifier
    hand.press(place, keys, Qt.MouseButton.RightButton if what == "cut" else Qt.MouseButton.LeftButton)
    hand.move(place + QPoint(40, 30), keys)
    hand.move(EDGE, keys)
    qtbot.waitUntil(lambda: moved(canvas, start) > 40, timeout=4000)
    hand.key(Qt.Key.Key_Escape)
    here = canvas.camera.x
    QTest.qWait(60)
    assert canvas.camera.x == here
    hand.release(EDGE, keys)
    assert state_of(canvas.session) == before


def test_what_is_taken_hold_of_at_the_edge_does_not_set_it_off(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    canvas.scroll_view(EDGE.x() - hand.at("second").x(), EDGE.y() - hand.at("second").y())
    x = canvas.camera.x
    hand.press(EDGE)
    for step in range(1, 8):
        hand.move(EDGE + QPoint(0, step * 4))
        QTest.qWait(10)
    assert canvas.camera.x == x
    hand.key(Qt.Key.Key_Escape)
    hand.release(EDGE)


def test_panning_goes_with_the_hand_alone(show, hand_on):
    canvas = show()
    hand, x = hand_on(canvas), canvas.camera.x
    hand.press(QPoint(500, 560), button=Qt.MouseButton.MiddleButton)
    hand.move(QPoint(600, 560))
    hand.move(EDGE)
    QTest.qWait(60)
    assert canvas.camera.x - x == EDGE.x() - 500
    hand.release(EDGE)


def test_a_block_that_is_carried_in_goes_on_too(show, qtbot):
    canvas = show()
    start, data, left = canvas.camera.x, QMimeData(), Qt.MouseButton.LeftButton
    data.setData(BLOCK_TYPE, b"Linear")
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(canvas, QDragEnterEvent(QPoint(500, 500), copy, data, left, none))
    QApplication.sendEvent(canvas, QDragMoveEvent(QPoint(600, 500), copy, data, left, none))
    QApplication.sendEvent(canvas, QDragMoveEvent(EDGE, copy, data, left, none))
    qtbot.waitUntil(lambda: moved(canvas, start) > 40, timeout=4000)
    corner = canvas.gesture._corner
    middle = canvas.map_to_scene(QPointF(EDGE)).x()
    assert corner.x() < middle < corner.x() + 320
    QApplication.sendEvent(canvas, QDragLeaveEvent())
    here = canvas.camera.x
    QTest.qWait(60)
    assert canvas.camera.x == here
