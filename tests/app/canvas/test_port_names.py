"""Ports are named on the node under the pointer, and on all of them from nearby."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtWidgets import QApplication

from app.canvas import port_names
from app.canvas.port_names import named
from app.motion import Motion


@pytest.fixture(autouse=True)
def _still(monkeypatch):
    monkeypatch.setattr(Motion, "is_on", False)


def written(canvas, monkeypatch):
    """The names that the next picture shows: (node, port)."""
    found = []
    true = port_names._paint
    monkeypatch.setattr(
        port_names, "_paint", lambda painter, place, *rest, **more: (found.append((place.node, place.port)),
                                                                       true(painter, place, *rest, **more)),
    )  # fmt: skip
    canvas.grab()
    monkeypatch.setattr(port_names, "_paint", true)
    return found


def look_close(canvas, id, zoom=2.0):
    left, top, *_ = canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()
    canvas.camera.zoom = zoom
    canvas.camera.x, canvas.camera.y = 400 - zoom * left, 200 - zoom * top
    canvas.view_changed()


def test_the_node_under_the_pointer_names_its_ports(show, hand_on, monkeypatch):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    hand = hand_on(canvas)
    assert written(canvas, monkeypatch) == []
    hand.hover("attn")
    names = written(canvas, monkeypatch)
    assert {("attn", "x"), ("attn", "mask"), ("attn", "y")} <= set(names) and {id for id, _ in names} == {"attn"}
    hand.hover("attn_norm")
    assert written(canvas, monkeypatch) == [], "one input and one output need no names"
    hand.hover(hand.port("attn", "mask", is_input=True))
    assert ("attn", "mask") not in written(canvas, monkeypatch), "the tip names it"
    assert not canvas.session.history.done


def test_from_nearby_all_wired_ports_are_named(show, monkeypatch):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    look_close(canvas, "attn")
    names = written(canvas, monkeypatch)
    assert {("attn_norm", "y"), ("attn", "x"), ("attn", "y")} <= set(names)
    assert ("attn", "mask") not in names, "ports that may stay free stand back until one looks at the node"
    canvas.session.select(["attn"])
    assert ("attn", "mask") in written(canvas, monkeypatch)
    look_close(canvas, "attn", 1.0)
    assert written(canvas, monkeypatch) == []


def test_a_wire_in_the_hand_names_the_ports_of_what_it_is_held_over(show, hand_on):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    hand, before = hand_on(canvas), canvas.session.document.revision
    hand.press(hand.port("attn_norm", "y", is_input=False))
    hand.move(hand.port("attn", "mask", is_input=True))
    assert named(canvas.geometry_of, canvas.looks) == "attn"
    canvas.abandon()
    assert canvas.session.document.revision == before


def test_names_leave_no_trace(show, hand_on):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    hand, empty = hand_on(canvas), QPoint(500, 560)

    def picture():
        QApplication.processEvents()
        QApplication.sendEvent(canvas, QEvent(QEvent.Type.UpdateRequest))
        return canvas.screen().grabWindow(canvas.winId()).toImage()

    def differences(one, other):
        """Where two pictures differ by more than what a picture that is stamped differs from one that is painted."""
        return [
            (x, y)
            for x in range(one.width())
            for y in range(one.height())
            if abs(one.pixelColor(x, y).lightness() - other.pixelColor(x, y).lightness()) > 12
        ]

    hand.hover(empty)
    clean = picture()
    hand.hover("attn")
    assert differences(picture(), clean)
    hand.hover(empty)
    assert differences(picture(), clean) == []


def test_rooms_end_in_the_middle_of_short_wires(show):
    canvas = show()
    geometry = canvas.geometry_of
    rooms = port_names._rooms(geometry, np.arange(len(geometry.ids)))
    row = geometry.index["first"]
    wire = next(i for i, w in enumerate(geometry.wires) if w.source == "first")
    start, _, end, _ = geometry.ends[wire].tolist()
    assert rooms[row, "y", False] == (end - start) / 2 - port_names.ASIDE
