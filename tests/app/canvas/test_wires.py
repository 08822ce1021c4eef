"""Lay, replace, move and take away wires with the mouse; what cannot be is said in words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from graph.layout import FIRST_ROW

ALT = Qt.KeyboardModifier.AltModifier


def ends(canvas):
    level = canvas.session.document.level(canvas.session.at)
    return {(f"{w.source}.{w.output}", f"{w.target}.{w.input}", w.order) for w in level.wires()}


@pytest.fixture
def loose(show):
    """The chain and a loose Linear called third below it."""
    canvas = show()
    canvas.add_block("Linear", QPointF(400, 240))
    canvas.session.select(())
    return canvas


def test_a_wire_is_dragged_from_output_to_input(loose, hand_on, state_of):
    before = state_of(loose.session)
    hand_on(loose).wire("features.features", "linear.x")
    assert ("features.features", "linear.x", 0) in ends(loose)
    assert loose.session.history.done[-1].label == "Connect features to linear"
    loose.session.undo()
    assert state_of(loose.session) == before


def test_a_wire_is_dragged_from_input_to_output(loose, hand_on):
    hand = hand_on(loose)
    hand.drag(hand.port("linear", "x", is_input=True), hand.port("features", "features", is_input=False))
    assert ("features.features", "linear.x", 0) in ends(loose)


def test_the_wire_snaps_to_a_port_nearby_and_to_the_body(loose, hand_on):
    hand = hand_on(loose)
    start = hand.port("features", "features", is_input=False)
    hand.drag(start, hand.port("linear", "x", is_input=True) + QPoint(-14, 10))
    assert ("features.features", "linear.x", 0) in ends(loose)
    loose.session.undo()
    hand.drag(start, "linear")
    assert ("features.features", "linear.x", 0) in ends(loose)


def test_a_taken_input_gives_its_wire_up_in_one_step(loose, hand_on):
    steps = len(loose.session.history.done)
    hand = hand_on(loose)
    hand.wire("features.features", "second.x")
    assert ("features.features", "second.x", 0) in ends(loose)
    assert ("first.y", "second.x", 0) not in ends(loose)
    assert len(loose.session.history.done) == steps + 1
    loose.session.undo()
    assert ("first.y", "second.x", 0) in ends(loose)


def test_an_input_of_many_takes_one_more(show, hand_on):
    canvas = show()
    canvas.add_block("Add", QPointF(400, 240))
    hand = hand_on(canvas)
    hand.wire("first.y", "add.x")
    hand.wire("second.y", "add.x", order=0)
    hand.wire("features.features", "add.x", order=1)
    orders = sorted((a, order) for a, b, order in ends(canvas) if b == "add.x")
    assert orders == [("features.features", 2), ("first.y", 0), ("second.y", 1)]


def test_a_wire_pulled_off_its_input_is_gone(loose, hand_on):
    hand = hand_on(loose)
    hand.drag(hand.port("second", "x", is_input=True), QPointF(440, 330))
    assert ("first.y", "second.x", 0) not in ends(loose)
    loose.session.undo()
    assert ("first.y", "second.x", 0) in ends(loose)


def test_a_wire_pulled_off_its_input_goes_to_another(loose, hand_on):
    steps = len(loose.session.history.done)
    hand = hand_on(loose)
    hand.drag(hand.port("second", "x", is_input=True), hand.port("linear", "x", is_input=True))
    assert ("first.y", "linear.x", 0) in ends(loose)
    assert ("first.y", "second.x", 0) not in ends(loose)
    assert len(loose.session.history.done) == steps + 1


def test_a_wire_put_back_is_no_step(loose, hand_on):
    steps = len(loose.session.history.done)
    hand = hand_on(loose)
    port = hand.port("second", "x", is_input=True)
    hand.press(port)
    hand.move(port + QPoint(-60, 40))
    assert loose.looks.lifted == {loose.geometry_of.wires[1]}
    hand.move(port)
    hand.release(port)
    assert len(loose.session.history.done) == steps
    assert not loose.looks.lifted


def test_a_circle_is_refused_in_words(show, hand_on, refusals):
    canvas = show()
    said = refusals(canvas)
    hand = hand_on(canvas)
    start, end = hand.port("second", "y", is_input=False), hand.port("first", "x", is_input=True)
    hand.press(start)
    hand.move(start + QPoint(30, 30))
    hand.move(end)
    assert canvas.tip is not None
    assert canvas.tip.heading == "Linear, input x"
    assert canvas.tip.text == "What it gives reaches Linear, and this wire would close a circle."
    canvas.repaint()
    hand.release(end)
    assert said == ["This wire would close a circle."]
    assert not canvas.session.history.done
    assert canvas.tip.text.startswith("`x`"), "the pointer rests on the port again"


def test_a_wire_that_is_there_is_refused_in_words(loose, hand_on, refusals):
    said = refusals(loose)
    hand_on(loose).wire("first.y", "second.x")
    assert said == ["These two are connected already."]


def test_ports_that_fit_are_lit_and_the_others_say_why(loose, hand_on):
    loose.add_block("Conv2d", QPointF(620, 260))
    hand = hand_on(loose)
    start = hand.port("features", "features", is_input=False)
    hand.press(start)
    hand.move(start + QPoint(20, 20))
    place = loose.geometry_of.port
    assert loose.looks.fits.get(place("linear", "x", is_input=True)) is True
    assert loose.looks.fits.get(place("conv2d", "x", is_input=True)) is False
    assert loose.looks.fits.get(place("linear", "y", is_input=False)) is None
    hand.move(hand.port("conv2d", "x", is_input=True))
    assert "axes" in loose.tip.text
    loose.repaint()
    hand.key(Qt.Key.Key_Escape)
    assert loose.looks.fits is None
    assert loose.tip is None
    hand.release(start)
    assert not any(b == "conv2d.x" for _, b, _ in ends(loose))


def test_a_wrong_wire_is_laid_and_can_be_mended_on_the_canvas(show, hand_on):
    from graph.commands import SetParam

    canvas = show()
    canvas.session.do(SetParam((), "second", "in_features", 16))
    hand = hand_on(canvas)
    hand.hover("second")
    note = canvas.note
    assert note is not None
    assert note.heading == "Linear, input x"
    assert "64" in note.text
    assert "16" in note.text
    assert note.button == "Set in_features to 64"
    canvas.repaint()
    hand.hover(note.rect.center().toPoint())
    assert canvas.note is not None, "the sheet stays while the pointer goes to it"
    button = canvas.note.button_rect.center().toPoint()
    hand.hover(button)
    assert canvas.cursor().shape() == Qt.CursorShape.PointingHandCursor
    hand.click(button)
    assert canvas.session.document.top.node("second").params["in_features"] == 64
    assert canvas.session.report.valid
    assert canvas.note is None


def test_a_wire_dropped_on_nothing_asks_what_to_put_there(loose, hand_on, qtbot):
    hand = hand_on(loose)
    with qtbot.waitSignal(loose.wire_dropped) as asked:
        hand.drag(hand.port("second", "y", is_input=False), QPointF(700, 300))
    path, port, side, scene, screen = asked.args
    assert (path, port, side) == (("second",), "y", "output")
    assert (scene - QPointF(700, 300)).manhattanLength() < 3
    assert screen == loose.mapToGlobal(hand.at(QPointF(700, 300)))
    with qtbot.waitSignal(loose.wire_dropped) as asked:
        hand.drag(hand.port("linear", "x", is_input=True), QPointF(200, 300))
    assert asked.args[:3] == [("linear",), "x", "input"]


def test_what_is_put_there_is_wired(show):
    canvas = show()
    first = canvas.add_block("GELU", QPointF(700, 300), wired_to=("second", "y", False))
    assert ("second.y", f"{first}.x", 0) in ends(canvas)
    assert len(canvas.session.history.done) == 1
    before = canvas.add_block("GELU", QPointF(460, 200), wired_to=("second", "x", True))
    assert (f"{before}.y", "second.x", 0) in ends(canvas)
    assert ("first.y", "second.x", 0) not in ends(canvas)


def test_alt_click_breaks_the_wires_of_a_port(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click(hand.port("second", "x", is_input=True), ALT)
    assert ("first.y", "second.x", 0) not in ends(canvas)
    hand.click(hand.port("features", "features", is_input=False), ALT)
    assert ("features.features", "first.x", 0) not in ends(canvas)
    assert len(canvas.session.history.done) == 2


def test_a_clicked_wire_is_deleted(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    hand.click(QPointF(x, y))
    assert canvas.looks.chosen == canvas.geometry_of.wires[1]
    canvas.repaint()
    hand.key(Qt.Key.Key_Delete)
    assert ("first.y", "second.x", 0) not in ends(canvas)
    canvas.session.undo()
    hand.click(QPointF(x, y))
    hand.key(Qt.Key.Key_Escape)
    assert canvas.looks.chosen is None


def test_a_wire_under_the_pointer_lights_its_path(show, hand_on, qtbot):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    hand = hand_on(canvas)
    assert canvas.geometry_of.settle(seconds=60)
    wire = next(w for w in canvas.geometry_of.wires if (w.source, w.target) == ("layer_input", "attn_add"))
    x, y, _ = canvas.geometry_of.middles[canvas.geometry_of.wire_row(wire)].tolist()
    hand.hover(QPointF(x, y))
    qtbot.waitUntil(lambda: canvas.looks.lit_nodes is not None, timeout=2000)
    assert "attn" not in canvas.looks.lit_nodes
    assert {"layer_input", "attn_add", "mlp", "layer_output"} <= canvas.looks.lit_nodes
    canvas.repaint()
    hand.hover(QPointF(x, y - 300))
    assert canvas.looks.lit_nodes is None


def test_a_port_under_the_pointer_says_its_name(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.hover(hand.port("second", "x", is_input=True))
    assert canvas.tip is not None
    assert canvas.tip.text.startswith("`x` · batch × seq × 64")
    assert canvas.cursor().shape() == Qt.CursorShape.CrossCursor
    hand.hover(QPointF(300, 300))
    assert canvas.tip is None


@pytest.mark.parametrize("over", ["port", "value"])
def test_a_tip_goes_with_the_pointer_and_what_it_lay_over_is_painted(show, hand_on, qtbot, over):
    canvas = show()
    hand = hand_on(canvas)
    geometry = canvas.geometry_of
    left, top, right, _ = geometry.rects[geometry.index["second"]].tolist()
    place = hand.port("second", "x", is_input=True) if over == "port" else hand.at(QPointF(right - 16, top + FIRST_ROW))
    hand.hover(place)
    assert canvas.tip is not None
    lay = canvas.tip.rect.toAlignedRect()
    qtbot.wait(50)
    painted = []

    class Watch(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                painted.append(event.region().boundingRect())
            return False

    watch = Watch()
    canvas.installEventFilter(watch)
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert canvas.tip is None
    qtbot.waitUntil(lambda: any(rect.contains(lay) for rect in painted))
    hand.hover(place)
    assert canvas.tip is not None  # the same place speaks again


def test_a_press_on_a_port_without_a_drag_does_nothing(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.click(hand.port("second", "x", is_input=True))
    assert not canvas.session.history.done
    QTest.qWait(1)
    assert canvas.looks.fits is None


def test_a_block_without_a_free_port_says_so(show, hand_on, refusals):
    canvas = show()
    said = refusals(canvas)
    hand = hand_on(canvas)
    hand.drag(hand.port("second", "y", is_input=False), "features")
    assert said == ["This block has no input."]


def test_wiring_into_a_group(show, hand_on):
    canvas = show("gpt", size=(1400, 900))
    hand = hand_on(canvas)
    hand.drag(hand.port("token_embedding", "y", is_input=False), hand.port("decoder", "x", is_input=True))
    assert ("token_embedding.y", "decoder.x", 0) in ends(canvas)
    assert ("position.y", "decoder.x", 0) not in ends(canvas)


def test_an_input_of_a_group_says_what_would_be_wrong_inside(show, hand_on):
    canvas = show("gpt", layers=2)
    hand = hand_on(canvas)
    start = hand.port("tokens", "tokens", is_input=False)
    hand.press(start)
    hand.move(start + QPoint(20, 20))
    assert canvas.looks.fits.get(canvas.geometry_of.port("decoder", "x", is_input=True)) is False
    hand.move(hand.port("decoder", "x", is_input=True))
    assert "whole numbers" in canvas.tip.text
    hand.key(Qt.Key.Key_Escape)
    hand.release(start)


def test_a_wire_that_would_give_way_is_shown_gone_and_comes_back(show, hand_on, state_of):
    canvas = show()
    hand, before = hand_on(canvas), state_of(canvas.session)
    start = hand.port("features", "features", is_input=False)
    old = next(w for w in canvas.geometry_of.wires if w.target == "second")
    hand.press(start)
    hand.move(start + QPoint(20, 60))
    assert canvas.looks.lifted == frozenset()
    hand.move(hand.port("second", "x", is_input=True))
    assert canvas.looks.lifted == {old}
    hand.move(start + QPoint(20, 60))
    assert canvas.looks.lifted == frozenset()
    hand.key(Qt.Key.Key_Escape)
    hand.release(start)
    assert state_of(canvas.session) == before


def test_a_block_that_no_wire_can_reach_says_so_while_it_is_aimed_at(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    start = hand.port("second", "y", is_input=False)
    hand.press(start)
    hand.move(hand.at("features"))
    assert canvas.tip.text == "This block has no input"
    hand.move(hand.at("second"))
    assert canvas.tip.text == "A block cannot feed itself"
    hand.move(start + QPoint(0, 200))
    assert canvas.tip is None
    hand.key(Qt.Key.Key_Escape)
    hand.release(start)


@pytest.mark.parametrize("way", ["press", "focus"])
def test_a_dropped_wire_hangs_until_a_block_is_found(show, hand_on, way, qtbot):
    canvas = show()
    qtbot.waitUntil(canvas.hasFocus)
    hand = hand_on(canvas)
    start, end = hand.port("second", "y", is_input=False), QPoint(620, 500)
    before = canvas.grab().toImage()
    hand.drag(start, end)
    canvas.hover.leave()
    hung = canvas.grab().toImage()
    assert hung.pixelColor(end) != before.pixelColor(end)
    if way == "press":
        hand.click(QPoint(300, 560))
    else:
        canvas.clearFocus()
        canvas.setFocus()
    QApplication.processEvents()
    assert canvas.grab().toImage().pixelColor(end) == before.pixelColor(end)
    assert not canvas.session.history.done


def test_ctrl_and_shift_do_what_alt_does_where_alt_moves_the_window(show, hand_on, state_of):
    canvas = show()
    hand, before = hand_on(canvas), state_of(canvas.session)
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    hand.drag(hand.at("first"), hand.at("first") + QPoint(0, 160), both)
    assert ("features.features", "second.x", 0) in ends(canvas)
    assert canvas.session.document.top.node("first").position == (240.0, 160.0)
    assert len(canvas.session.history.done) == 1
    hand.click(hand.port("second", "y", is_input=False), both)
    assert not any(start == "second.y" for start, _, _ in ends(canvas))
    canvas.session.undo()
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_the_shape_of_a_hovered_wire_can_be_read_from_afar(show, hand_on, qtbot):
    canvas = show("unet")
    hand = hand_on(canvas)
    canvas.zoom_at(QPointF(0, 0), 0.36 / canvas.camera.zoom)
    canvas.geometry_of.settle(seconds=60)
    wire = max(canvas.geometry_of.wires, key=lambda w: canvas.geometry_of.middles[canvas.geometry_of.wire_row(w), 2])
    point = hand.at(QPointF(*canvas.geometry_of.middles[canvas.geometry_of.wire_row(wire), :2].tolist()))
    before = canvas.grab().toImage()
    hand.hover(point)
    qtbot.waitUntil(lambda: canvas.looks.hot is not None, timeout=2000)
    after = canvas.grab().toImage()
    spots = [QPoint(dx, dy) for dy in range(-20, 20) for dx in range(-20, 21, 4)]
    changed = [at.y() for at in spots if before.pixelColor(point + at) != after.pixelColor(point + at)]
    assert max(changed) - min(changed) >= 16, "as high as it is near by"
