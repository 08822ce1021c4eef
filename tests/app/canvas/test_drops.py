"""Blocks, templates and files dropped on the canvas."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl

from app.canvas.gestures.drop import BLOCK_TYPE, TEMPLATE_TYPE
from graph.document import FROM_WIRE, Document


def carried(kind: str, text: str) -> QMimeData:
    data = QMimeData()
    data.setData(kind, text.encode())
    return data


def test_a_block_is_dropped_where_the_pointer_is(show, hand_on, state_of):
    canvas = show(Document())
    before = state_of(canvas.session)
    assert hand_on(canvas).drop(QPoint(500, 300), carried(BLOCK_TYPE, "Linear"))
    (node,) = canvas.session.document.top.nodes.values()
    assert node.block == "Linear"
    assert node.params["in_features"] == FROM_WIRE
    left, top, right, _ = canvas.geometry_of.rects[0].tolist()
    point = canvas.map_to_scene(QPoint(500, 300))
    assert abs((left + right) / 2 - point.x()) <= 3
    assert top <= point.y() <= top + 36
    assert (node.position[0] % 4, node.position[1] % 4) == (0, 0)
    assert canvas.session.selection == {node.id}
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_a_block_dropped_on_a_wire_is_put_into_it(show, hand_on):
    canvas = show()
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    assert hand_on(canvas).drop(QPointF(x, y), carried(BLOCK_TYPE, "GELU"))
    wires = {(w.source, w.target) for w in canvas.session.document.top.wires()}
    assert {("first", "gelu"), ("gelu", "second")} <= wires
    assert len(canvas.session.history.done) == 1
    assert canvas.looks.gap is None


def test_a_block_that_does_not_fit_lies_beside_the_wire(show, hand_on):
    canvas = show()
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    assert hand_on(canvas).drop(QPointF(x, y), carried(BLOCK_TYPE, "Conv2d"))
    wires = {(w.source, w.target) for w in canvas.session.document.top.wires()}
    assert ("first", "second") in wires
    assert "conv2d" in canvas.session.document.top.nodes


def test_a_block_dropped_into_a_group(show, hand_on):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    assert hand_on(canvas).drop(QPoint(600, 560), carried(BLOCK_TYPE, "Dropout"))
    assert "dropout" in canvas.session.document.level(("decoder",)).nodes


def test_leaving_with_a_block_leaves_nothing(show, hand_on):
    canvas = show()
    hand_on(canvas).drop(QPointF(400, 200), carried(BLOCK_TYPE, "GELU"), leave=True)
    assert canvas.gesture is None
    assert len(canvas.session.document.top.nodes) == 4


def test_a_template_is_handed_on(show, hand_on, qtbot):
    canvas = show()
    with qtbot.waitSignal(canvas.template_dropped) as dropped:
        assert hand_on(canvas).drop(QPointF(400, 200), carried(TEMPLATE_TYPE, "unet"))
    assert dropped.args[0] == "unet"
    assert not canvas.session.history.done


def test_files_are_handed_on(show, hand_on, qtbot, tmp_path):
    canvas = show()
    data = QMimeData()
    names = ["drawing.json", "cat.PNG", "notes.txt"]
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in names])
    with qtbot.waitSignal(canvas.files_dropped) as dropped:
        assert hand_on(canvas).drop(QPointF(400, 200), data)
    assert [Path(path).name for path in dropped.args[0]] == ["drawing.json", "cat.PNG"]


@pytest.mark.parametrize("kind, text", [("text/plain", "hello"), (BLOCK_TYPE, "NoSuchBlock"), (BLOCK_TYPE, "\udcff")])
def test_what_nobody_knows_is_not_taken(kind, text, show, hand_on):
    canvas = show()
    data = QMimeData()
    data.setData(kind, text.encode("utf-8", "surrogateescape"))
    assert not hand_on(canvas).drop(QPointF(400, 200), data)
    assert canvas.gesture is None
    assert not canvas.session.history.done


def test_a_block_by_its_name_lies_in_the_middle_and_never_on_another(show):
    canvas = show(Document())
    for _ in range(3):
        canvas.session.select(())
        canvas.add_block("Linear")
    rects = canvas.geometry_of.rects
    assert len(rects) == 3
    for row in range(3):
        others = [other for other in range(3) if other != row]
        assert not any(overlap(rects[row], rects[other]) for other in others)


def test_a_block_that_is_not_there_is_refused(show):
    canvas = show()
    said = []
    canvas.session.refused.connect(lambda sentence: said.append(sentence))
    assert canvas.add_block("NoSuchBlock") is None
    assert said == ["There is no block called NoSuchBlock."]


def test_alt_keeps_a_dropped_block_out_of_the_wire(show, hand_on):
    canvas = show()
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    assert hand_on(canvas).drop(QPointF(x, y), carried(BLOCK_TYPE, "GELU"), keys=Qt.KeyboardModifier.AltModifier)
    wires = {(w.source, w.target) for w in canvas.session.document.top.wires()}
    assert ("first", "second") in wires
    assert "gelu" in canvas.session.document.top.nodes


def test_neighbours_make_room_for_what_is_dropped_between_them(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    x, y, _ = canvas.geometry_of.middles[1].tolist()
    added = []
    canvas.block_added.connect(added.append)
    hand_on(canvas).drop(QPointF(x, y), carried(BLOCK_TYPE, "GELU"))
    rects = {id: canvas.geometry_of.rects[row].tolist() for id, row in canvas.geometry_of.index.items()}
    assert rects["gelu"][0] - rects["first"][2] >= 40
    assert rects["second"][0] - rects["gelu"][2] >= 40
    assert rects["result"][0] - rects["second"][2] >= 40
    assert added == ["GELU"]
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_shift_says_that_files_go_into_the_drawing(show, hand_on, qtbot, tmp_path):
    canvas = show()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "drawing.json"))])
    for keys in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        with qtbot.waitSignal(canvas.files_dropped) as dropped:
            hand_on(canvas).drop(QPointF(400, 200), data, keys=keys)
        assert dropped.args[2] is (keys == Qt.KeyboardModifier.ShiftModifier)


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
