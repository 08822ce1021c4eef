"""Touch pads, fine wheels, pinches and the minimap, with the events that platforms send."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QInputDevice, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

NONE = Qt.KeyboardModifier.NoModifier


def view(canvas):
    return canvas.camera.zoom, canvas.camera.x, canvas.camera.y


def pinch(canvas, point, value):
    device = QPointingDevice.primaryPointingDevice()
    kind, where = Qt.NativeGestureType.ZoomNativeGesture, QPointF(canvas.mapToGlobal(point.toPoint()))
    QApplication.sendEvent(canvas, QNativeGestureEvent(kind, device, 2, point, point, where, value, QPointF()))


@pytest.mark.parametrize("step", [0.01, -0.01, 0.004])
def test_a_slow_pinch_passes_the_actual_size_and_keeps_its_place(show, step):
    canvas = show("unet")
    canvas.zoom_reset()
    point = QPointF(410, 222)
    fixed = canvas.map_to_scene(point)
    zooms = []
    for _ in range(60):
        pinch(canvas, point, step)
        zooms.append(canvas.camera.zoom)
    assert canvas.camera.zoom == pytest.approx((1 + step) ** 60)
    assert zooms == sorted(zooms, reverse=step < 0)
    assert zooms[0] == 1.0, "near the actual size it is the actual size"
    moved = canvas.map_from_scene(fixed) - point
    assert abs(moved.x()) <= 1
    assert abs(moved.y()) <= 1


def test_a_fine_wheel_leads_on_from_the_actual_size(show, hand_on):
    canvas = show("unet")
    canvas.zoom_reset()
    for _ in range(15):
        hand_on(canvas).wheel(QPoint(300, 300), 8)
    assert canvas.camera.zoom == pytest.approx(1.0015**120)


def test_the_actual_size_is_left_from_itself_after_a_reset(show, hand_on):
    canvas = show("unet")
    canvas.zoom_reset()
    hand_on(canvas).wheel(QPoint(300, 300), 8)
    canvas.zoom_in()
    assert canvas.camera.zoom == pytest.approx(1.0015**8 * 1.25)
    canvas.zoom_reset()
    assert canvas.camera.zoom == 1.0


def test_strokes_of_a_touch_pad_without_phases_move(show):
    canvas = show("unet")
    pad = QPointingDevice(
        "pad", 7, QInputDevice.DeviceType.TouchPad, QPointingDevice.PointerType.Finger,
        QInputDevice.Capability.Position | QInputDevice.Capability.Scroll, 2, 0,
    )  # fmt: skip

    def stroke(pixels, turn):
        point = QPointF(300, 200)
        event = QWheelEvent(
            point, QPointF(canvas.mapToGlobal(point.toPoint())), pixels, turn, Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False, Qt.MouseEventSource.MouseEventNotSynthesized, pad,
        )  # fmt: skip
        QApplication.sendEvent(canvas, event)

    zoom, x, y = view(canvas)
    stroke(QPoint(-5, 9), QPoint(-10, 18))
    assert view(canvas) == (zoom, x - 5, y + 9)
    stroke(QPoint(), QPoint(16, -30))
    assert view(canvas) == (zoom, x + 3, y - 6)


def test_the_frame_of_the_minimap_is_dragged_where_it_is_held(show, hand_on):
    canvas = show("unet")
    hand = hand_on(canvas)
    canvas.session.select(["bottleneck"])
    canvas.fit_selection()
    canvas.grab()
    frame = canvas.minimap.frame(canvas.camera, canvas.size())
    start = (frame.center() + QPointF(3, 2)).toPoint()
    assert frame.contains(QPointF(start))
    before = view(canvas)
    hand.press(start)
    assert view(canvas)[0] == before[0]
    assert abs(view(canvas)[1] - before[1]) <= 1, "taking hold of the frame does not move it"
    hand.move(start + QPoint(-20, -6))
    moved = canvas.minimap.frame(canvas.camera, canvas.size()).center() - frame.center()
    assert moved.x() == pytest.approx(-20, abs=0.5)
    assert moved.y() == pytest.approx(-6, abs=0.5)
    hand.key(Qt.Key.Key_Escape)
    assert view(canvas) == before
    hand.release(start)
    away = canvas.minimap.rect.topLeft().toPoint() + QPoint(12, 12)
    if not canvas.minimap.frame(canvas.camera, canvas.size()).contains(QPointF(away)):
        hand.click(away)
        middle = canvas.minimap.frame(canvas.camera, canvas.size()).center()
        assert (middle - QPointF(away)).manhattanLength() < 1.5, "a press beside it looks there"


def test_fit_and_actual_size_by_key_on_every_level(show):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    QTest.keyClick(canvas, Qt.Key.Key_1)
    assert canvas.camera.zoom == 1.0
    canvas.session.select(["attn"])
    QTest.keyClick(canvas, Qt.Key.Key_Period)
    rect = canvas.camera.rect_to_screen(*canvas.geometry_of.bounds(["attn"]))
    assert canvas.rect().toRectF().contains(rect)
    inside = view(canvas)
    canvas.leave_group()
    canvas.zoom_out()
    canvas.enter_group("decoder")
    assert view(canvas) == inside
