"""Nodes switched off, collapsed and tagged: as one step, drawn as such, and with their wires where they belong."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app import theme
from app.canvas.geometry import LevelGeometry
from graph.layout import HEADER, measure


@pytest.fixture
def gpt(show):
    """The inside of the decoder of a small GPT."""
    canvas = show("gpt", dim=32, layers=2, num_heads=2, vocab=64, context=32)
    canvas.enter_group("decoder")
    return canvas


def row_of(canvas, id):
    return canvas.geometry_of.index[id]


def test_switching_off_is_one_step_and_drawn(gpt, state_of, qtbot):
    before = state_of(gpt.session)
    gpt.repaint()
    plain = gpt.grab().toImage()
    gpt.session.select(["attn", "mlp"])
    gpt.mute_selection()
    gpt.session.select(())
    assert [
        id for id in gpt.geometry_of.ids if gpt.labels.node(gpt.geometry_of.nodes[row_of(gpt, id)]).state == "muted"
    ]
    assert gpt.labels.count(gpt.geometry_of.nodes[row_of(gpt, "mlp")]) == "", "its parameters are not counted"
    assert gpt.grab().toImage() != plain
    assert len(gpt.session.history.done) == 1
    gpt.session.undo()
    assert state_of(gpt.session) == before


def test_the_group_around_counts_less(gpt):
    gpt.leave_group()
    group = gpt.geometry_of.nodes[row_of(gpt, "decoder")]
    all_of_it = gpt.labels.count(group)
    gpt.enter_group("decoder")
    gpt.session.select(["mlp"])
    gpt.mute_selection()
    gpt.leave_group()
    gpt.labels.begin(1.0)
    assert gpt.labels.count(gpt.geometry_of.nodes[row_of(gpt, "decoder")]) not in ("", all_of_it)
    gpt.session.select(["decoder"])
    gpt.mute_selection()
    assert gpt.labels.count(gpt.geometry_of.nodes[row_of(gpt, "decoder")]) == ""
    assert gpt.session.report.valid


def test_what_cannot_be_switched_off_says_why_and_offers_to_mend_it(show, hand_on):
    canvas = show()
    canvas.session.select(["second"])
    canvas.mute_selection()
    hand = hand_on(canvas)
    hand.hover("second")
    assert canvas.note is not None
    assert canvas.note.button == "Switch it on again"
    hand.click(canvas.note.button_rect.center().toPoint())
    assert not canvas.session.document.top.node("second").muted
    assert canvas.session.report.valid


def test_inputs_refuse_in_words_and_leave_no_step(show):
    canvas = show()
    said = []
    canvas.session.refused.connect(said.append)
    canvas.session.select(["features"])
    canvas.mute_selection()
    canvas.session.select(())
    canvas.collapse_selection()
    canvas.tag_selection("red")
    assert len(said) == 3
    canvas.session.select(["first"])
    canvas.tag_selection("")
    assert not canvas.session.history.done


def test_a_collapsed_node_is_its_title_and_keeps_its_wires(gpt, state_of):
    before = state_of(gpt.session)
    gpt.session.select(["attn", "mlp_add"])
    gpt.collapse_selection()
    for id in ("attn", "mlp_add"):
        row = row_of(gpt, id)
        box, (left, top, right, bottom) = gpt.geometry_of.boxes[row], gpt.geometry_of.rects[row].tolist()
        assert (box.rows, box.preview, bottom - top) == ((), 0, HEADER)
        for place in gpt.geometry_of.ports_of(id):
            assert place.x in (left, right)
            assert top < place.y < bottom
    for row, wire in enumerate(gpt.geometry_of.wires):
        end = gpt.geometry_of.port(wire.target, wire.input, is_input=True, order=wire.order)
        assert tuple(gpt.geometry_of.lines[row][-1]) == (end.x, end.y)
    anew = LevelGeometry()
    anew.update(gpt.session.document.level(gpt.session.at), gpt.session.report.level(gpt.session.at))
    assert (anew.rects == gpt.geometry_of.rects).all()
    gpt.repaint()
    gpt.collapse_selection()
    assert gpt.geometry_of.boxes[row_of(gpt, "attn")].rows
    gpt.session.undo()
    gpt.session.undo()
    assert state_of(gpt.session) == before


def test_a_collapsed_node_is_hit_where_it_is_drawn(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    left, top, right, bottom = canvas.geometry_of.rects[row_of(canvas, "first")].tolist()
    below = QPointF((left + right) / 2, bottom - 4)
    assert canvas.node_at(below) == "first"
    hand.click("first")
    canvas.collapse_selection()
    assert canvas.node_at(below) is None
    hand.drag("first", canvas.map_from_scene(QPointF(400, 200)).toPoint())
    assert canvas.session.document.top.node("first").position[1] > 100
    hand.wire("features.features", "second.x")
    assert [wire.source for wire in canvas.session.document.top.incoming("second")] == ["features"]


def test_a_collapsed_group_shows_no_preview(show):
    canvas = show("gpt", dim=32, layers=2, num_heads=2, vocab=64, context=32)
    canvas.session.select(["decoder"])
    canvas.collapse_selection()
    box = canvas.geometry_of.boxes[row_of(canvas, "decoder")]
    assert (box.preview, box.height) == (0, HEADER)
    assert canvas.labels.node(canvas.geometry_of.nodes[row_of(canvas, "decoder")]).times == "× 2"
    canvas.repaint()


def test_many_ports_of_a_collapsed_node_stay_apart():
    from graph import templates

    document = templates.find("gpt").build({})
    node = document.node(("decoder", "attn")).with_(collapsed=True)
    ys = [slot.y for slot in measure(node).inputs]
    assert len(ys) > 2
    assert ys == sorted(set(ys))
    assert ys[0] >= 4 and ys[-1] <= HEADER - 4


@pytest.mark.parametrize("zoom", [0.2, 0.4, 1.0])
def test_marks_are_painted_at_every_distance(gpt, zoom):
    gpt.session.select(["attn"])
    gpt.mute_selection()
    gpt.session.select(["mlp"])
    gpt.collapse_selection()
    gpt.tag_selection("green")
    gpt.session.select(())
    gpt.zoom_at(QPointF(QPoint(300, 200)), zoom / gpt.camera.zoom)
    gpt.repaint()
    marked = gpt.grab().toImage()
    for _ in range(3):
        gpt.session.undo()
    gpt.repaint()
    assert gpt.grab().toImage() != marked
    assert gpt.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)


def test_a_tag_tints_the_title_in_both_appearances(show):
    canvas = show()
    canvas.session.select(["first"])
    canvas.tag_selection("green")
    assert canvas.session.document.top.node("first").colour == "green"
    assert canvas.session.history.done[-1].label == "Colour first"
    left, top, _, _ = canvas.geometry_of.rects[row_of(canvas, "first")].tolist()
    spot = canvas.map_from_scene(QPointF(left + 12, top + 6)).toPoint()
    colours = []
    for name in ("dark", "light"):
        theme.apply(name)
        canvas.repaint()
        colours.append(canvas.grab().toImage().pixelColor(spot))
        assert colours[-1].green() > max(colours[-1].red(), colours[-1].blue())
    theme.apply("dark")
    assert colours[0] != colours[1]
    canvas.tag_selection("")
    assert canvas.session.document.top.node("first").colour == ""


def value_place(canvas, id, name):
    box = canvas.geometry_of.boxes[row_of(canvas, id)]
    place = [shown for shown, _ in box.rows].index(name)
    _, top, right, _ = canvas.geometry_of.rects[row_of(canvas, id)].tolist()
    return QPointF(right - 20, top + 40 + 20 * place)


def test_a_click_on_a_value_edits_it_and_tab_goes_on(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.click(value_place(canvas, "first", "out_features"))
    assert canvas.session.selection == {"first"}
    assert (canvas.editor.is_open, canvas.editor.accessibleName()) == (True, "out_features")
    QTest.keyClicks(canvas.editor, "48")
    names = []
    for _ in range(3):
        QTest.keyClick(canvas.editor, Qt.Key.Key_Tab)
        names.append(canvas.editor.accessibleName())
    assert canvas.session.document.top.node("first").params["out_features"] == 48
    assert names == ["Title", "in_features", "out_features"]
    QTest.keyClick(canvas.editor, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert canvas.editor.accessibleName() == "in_features"
    QTest.keyClicks(canvas.editor, "-1")
    QTest.keyClick(canvas.editor, Qt.Key.Key_Tab)
    assert canvas.editor.accessibleName() == "in_features", "what will not do stays to be mended"
    QTest.keyClick(canvas.editor, Qt.Key.Key_Escape)
    assert not canvas.editor.is_open
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_tab_comes_by_switches_without_turning_them(gpt, hand_on):
    rows = [name for name, _ in gpt.geometry_of.boxes[row_of(gpt, "attn")].rows]
    gpt.edit_title("attn")
    for _ in rows:
        QTest.keyClick(gpt.editor, Qt.Key.Key_Tab)
    assert gpt.editor.accessibleName() == rows[-1]
    QTest.keyClick(gpt.editor, Qt.Key.Key_Escape)
    assert not gpt.session.history.done


def test_a_click_beside_a_value_or_from_afar_edits_nothing(show, hand_on):
    canvas = show()
    hand = hand_on(canvas)
    place = value_place(canvas, "first", "out_features")
    left = canvas.geometry_of.rects[row_of(canvas, "first")][0]
    hand.click(QPointF(left + 20, place.y()))
    assert not canvas.editor.is_open
    canvas.zoom_at(QPointF(400, 300), 0.4 / canvas.camera.zoom)
    hand.click(place)
    assert not canvas.editor.is_open


def test_a_value_says_where_it_comes_from(gpt, hand_on):
    hand = hand_on(gpt)
    hand.hover(value_place(gpt, "attn", "num_heads"))
    assert gpt.tip is not None
    assert "=num_heads" in gpt.tip.text
    assert gpt.cursor().shape() == Qt.CursorShape.IBeamCursor
    assert "num_heads" in gpt.labels.node(gpt.geometry_of.nodes[row_of(gpt, "attn")]).computed
    hand.hover("attn")
    assert gpt.tip is None
