"""Pictures and drawings from the file manager, dropped on a canvas: what becomes of them, and back in one step."""

from __future__ import annotations

import pytest
from PIL import Image
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from app.files.dropping import insert_drawing, show_picture
from graph import clipboard, files, templates
from graph.commands import AddNode
from graph.document import Document, Level, Node
from graph.judge import title_of

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


def carried(*paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def carry(canvas, data, point, keys=Qt.KeyboardModifier.NoModifier, actions=Qt.DropAction.CopyAction):
    """Carry something over the canvas, as a file manager does; returns the last event."""
    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(canvas, QDragEnterEvent(point, actions, data, left, keys))
    event = QDragMoveEvent(point, actions, data, left, keys)
    QApplication.sendEvent(canvas, event)
    canvas.repaint()
    return event


def test_it_says_what_would_become_of_a_file_and_leaves_no_trace(show, hand_on, tmp_path):
    canvas = show("unet")
    hand = hand_on(canvas)
    (id,) = [id for id, node in canvas.session.document.top.nodes.items() if node.block == "ImageInput"]
    title = title_of(canvas.session.document.top.node(id))
    picture, drawing = carried(tmp_path / "cat.png"), carried(tmp_path / "one.json")
    carry(canvas, picture, hand.at(id))
    assert (canvas.tip.text, canvas.looks.hovered) == (f"Show cat.png to {title}", id)
    carry(canvas, picture, QPoint(500, 560))
    assert (canvas.tip.text, canvas.looks.hovered) == (f"Show cat.png to {title}", id), "it is the only one"
    QApplication.sendEvent(canvas, QDragLeaveEvent())
    assert canvas.tip is None
    carry(canvas, drawing, QPoint(500, 560))
    assert canvas.tip.text == "Open one.json. Hold Shift to put it here as a group"
    carry(canvas, drawing, QPoint(500, 560), SHIFT)
    assert canvas.tip.text == "Put one.json here as a group"
    carry(canvas, carried(tmp_path / "one.json", tmp_path / "two.json"), QPoint(500, 560))
    assert canvas.tip.text == "Take 2 files"
    QApplication.sendEvent(canvas, QDragLeaveEvent())
    assert canvas.gesture is None
    assert not canvas.session.history.done


def document_with(inputs, nested):
    """Image inputs at the top level, and a group that holds some too, which is no place for them."""
    document = Document()
    for number in range(inputs):
        AddNode((), Node(f"image_{number}", "ImageInput", title=f"Eye {number}", position=(0.0, 240.0 * number))).apply(
            document
        )
    level = Level()
    AddNode((), Node("group", "Group", position=(480.0, 0.0), level=level)).apply(document)
    AddNode(("group",), Node("gelu", "GELU", position=(480.0, 0.0))).apply(document)
    for number in range(nested):
        AddNode(("group",), Node(f"inner_{number}", "ImageInput", position=(0.0, 240.0 * number))).apply(document)
    return document


@pytest.mark.parametrize(
    "inputs, nested, at, over, selected, promise",
    [
        (0, 0, (), None, (), "Put cat.png here as an image input"),
        (1, 0, (), None, (), "Show cat.png to Eye 0"),
        (1, 0, (), "group", (), "Show cat.png to Eye 0"),
        (2, 0, (), "image_1", (), "Show cat.png to Eye 1"),
        (2, 0, (), "image_1", ("image_0",), "Show cat.png to Eye 1"),
        (2, 0, (), None, ("image_0",), "Show cat.png to Eye 0"),
        (2, 0, (), None, (), "Drop cat.png on the image input that is to see it"),
        (2, 0, (), None, ("image_0", "image_1"), "Drop cat.png on the image input that is to see it"),
        (0, 0, ("group",), None, (), "Pictures come in at the top level: leave the group to drop cat.png"),
        (0, 1, ("group",), "inner_0", (), "Pictures come in at the top level: leave the group to drop cat.png"),
        (1, 1, ("group",), "inner_0", ("inner_0",), "Show cat.png to Eye 0 at the top level"),
        (2, 2, ("group",), "inner_1", (), "Drop cat.png on the image input that is to see it"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_picture_is_what_is_done(
    show, hand_on, dropped, tmp_path, inputs, nested, at, over, selected, promise
):
    canvas = show(document_with(inputs, nested))
    session, said = canvas.session, said_by(canvas)
    if at:
        canvas.enter_group(*at)
    session.select(selected)
    path = tmp_path / "cat.png"
    Image.new("RGB", (20, 12)).save(path)
    before = set(session.document.top.nodes)
    point = hand_on(canvas).at(over) if over else QPoint(500, 560)
    assert canvas.node_at(canvas.map_to_scene(point)) == over
    carry(canvas, carried(path), point)
    promised, marked = canvas.tip.text, canvas.looks.hovered
    QApplication.sendEvent(canvas, QDragLeaveEvent())
    dropped(canvas, path, point)
    nodes = session.document.top.nodes
    seeing = [id for id, node in nodes.items() if node.sample]
    assert promised == promise
    if said:
        assert (said, seeing, marked) == ([f"{promise}."], [], None)
    elif seeing[0] not in before:
        assert promise.startswith("Put cat.png here") and marked is None
    else:
        (id,) = seeing
        assert promise.removesuffix(" at the top level") == f"Show cat.png to {nodes[id].title}"
        assert marked == (None if at else id)
    assert all(not node.sample for node in nodes["group"].level.nodes.values())


def test_several_pictures_are_refused_before_they_are_dropped(show, tmp_path):
    canvas = show(document_with(0, 1))
    canvas.enter_group("group")
    carry(canvas, carried(tmp_path / "cat.png", tmp_path / "dog.png"), QPoint(500, 560))
    assert canvas.tip.text.startswith("Pictures come in at the top level")
    QApplication.sendEvent(canvas, QDragLeaveEvent())
    assert canvas.tip is None


def test_a_file_is_never_taken_as_moved(show, tmp_path):
    canvas = show()
    both = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    event = carry(canvas, carried(tmp_path / "one.json"), QPoint(500, 560), SHIFT, both)
    assert event.isAccepted()
    assert event.dropAction() == Qt.DropAction.CopyAction
    drop = QDropEvent(QPointF(500, 560), both, carried(tmp_path / "one.json"), Qt.MouseButton.LeftButton, SHIFT)
    drop.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(canvas, drop)
    assert drop.isAccepted()
    assert drop.dropAction() == Qt.DropAction.CopyAction


def test_copied_nodes_are_dragged_from_a_text(show, hand_on, state_of):
    canvas = show()
    before, data = state_of(canvas.session), QMimeData()
    data.setText(f"Look: {clipboard.copy(canvas.session.document, (), ['first', 'second'])}")
    assert hand_on(canvas).drop(QPoint(300, 500), data)
    assert len(canvas.session.document.top.nodes) == 6
    left, top, _, _ = canvas.geometry_of.bounds(canvas.session.selection)
    corner = canvas.map_from_scene(QPointF(left, top))
    assert (corner.x(), corner.y()) == pytest.approx((300, 500), abs=4)
    canvas.session.undo()
    assert state_of(canvas.session) == before
    data.setText("Look: a shopping list")
    assert not hand_on(canvas).drop(QPoint(300, 500), data)
