"""Frames and notes by mouse and key: put, carried, stretched, written, copied and deleted, each one step."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app import theme
from graph import comments
from graph.comments import Comment

SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def framed(show):
    """A chain of which the two in the middle are framed, at full size."""
    canvas = show()
    frame = comments.frame_around(canvas.session.document.top, canvas.geometry_of.bounds(["first", "second"]))
    canvas.session.do(comments.change((), [frame], "Add"))
    canvas.fit_all()
    return canvas


def written(canvas):
    return canvas.session.document.level(canvas.session.at).comments


def title(canvas, id="frame"):
    left, top, _, _ = written(canvas)[id].rect
    return QPointF(left + 60, top + 14)


def places(canvas):
    return {id: node.position for id, node in canvas.session.document.top.nodes.items()}


def later(place, dx, dy):
    return QPointF(place.x() + dx, place.y() + dy)


def test_a_frame_is_put_around_the_selection_and_named(show, state_of):
    canvas = show()
    before = state_of(canvas.session)
    canvas.session.select(["first", "second"])
    canvas.add_frame()
    assert canvas.editor.is_open and canvas.editor.text() == "Frame"
    QTest.keyClicks(canvas.editor, "Hidden layers")
    QTest.keyClick(canvas.editor, Qt.Key.Key_Return)
    frame = written(canvas)["frame"]
    assert frame.text == "Hidden layers"
    assert comments.inside(frame, canvas.geometry_of.home_rects()) == ["first", "second"]
    assert canvas.session.comments == {"frame"}
    canvas.repaint()
    canvas.session.undo()
    assert state_of(canvas.session) == before
    assert canvas.session.comments == frozenset()


def test_its_title_carries_what_is_inside(framed, hand_on, state_of):
    before, old = state_of(framed.session), places(framed)
    hand = hand_on(framed)
    start = title(framed)
    hand.drag(start, later(start, 80, 60))
    new = places(framed)
    way = (written(framed)["frame"].position[0] + 48 - old["first"][0], 0)
    assert new["features"] == old["features"] and new["result"] == old["result"]
    dx, dy = new["first"][0] - old["first"][0], new["first"][1] - old["first"][1]
    assert dx > 40 and dy > 30 and dx % 4 == dy % 4 == 0
    assert (new["second"][0] - old["second"][0], new["second"][1] - old["second"][1]) == (dx, dy)
    assert comments.inside(written(framed)["frame"], framed.geometry_of.home_rects()) == ["first", "second"]
    assert way[0] != 0
    assert len(framed.session.history.done) == 2
    framed.session.undo()
    assert state_of(framed.session) == before


def test_with_alt_it_goes_alone(framed, hand_on):
    old, frame = places(framed), written(framed)["frame"]
    hand = hand_on(framed)
    start = title(framed)
    hand.drag(start, later(start, 60, 40), ALT)
    assert places(framed) == old
    assert written(framed)["frame"].position != frame.position


def test_escape_lets_everything_stay(framed, hand_on, state_of):
    before, rects = state_of(framed.session), framed.geometry_of.rects.copy()
    hand = hand_on(framed)
    start = title(framed)
    hand.press(start)
    hand.move(later(start, 90, 50))
    framed.repaint()
    hand.key(Qt.Key.Key_Escape)
    hand.release(later(start, 90, 50))
    assert state_of(framed.session) == before
    assert (framed.geometry_of.rects == rects).all()
    assert framed.geometry_of.comments == written(framed)


def test_an_edge_stretches_it(framed, hand_on, state_of):
    before = state_of(framed.session)
    left, top, right, bottom = written(framed)["frame"].rect
    hand = hand_on(framed)
    corner = QPointF(right, bottom)
    hand.hover(corner)
    assert framed.cursor().shape() == Qt.CursorShape.SizeFDiagCursor
    hand.drag(corner, later(corner, 40, 60))
    new = written(framed)["frame"].rect
    assert new[:2] == (left, top) and new[2] > right + 20 and new[3] > bottom + 30
    hand.drag(QPointF(left, bottom - 20), later(corner, 900, 0))
    narrow = written(framed)["frame"].rect
    assert narrow[2] == new[2] and narrow[2] - narrow[0] == 120, "it is never smaller than its title needs"
    framed.session.undo()
    framed.session.undo()
    assert state_of(framed.session) == before


def test_inside_a_frame_one_works_as_if_it_were_not_there(framed, hand_on):
    left, top, right, bottom = written(framed)["frame"].rect
    hand = hand_on(framed)
    hand.drag(QPointF(left + 12, top + 40), QPointF(right - 12, bottom - 12))
    assert framed.session.selection == {"first", "second"}
    assert framed.session.comments == frozenset()
    asked = []
    framed.search_requested.connect(lambda scene, _at: asked.append(scene))
    hand.double_click(QPointF(left + 12, bottom - 12))
    assert len(asked) == 1


def test_a_rubber_band_around_it_takes_it_too(framed, hand_on):
    left, top, right, bottom = written(framed)["frame"].rect
    hand_on(framed).drag(QPointF(left - 12, top - 12), QPointF(right + 12, bottom + 12))
    assert framed.session.comments == {"frame"}
    assert framed.session.selection == {"first", "second"}


def test_a_note_is_written_in_its_place_and_grows(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.hover(QPoint(420, 500))
    canvas.add_note()
    assert canvas.note_editor.is_open
    QTest.keyClicks(canvas.note_editor, "Words " * 40)
    QTest.keyClick(canvas.note_editor, Qt.Key.Key_Return, CTRL)
    note = written(canvas)["note"]
    assert note.text.startswith("Words Words")
    assert note.size[1] > 88
    canvas.repaint()
    left, top, _, _ = note.rect
    hand.double_click(QPointF(left + 40, top + 20))
    QTest.keyClicks(canvas.note_editor, "something else")
    QTest.keyClick(canvas.note_editor, Qt.Key.Key_Escape)
    assert written(canvas)["note"] == note
    canvas.rename()
    QTest.keyClicks(canvas.note_editor, "Short")
    hand.click(QPoint(20, 300))
    assert written(canvas)["note"].text == "Short", "a click elsewhere keeps what was typed"
    assert [entry.label for entry in canvas.session.history.done] == ["Add the note", "Write the note"]
    canvas.session.undo()
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_markdown_shows_no_pages_from_elsewhere(show):
    from app.canvas.paint_comments import set_text
    from app.note_text import note_height

    show()
    text = set_text("# Head\n\n- *one*\n- two\n\n<b>raw</b>", 200.0)
    assert "one" in text.toPlainText() and "*" not in text.toPlainText()
    assert "<b>" in text.toPlainText(), "tags are words, not markup"
    assert note_height("word " * 100, 200.0) > note_height("word", 200.0)


def test_copy_paste_duplicate_and_delete(framed, hand_on, state_of):
    before = state_of(framed.session)
    hand = hand_on(framed)
    hand.click(title(framed))
    assert framed.session.comments == {"frame"}
    framed.duplicate()
    assert set(written(framed)) == {"frame", "frame_2"}
    assert framed.session.comments == {"frame_2"}
    hand.key(Qt.Key.Key_Delete)
    assert set(written(framed)) == {"frame"}
    framed.session.select(["first"], ["frame"])
    framed.cut()
    assert not written(framed) and "first" not in framed.session.document.top.nodes
    framed.paste()
    assert len(written(framed)) == 1 and len(framed.session.selection) == 1
    assert len(framed.session.history.done) == 5
    for _ in range(4):
        framed.session.undo()
    assert state_of(framed.session) == before


def test_arrows_move_it_and_stretching_by_key_is_one_step(framed, hand_on, state_of):
    before = state_of(framed.session)
    framed.session.select((), ["frame"])
    x, y = written(framed)["frame"].position
    QTest.keyPress(framed, Qt.Key.Key_Right)
    QTest.keyPress(framed, Qt.Key.Key_Down, SHIFT)
    assert written(framed)["frame"].position == (x + 4, y + 20)
    assert len(framed.session.history.done) == 2
    QTest.keyRelease(framed, Qt.Key.Key_Down)
    wide = written(framed)["frame"].size[0]
    framed.stretch_selection(20, 0)
    framed.stretch_selection(20, 0)
    assert written(framed)["frame"].size[0] == wide + 40
    framed.session.undo()
    framed.session.undo()
    assert state_of(framed.session) == before


def test_it_is_reached_by_key_and_said_aloud(framed):
    framed.session.do(comments.change((), [Comment("note", "note", "far away", (4000.0, 900.0))], "Add"))
    framed.next_comment()
    assert framed.session.comments == {"frame"}
    framed.next_comment()
    assert framed.session.comments == {"note"}
    assert "note: far away" in framed.accessibleDescription()
    assert framed.rect().contains(framed.map_from_scene(QPointF(4020, 920)).toPoint())
    framed.next_comment()
    assert framed.session.comments == {"frame"}


def test_a_group_takes_the_selected_ones_in(framed):
    framed.session.select(["first", "second"], ["frame"])
    framed.group_selection()
    (group,) = framed.session.selection
    assert not written(framed)
    framed.enter_group(group)
    assert list(written(framed)) == ["frame"]
    framed.repaint()


@pytest.mark.parametrize("zoom", [0.2, 0.45, 1.0])
@pytest.mark.parametrize("name", ["dark", "light"])
def test_they_are_painted_at_every_distance(framed, zoom, name):
    theme.apply(name)
    framed.session.do(comments.change((), [Comment("note", "note", "**Why**", (240.0, 200.0))], "Add"))
    framed.zoom_at(QPointF(300, 300), zoom / framed.camera.zoom)
    framed.repaint()
    seen = framed.grab().toImage()
    framed.session.select((), ["frame", "note"])
    framed.tag_selection("green")
    framed.repaint()
    assert framed.grab().toImage() != seen
    assert {comment.colour for comment in written(framed).values()} == {"green"}
    theme.apply("dark")


def test_the_whole_view_holds_them(framed):
    framed.session.do(comments.change((), [Comment("note", "note", "far away", (3000.0, 900.0))], "Add"))
    framed.fit_all()
    assert framed.rect().contains(framed.map_from_scene(QPointF(3230, 1000)).toPoint())


def test_escape_does_not_throw_away_the_words_of_a_new_note(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand_on(canvas).hover(QPoint(420, 500))
    canvas.add_note()
    QTest.keyClicks(canvas.note_editor, "A long thought")
    QTest.keyClick(canvas.note_editor, Qt.Key.Key_Escape)
    assert written(canvas)["note"].text == "A long thought"
    assert not canvas.note_editor.is_open
    while canvas.session.history.can_undo:
        canvas.session.undo()
    assert state_of(canvas.session) == before


def write(editor, words, *end):
    editor.selectAll()
    QTest.keyClicks(editor, words)
    QTest.keyClick(editor, *end)


def test_what_is_put_and_written_at_once_is_one_step(show, hand_on, state_of, undone):
    canvas = show()
    before = state_of(canvas.session)
    hand_on(canvas).hover(QPoint(420, 500))
    canvas.add_frame()
    write(canvas.editor, "Layers", Qt.Key.Key_Return)
    assert written(canvas)["frame"].text == "Layers"
    undone(canvas, before)
    canvas.session.undo()
    canvas.add_note()
    write(canvas.note_editor, "Mind this", Qt.Key.Key_Escape)
    assert written(canvas)["note"].text == "Mind this"
    undone(canvas, before)


def test_what_is_written_later_is_a_step_of_its_own(show, hand_on, state_of):
    canvas = show()
    before = state_of(canvas.session)
    hand = hand_on(canvas)
    hand.hover(QPoint(420, 480))
    canvas.add_frame()
    write(canvas.editor, "thrown away", Qt.Key.Key_Escape)
    assert written(canvas)["frame"].text == "Frame", "Escape keeps the frame with the title that it had"
    put = state_of(canvas.session)
    hand.double_click(title(canvas))
    write(canvas.editor, "Layers", Qt.Key.Key_Return)
    hand.double_click(title(canvas))
    write(canvas.editor, "More layers", Qt.Key.Key_Return)
    hand.double_click(title(canvas))
    write(canvas.editor, "  More   layers ", Qt.Key.Key_Return)
    assert [entry.label for entry in canvas.session.history.done] == ["Add the frame", *["Write the frame"] * 2]
    canvas.session.undo()
    assert written(canvas)["frame"].text == "Layers"
    canvas.session.undo()
    assert state_of(canvas.session) == put
    canvas.session.undo()
    assert state_of(canvas.session) == before


def test_a_frame_saved_before_it_is_written_can_be_gone_back_to(show, hand_on):
    canvas = show()
    hand_on(canvas).hover(QPoint(420, 480))
    canvas.add_frame()
    canvas.session.history.mark_saved()
    write(canvas.editor, "Layers", Qt.Key.Key_Return)
    canvas.session.undo()
    assert canvas.session.is_saved and written(canvas)["frame"].text == "Frame"
