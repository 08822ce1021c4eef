"""Groups are entered and left with a smooth zoom, which is over soon, can be off and is in nobody's way."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint, Qt

from app.motion import Motion


@pytest.fixture
def canvas(show):
    canvas = show("gpt")
    canvas.repaint()
    return canvas


def test_a_group_grows_out_of_its_place_and_shrinks_back(canvas, hand_on, qtbot):
    place = canvas.camera.rect_to_screen(*canvas.geometry_of.bounds(["decoder"]))
    outside = canvas.camera
    hand_on(canvas).double_click("decoder")
    assert canvas.session.at == ("decoder",)
    seen = canvas._travel.eye
    assert seen is not canvas.camera
    shown = seen.rect_to_screen(*canvas.geometry_of.extent())
    assert place.adjusted(-2, -2, 2, 2).contains(shown), "it begins inside the group's box"
    started = time.monotonic()
    qtbot.waitUntil(lambda: canvas._travel.eye is canvas.camera, timeout=2_000)
    assert time.monotonic() - started < 1.0
    hand_on(canvas).key(Qt.Key.Key_U)
    assert canvas.camera is outside
    assert canvas._travel.eye.zoom > outside.zoom
    qtbot.waitUntil(lambda: canvas._travel.eye is canvas.camera, timeout=2_000)


def test_whatever_is_done_on_the_way_ends_it(canvas, hand_on):
    hand = hand_on(canvas)
    canvas.enter_group("decoder")
    assert canvas._travel.eye is not canvas.camera
    hand.click("mlp")
    assert canvas._travel.eye is canvas.camera
    assert canvas.session.selection == {"mlp"}, "and meets what is there"
    hand.key(Qt.Key.Key_U)
    assert canvas._travel.eye is not canvas.camera
    hand.wheel(QPoint(300, 300), 120)
    assert canvas._travel.eye is canvas.camera


def test_without_motion_one_is_there_at_once(canvas, monkeypatch):
    monkeypatch.setattr(Motion, "is_on", False)
    canvas.enter_group("decoder")
    assert canvas._travel.eye is canvas.camera
    canvas.leave_group()
    assert canvas._travel.eye is canvas.camera


def test_breadcrumbs_lead_back(canvas, hand_on):
    canvas.enter_group("decoder")
    crumb = canvas.overlay.crumbs[0]
    hand_on(canvas).click(crumb.rect.center().toPoint())
    assert canvas.session.at == ()
    assert canvas._travel.eye.zoom >= canvas.camera.zoom
