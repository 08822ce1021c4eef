"""What the canvas paints: every state and zoom without a complaint of Qt, and the colours where they must be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import theme
from app.canvas import paint_far
from app.motion import Motion
from graph.commands import AddNode, SetNode, SetParam
from graph.document import Document, Node


def picture(canvas) -> QImage:
    for _ in range(400):
        canvas.update()
        QApplication.processEvents()
        if canvas.labels.is_complete and not canvas._later.isActive():
            break
    return canvas.grab().toImage()


def has(image: QImage, colour: str, near: QRectF) -> bool:
    """Whether a colour is somewhere within a rectangle of a picture."""
    wanted = QColor(colour).rgb()
    rect = near.toAlignedRect().intersected(image.rect())
    return any(
        image.pixelColor(x, y).rgb() == wanted
        for x in range(rect.left(), rect.right() + 1)
        for y in range(rect.top(), rect.bottom() + 1)
    )


def place(canvas, id) -> QRectF:
    left, top, right, bottom = canvas.geometry_of.bounds([id])
    return canvas.camera.rect_to_screen(left - 4, top - 4, right + 4, bottom + 4)


@pytest.fixture
def light():
    theme.apply("light")
    yield
    theme.apply("dark")


@pytest.mark.parametrize("name", ["gpt", "unet", "diffusion_unet"])
@pytest.mark.parametrize("zoom", [0.1, 0.28, 0.4, 0.54, 0.6, 1.0, 2.5])
def test_every_zoom_is_painted(name, zoom, show):
    canvas = show(name)
    canvas.zoom_at(QPointF(500, 300), zoom / canvas.camera.zoom)
    image = picture(canvas)
    assert image.width() == canvas.width()
    assert len({image.pixelColor(x, y).rgb() for x in range(0, 1050, 7) for y in range(0, 655, 7)}) > 3


def test_selected_and_wrong_nodes_are_outlined(show):
    canvas = show()
    canvas.session.select(["first"])
    image = picture(canvas)
    look = theme.current()
    assert has(image, look.accent, place(canvas, "first"))
    assert not has(image, look.accent, place(canvas, "second"))
    canvas.session.select(())
    canvas.session.do(SetParam((), "second", "in_features", 16))
    image = picture(canvas)
    assert has(image, look.error, place(canvas, "second"))
    assert not has(image, look.error, place(canvas, "first"))
    start = canvas.camera.to_screen(QPointF(*canvas.geometry_of.lines[1][0]))
    assert has(image, look.error, QRectF(start.x() + 6, start.y() - 4, 12, 8)), "the wire that does not fit is red"
    assert canvas.labels.node(canvas.session.document.top.node("result")).state == "waiting"


def test_a_change_of_theme_is_followed(show):
    canvas = show()
    corner = QPoint(10, 300)
    assert canvas.grab().toImage().pixelColor(corner) == QColor(theme.DARK.canvas)
    theme.apply("light")
    try:
        QApplication.processEvents()
        assert canvas.grab().toImage().pixelColor(corner) == QColor(theme.LIGHT.canvas)
    finally:
        theme.apply("dark")


def test_it_looks_right_in_light(show, light):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    canvas.session.do(SetParam(("decoder",), "attn", "num_heads", 7))
    assert has(picture(canvas), theme.LIGHT.error, place(canvas, "attn"))


def test_all_states_at_once(show):
    document = Document()
    for id, block, y in (("a", "GELU", 0.0), ("b", "Unheard", 80.0), ("c", "Add", 160.0), ("d", "FeatureInput", 240.0)):
        AddNode((), Node(id, block, position=(0.0, y))).apply(document)
    canvas = show(document)
    labels = {node.id: canvas.labels.node(node) for node in document.top.nodes.values()}
    assert labels["a"].hungry == {"x"}
    assert labels["b"].state == "error"
    assert labels["d"].state == "unused"
    assert labels["b"].severity == "error"
    picture(canvas)
    canvas.zoom_at(QPointF(0, 0), 0.4)
    picture(canvas)


def test_labels_say_counts_repetition_and_ties(show):
    canvas = show("gpt")
    nodes = canvas.session.document.top.nodes
    canvas.labels.begin(60)
    label = canvas.labels.node(nodes["decoder"])
    assert (label.title, label.times) == ("Decoder layer", "× 12")
    assert canvas.labels.count(nodes["decoder"]) == "85.1 M"
    assert canvas.labels.count(nodes["token_embedding"]) == "38.6 M"
    assert canvas.labels.count(nodes["tokens"]) == ""
    assert canvas.labels.node(nodes["head"]).linked
    assert canvas.labels.node(nodes["token_embedding"]).linked
    assert not canvas.labels.node(nodes["final_norm"]).linked
    wires = {wire.source: wire for wire in canvas.geometry_of.wires}
    assert canvas.labels.shape(wires["final_norm"]) == "batch × seq × 768"
    assert canvas.labels.short_shape(wires["final_norm"]) == "b × s × 768"
    assert canvas.labels.shape(wires["head"]) == "batch × seq × 50\u2009257"
    assert canvas.labels.kind(wires["tokens"]) == "tokens"


def test_shapes_follow_an_edit(show):
    canvas = show()
    wire = canvas.geometry_of.wires[1]
    assert canvas.labels.shape(wire) == "batch × seq × 64"
    canvas.session.do(SetParam((), "first", "out_features", 48))
    assert canvas.labels.shape(wire) == "batch × seq × 48"
    canvas.session.undo()
    assert canvas.labels.shape(wire) == "batch × seq × 64"


def test_issues_inside_a_group_are_counted_on_it(show):
    canvas = show("gpt")
    canvas.session.do(SetParam(("decoder",), "attn", "num_heads", 7))
    label = canvas.labels.node(canvas.session.document.top.node("decoder"))
    assert label.severity == "error"
    assert label.issues
    canvas.session.undo()
    assert not canvas.labels.node(canvas.session.document.top.node("decoder")).issues


def test_the_line_of_facts(show):
    canvas = show()
    assert canvas.overlay._facts_text == "4 blocks"
    canvas.session.select(["first"])
    assert canvas.overlay._facts_text == "4 blocks, 1 selected"
    canvas.session.select(())
    canvas.session.do(SetParam((), "second", "in_features", 16))
    assert canvas.overlay._facts_text == "4 blocks, 1 issue   ·   F8 goes to it"


def test_breadcrumbs_name_the_way(show):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    assert [crumb.text for crumb in canvas.overlay.crumbs] == ["gpt", "Decoder layer × 12"]
    canvas.session.do(SetNode((), "decoder", "repeat", 3))
    assert canvas.overlay.crumbs[1].text == "Decoder layer × 3"


def test_an_empty_level_says_what_to_do(show):
    canvas = show(Document())
    canvas.grab()
    assert canvas.overlay._is_empty
    canvas.add_block("Linear")
    assert not canvas.overlay._is_empty


def test_a_small_canvas_has_no_minimap(show):
    canvas = show("gpt", size=(400, 300))
    assert canvas.minimap.rect.isEmpty()
    canvas.resize(900, 600)
    assert not canvas.minimap.rect.isEmpty()


def test_a_view_that_was_not_touched_fits_after_a_change_of_size(show):
    canvas = show("gpt", size=(600, 400))
    small = canvas.camera.zoom
    canvas.resize(1400, 900)
    assert canvas.camera.zoom > small
    canvas.zoom_out()
    zoom = canvas.camera.zoom
    canvas.resize(800, 600)
    assert canvas.camera.zoom == zoom


def know_everything(canvas) -> None:
    """Find out at once what else is found in slices of time, so that no picture is painted for that."""
    canvas.labels.begin(60.0)
    for node in canvas.geometry_of.nodes:
        canvas.labels.count(node)
    assert canvas.labels.is_complete
    assert canvas.geometry_of.settle(seconds=60.0)


def test_panning_paints_the_same_picture_as_painting_anew(show, monkeypatch):
    monkeypatch.setattr(Motion, "is_on", False)
    canvas = show("gpt")
    canvas.enter_group("decoder")
    know_everything(canvas)
    picture(canvas)
    for dx, dy in ((-37, 12), (5, -60), (90, 33)):
        canvas.scroll_view(dx, dy)
        QApplication.processEvents()
    scrolled = canvas.screen().grabWindow(canvas.winId()).toImage()
    canvas.repaint()
    anew = canvas.screen().grabWindow(canvas.winId()).toImage()
    assert scrolled == anew


def test_panning_ends_the_way_into_a_group(show):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    know_everything(canvas)
    assert canvas._travel.is_moving
    QApplication.processEvents()
    canvas.painted = 0
    canvas.scroll_view(30, 20)
    assert not canvas._travel.is_moving
    QApplication.processEvents()
    seen = canvas.camera.rect_to_scene(QRectF(canvas.rect()))
    assert canvas.painted >= len(canvas.geometry_of.nodes_in(*seen)), "what was on the screen was seen from elsewhere"


def test_dragging_paints_the_same_picture_as_painting_anew(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    picture(canvas)
    hand.press("second")
    for step in range(1, 6):
        hand.move(hand.at(QPointF(600, 12)) + QPoint(9 * step, 23 * step))
        QApplication.processEvents()
        QApplication.sendEvent(canvas, QEvent(QEvent.Type.UpdateRequest))
    dragged = canvas.screen().grabWindow(canvas.winId()).toImage()
    canvas.repaint()
    assert canvas.screen().grabWindow(canvas.winId()).toImage() == dragged
    hand.release(hand.at(QPointF(600, 200)))


def test_a_part_is_painted_like_the_whole(show):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    whole = picture(canvas)
    part = QImage(canvas.size(), QImage.Format.Format_ARGB32_Premultiplied)
    part.fill(Qt.GlobalColor.transparent)
    region = QRect(300, 180, 260, 160)
    canvas.render(part, region.topLeft(), QRegion(region))
    part, whole = part.copy(region), whole.copy(region)
    unlike = [
        (x, y)
        for x in range(region.width())
        for y in range(region.height())
        if abs(part.pixelColor(x, y).lightness() - whole.pixelColor(x, y).lightness()) > 4
    ]
    assert not unlike


def test_a_dense_screen_gets_a_sharp_picture(show):
    canvas = show("gpt")
    image = QImage(canvas.size() * 2, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(2)
    canvas.render(image)
    plain = picture(canvas)
    row = canvas.geometry_of.index["decoder"]
    rect = canvas.camera.rect_to_screen(*canvas.geometry_of.rects[row].tolist()).toAlignedRect()
    sharp = image.copy(QRect(rect.topLeft() * 2, rect.size() * 2))
    blown_up = plain.copy(rect).scaled(sharp.size())
    assert sharp.convertToFormat(QImage.Format.Format_RGB32) != blown_up.convertToFormat(QImage.Format.Format_RGB32)


def test_the_focus_ring_shows_for_keys_only(show, hand_on):
    canvas = show()
    look = theme.current()
    edge = QRectF(0, 200, 3, 20)
    hand_on(canvas).click(QPointF(300, 300))
    assert not has(canvas.grab().toImage(), look.accent, edge)
    canvas.clearFocus()
    canvas.setFocus(Qt.FocusReason.TabFocusReason)
    assert has(canvas.grab().toImage(), look.accent, edge)


def test_no_timer_goes_on(show, hand_on):
    canvas = show("gpt")
    picture(canvas)
    hand_on(canvas).hover("decoder")
    QTest.qWait(250)
    assert not canvas._later.isActive()
    assert not canvas.hover._dwell.isActive()


def test_it_can_be_closed_while_something_is_in_the_hand(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.press("first")
    hand.move(hand.at("first") + QPoint(50, 50))
    canvas.close()
    canvas.session.select(["first"])


def test_the_pointer_may_leave(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    hand.hover("first")
    assert canvas.looks.hovered == "first"
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert canvas.looks.hovered is None


@pytest.mark.parametrize("size", [(760, 440), (1050, 655), (700, 900)])
@pytest.mark.parametrize("name", ["gpt", "unet", "diffusion_unet"])
def test_no_node_lies_under_the_minimap_of_a_fitted_drawing(name, size, show):
    canvas = show(name, size=size)
    canvas.fit_all()
    assert not canvas.minimap.rect.isEmpty()
    covered = canvas.geometry_of.nodes_in(*canvas.camera.rect_to_scene(canvas.minimap.rect))
    assert covered == []
    around = canvas.camera.rect_to_screen(*canvas.geometry_of.bounds())
    assert QRectF(canvas.rect()).contains(around)


def test_a_strip_shows_as_much_as_the_whole_from_afar(show, monkeypatch):
    """A level of very many wires, of which few are in the strip that a pan brings into sight."""
    monkeypatch.setattr(paint_far, "FEW_WIRES", 20)
    monkeypatch.setattr(paint_far, "FEW", 10)
    canvas = show("diffusion_unet")
    canvas.zoom_at(QPointF(500, 300), 0.2 / canvas.camera.zoom)
    know_everything(canvas)
    picture(canvas)
    canvas.scroll_view(0, 40)
    QApplication.processEvents()
    scrolled = canvas.screen().grabWindow(canvas.winId()).toImage()
    canvas.repaint()
    assert canvas.screen().grabWindow(canvas.winId()).toImage() == scrolled
