"""Pictures and drawings from the file manager, dropped on a canvas: what becomes of them, and back in one step."""

from __future__ import annotations

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl

from app.dropping import insert_drawing, show_picture
from graph import files, templates
from graph.document import Document

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def dropped(hand_on):
    """Drops a file on a canvas that does with it what the window does."""

    def take(canvas, path, place, keys=Qt.KeyboardModifier.NoModifier):
        def act(paths, scene, inserts):
            (insert_drawing if inserts else show_picture)(canvas, paths[0], scene)

        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        canvas.files_dropped.connect(act)
        hand_on(canvas).drop(place, data, keys=keys)
        canvas.files_dropped.disconnect(act)

    return take


def said_by(canvas):
    said = []
    canvas.session.refused.connect(lambda sentence: said.append(sentence))
    return said


@pytest.mark.parametrize("mode, channels", [("RGB", 3), ("L", 1)])
def test_a_picture_becomes_an_image_input(show, dropped, tmp_path, state_of, mode, channels):
    canvas = show(Document())
    before = state_of(canvas.session)
    path = tmp_path / "cat.png"
    Image.new(mode, (20, 12)).save(path)
    dropped(canvas, path, QPointF(300, 200))
    (node,) = canvas.session.document.top.nodes.values()
    assert (node.block, dict(node.sample)) == ("ImageInput", {"kind": "image", "path": str(path)})
    assert canvas.session.report.node((node.id,)).params["channels"] == channels
    left, top, right, _ = canvas.geometry_of.rects[0].tolist()
    assert abs((left + right) / 2 - 300) <= 4 and top <= 200 <= top + 36
    assert canvas.session.selection == {node.id}
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_a_picture_is_shown_to_the_input_under_it(show, dropped, tmp_path, hand_on):
    canvas = show(Document())
    said = said_by(canvas)
    for place in (QPointF(100, 100), QPointF(100, 300)):
        canvas.add_block("ImageInput", place)
    path = tmp_path / "cat.png"
    Image.new("RGB", (20, 12)).save(path)
    canvas.session.select(())
    first, second = canvas.session.document.top.nodes
    dropped(canvas, path, QPointF(500, 500))
    assert said == ["Drop cat.png on the image input that is to see it."]
    dropped(canvas, path, second_place(canvas, second))
    level = canvas.session.document.top
    assert level.node(second).sample["path"] == str(path) and not level.node(first).sample
    assert len(level.nodes) == 2


def second_place(canvas, id):
    left, top, right, _ = canvas.geometry_of.rects[canvas.geometry_of.index[id]].tolist()
    return QPointF((left + right) / 2, top + 10)


def test_inside_a_group_a_picture_is_refused_in_words(show, dropped, tmp_path):
    canvas = show("gpt")
    canvas.enter_group("decoder")
    said = said_by(canvas)
    path = tmp_path / "cat.png"
    Image.new("RGB", (20, 12)).save(path)
    dropped(canvas, path, QPointF(300, 200))
    assert said == ["Pictures come in at the top level: leave the group to drop cat.png."]


def test_a_drawing_dropped_with_shift_is_a_group(show, dropped, tmp_path, state_of):
    canvas = show()
    before = state_of(canvas.session)
    path = tmp_path / "my unet.json"
    files.save(templates.find("unet").build({"depth": 1}), path)
    dropped(canvas, path, QPointF(400, 300), SHIFT)
    (id,) = canvas.session.selection
    group = canvas.session.document.top.node(id)
    assert group.is_group and group.title == "my unet"
    assert {n.block for n in group.level.nodes.values()} >= {"GroupInput", "GroupOutput"}
    canvas.repaint()
    canvas.enter_group(id)
    canvas.repaint()
    canvas.leave_group()
    assert len(canvas.session.history.done) == 1
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_a_damaged_or_empty_drawing_is_refused_in_words(show, dropped, tmp_path):
    canvas = show()
    said = said_by(canvas)
    broken, empty = tmp_path / "broken.json", tmp_path / "empty.json"
    broken.write_text("{", encoding="utf-8")
    files.save(Document(), empty)
    dropped(canvas, broken, QPointF(400, 300), SHIFT)
    dropped(canvas, empty, QPointF(400, 300), SHIFT)
    assert len(said) == 2
    assert said[1] == "Nothing is inserted from empty.json: nothing is drawn there."
    assert not canvas.session.history.done
