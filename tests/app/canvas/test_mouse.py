"""Select, move and band nodes; look around; all with the mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
MIDDLE, RIGHT = Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton


def positions(canvas):
    return {id: node.position for id, node in canvas.session.document.top.nodes.items()}


def test_click_selects_shift_adds_and_ctrl_toggles(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("first")
    assert canvas.session.selection == {"first"}
    hand.click("second", SHIFT)
    assert canvas.session.selection == {"first", "second"}
    hand.click("first", CTRL)
    assert canvas.session.selection == {"second"}
    hand.click(QPointF(300, 300))
    assert canvas.session.selection == frozenset()


def test_dragging_a_node_moves_it_on_the_grid_as_one_step(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.drag("first", hand.at("first") + QPoint(37, 61))
    x, y = canvas.session.document.top.node("first").position
    assert (x % 4, y % 4) == (0, 0)
    assert abs(x - 240 - 37) <= 2 + 1
    assert abs(y - 61) <= 2 + 1
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before
    assert canvas.geometry_of.rects[1, 0] == 240.0


def test_a_small_tremble_is_a_click(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag("first", hand.at("first") + QPoint(2, 1))
    assert canvas.session.selection == {"first"}
    assert not canvas.session.history.done


def test_all_selected_nodes_move_together_and_stay_selected(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("first")
    hand.click("second", SHIFT)
    hand.drag("second", hand.at("second") + QPoint(0, 80))
    moved = positions(canvas)
    assert moved["first"] == (240.0, 80.0)
    assert moved["second"] == (520.0, 80.0)
    assert moved["result"] == (800.0, 0.0)
    assert canvas.session.selection == {"first", "second"}
    hand.click("second")
    assert canvas.session.selection == {"second"}


def test_escape_puts_a_dragged_node_back(show, hand_on, state_of):
    canvas = show()
    before, line = state_of(canvas.session), canvas.geometry_of.lines[0].copy()
    hand = hand_on(canvas)
    hand.press("first")
    hand.move(hand.at("first") + QPoint(100, 90))
    assert canvas.geometry_of.rects[1, 0] != 240.0
    hand.key(Qt.Key.Key_Escape)
    assert canvas.gesture is None
    assert canvas.geometry_of.rects[1, 0] == 240.0
    hand.release(hand.at(QPointF(400, 200)))
    assert state_of(canvas.session) == before
    assert not canvas.session.history.done
    assert (canvas.geometry_of.lines[0] == line).all()


def test_the_right_button_cancels_a_drag(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.press("first")
    hand.move(hand.at("first") + QPoint(100, 90))
    QTest.mousePress(canvas, RIGHT, Qt.KeyboardModifier.NoModifier, hand.at("first"))
    assert canvas.gesture is None
    assert canvas.geometry_of.rects[1, 0] == 240.0
    QTest.mouseRelease(canvas, RIGHT, Qt.KeyboardModifier.NoModifier, hand.at("first"))
    hand.release(QPointF(300, 300))
    assert not canvas.session.history.done


def test_a_loose_node_dropped_on_a_wire_is_put_into_it(show, hand_on):
    canvas = show()
    id = canvas.add_block("GELU", QPointF(400, 260))
    hand = hand_on(canvas)
    middle = canvas.geometry_of.middles[canvas.geometry_of.wires.index(wire(canvas, "first", "second"))]
    hand.drag(id, QPointF(middle[0], middle[1]))
    ends = {(w.source, w.target) for w in canvas.session.document.top.wires()}
    assert {("first", id), (id, "second")} <= ends
    assert ("first", "second") not in ends
    canvas.session.undo()
    assert ("first", "second") in {(w.source, w.target) for w in canvas.session.document.top.wires()}
    hand.drag(id, QPointF(middle[0], middle[1]), ALT)
    assert not canvas.session.document.top.incoming(id)


def test_a_node_that_does_not_fit_is_not_put_into_a_wire(show, hand_on):
    canvas = show()
    id = canvas.add_block("Conv2d", QPointF(400, 260))
    middle = canvas.geometry_of.middles[canvas.geometry_of.wires.index(wire(canvas, "first", "second"))]
    hand_on(canvas).drag(id, QPointF(middle[0], middle[1]))
    assert not canvas.session.document.top.incoming(id)


def test_a_rubber_band_selects_what_it_touches(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.drag(QPointF(200, -60), QPointF(560, 30))
    assert canvas.session.selection == {"first", "second"}
    hand.drag(QPointF(780, -60), QPointF(820, 30), SHIFT)
    assert canvas.session.selection == {"first", "second", "result"}
    hand.drag(QPointF(200, -60), QPointF(300, 30), CTRL)
    assert canvas.session.selection == {"second", "result"}
    assert not canvas.session.history.done


def test_a_rubber_band_may_begin_on_a_wire(show, hand_on):
    canvas = show()
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    hand_on(canvas).drag(QPointF(x, y), QPointF(560, 90))
    assert canvas.session.selection == {"second"}
    assert canvas.looks.chosen is None


def test_escape_ends_a_rubber_band_with_the_old_selection(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click("result")
    hand.press(QPointF(200, -60))
    hand.move(QPointF(560, 30))
    assert canvas.looks.selected == {"first", "second"}
    hand.key(Qt.Key.Key_Escape)
    hand.release(QPointF(560, 30))
    assert canvas.session.selection == canvas.looks.selected == {"result"}


@pytest.mark.parametrize("way", ["middle", "space"])
def test_the_paper_is_dragged(way, show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    start = (canvas.camera.x, canvas.camera.y)
    if way == "middle":
        hand.drag(QPoint(400, 400), QPoint(350, 465), button=MIDDLE)
    else:
        QTest.keyPress(canvas, Qt.Key.Key_Space)
        assert canvas.cursor().shape() == Qt.CursorShape.OpenHandCursor
        hand.drag("first", hand.at("first") + QPoint(-50, 65))
        QTest.keyRelease(canvas, Qt.Key.Key_Space)
        assert canvas.cursor().shape() != Qt.CursorShape.OpenHandCursor
    assert (canvas.camera.x, canvas.camera.y) == (start[0] - 50, start[1] + 65)
    assert not canvas.session.history.done


def test_the_wheel_zooms_where_the_pointer_is(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    point = QPoint(777, 333)
    for turn in (120, 120, -120, 240, -360, 60):
        before = canvas.map_to_scene(point)
        zoom = canvas.camera.zoom
        hand.wheel(point, turn)
        after = canvas.map_to_scene(point)
        assert (canvas.camera.zoom > zoom) == (turn > 0)
        assert abs(after.x() - before.x()) <= 1 / canvas.camera.zoom
        assert abs(after.y() - before.y()) <= 1 / canvas.camera.zoom


def test_ctrl_wheel_zooms_shift_wheel_and_touch_pad_move(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    zoom = canvas.camera.zoom
    hand.wheel(QPoint(500, 300), -120, CTRL)
    assert canvas.camera.zoom < zoom
    zoom, x, y = canvas.camera.zoom, canvas.camera.x, canvas.camera.y
    hand.wheel(QPoint(500, 300), 120, SHIFT)
    assert (canvas.camera.zoom, canvas.camera.x, canvas.camera.y) == (zoom, x + 60, y)
    hand.wheel(QPoint(500, 300), 60, pixels=QPoint(7, -13))
    assert (canvas.camera.zoom, canvas.camera.x, canvas.camera.y) == (zoom, x + 67, y - 13)


def test_pinching_zooms_by_its_delta_and_two_fingers_move(show):
    canvas = show()
    device = QPointingDevice.primaryPointingDevice()

    def gesture(kind, value, x=0.0, y=0.0):
        point = QPointF(700, 300)
        where = QPointF(canvas.mapToGlobal(QPoint(700, 300)))
        QApplication.sendEvent(canvas, QNativeGestureEvent(kind, device, 2, point, point, where, value, QPointF(x, y)))

    before, zoom = canvas.map_to_scene(QPointF(700, 300)), canvas.camera.zoom
    gesture(Qt.NativeGestureType.ZoomNativeGesture, 0.1)
    assert canvas.camera.zoom == pytest.approx(zoom * 1.1)
    after = canvas.map_to_scene(QPointF(700, 300))
    assert (after - before).manhattanLength() < 2
    x, y = canvas.camera.x, canvas.camera.y
    gesture(Qt.NativeGestureType.PanNativeGesture, 0.0, -12, 7)
    assert (canvas.camera.x, canvas.camera.y) == (x - 12, y + 7)


def test_from_afar_only_nodes_are_taken_hold_of(show, hand_on):
    canvas = show()
    canvas.zoom_at(QPointF(500, 300), 0.2)
    hand = hand_on(canvas)
    port = hand.port("second", "x", is_input=True)
    hand.drag(port + QPoint(2, 0), port + QPoint(2, 60))
    assert canvas.session.document.top.node("second").position[1] > 100
    x, y, _ = canvas.geometry_of.middles[0].tolist()
    hand.click(QPointF(x, y))
    assert canvas.looks.chosen is None


def test_zoom_has_ends(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    for _ in range(40):
        hand.wheel(QPoint(500, 300), 480)
    assert canvas.camera.zoom == 4.0
    for _ in range(60):
        hand.wheel(QPoint(500, 300), -480)
    assert canvas.camera.zoom == 0.04
    canvas.repaint()


def test_wheel_during_a_drag_keeps_the_node_under_the_pointer(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    point = hand.at("first")
    hand.press(point)
    hand.move(point + QPoint(60, 60))
    hand.wheel(point + QPoint(60, 60), -240)
    left, top, right, _ = canvas.geometry_of.rects[1].tolist()
    under = canvas.map_to_scene(point + QPoint(60, 60))
    assert left <= under.x() <= right
    assert top <= under.y() <= top + 36
    hand.release(point + QPoint(60, 60))
    assert len(canvas.session.history.done) == 1


def test_the_minimap_moves_the_view(show, hand_on):
    canvas = show("unet")
    hand = hand_on(canvas)
    canvas.zoom_reset()
    map_rect = canvas.minimap.rect
    assert not map_rect.isEmpty()
    canvas.repaint()
    target = canvas.minimap.to_scene(map_rect.center() + QPointF(30, 0))
    hand.click((map_rect.center() + QPointF(30, 0)).toPoint())
    middle = canvas.map_to_scene(QPointF(canvas.width() / 2, canvas.height() / 2))
    assert abs(middle.x() - target.x()) < 20
    assert not canvas.session.selection


def test_a_double_click_enters_a_group_and_breadcrumbs_leave_it(show, hand_on):
    canvas = show("gpt")
    hand = hand_on(canvas)
    hand.double_click("decoder")
    assert canvas.session.at == ("decoder",)
    crumb = canvas.overlay.crumbs[0]
    assert crumb.path == ()
    hand.click(crumb.rect.center().toPoint())
    assert canvas.session.at == ()


def test_a_double_click_on_nothing_asks_for_a_block(show, hand_on, qtbot):
    canvas = show()
    hand = hand_on(canvas)
    with qtbot.waitSignal(canvas.search_requested) as asked:
        hand.double_click(QPointF(300, 250))
    assert (asked.args[0] - QPointF(300, 250)).manhattanLength() < 3
    assert asked.args[1] == canvas.mapToGlobal(hand.at(QPointF(300, 250)))


def test_the_right_button_selects_and_asks_for_the_menu(show, hand_on, qtbot):
    from PySide6.QtGui import QContextMenuEvent

    canvas = show()
    hand = hand_on(canvas)
    hand.click("second", button=RIGHT)
    assert canvas.session.selection == {"second"}
    point = hand.at("second")
    with qtbot.waitSignal(canvas.menu_requested) as asked:
        QApplication.sendEvent(
            canvas, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, canvas.mapToGlobal(point))
        )
    assert asked.args[1] == canvas.mapToGlobal(point)


def test_a_click_on_the_zoom_shows_the_actual_size(show, hand_on):
    canvas = show("unet")
    assert canvas.camera.zoom < 0.9
    hand_on(canvas).click(canvas.overlay.zoom_rect.center().toPoint())
    assert canvas.camera.zoom == 1.0


def wire(canvas, source, target):
    return next(w for w in canvas.session.document.top.wires() if (w.source, w.target) == (source, target))
