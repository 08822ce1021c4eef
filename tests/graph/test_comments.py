"""Frames and notes: part of a level, of files and of the clipboard, and of no model."""

from __future__ import annotations

import pytest

from graph import clipboard, comments, files, grouping
from graph.comments import Annotate, Comment
from graph.document import EditError
from graph.history import History
from graph.plan import plan_document


def written(document):
    level = document.top
    frame = comments.frame_around(level, (0.0, 0.0, 100.0, 40.0)).with_(text="Embedding", colour="blue")
    note = Comment("note", "note", "Why *this* works", (300.0, 20.0), (200.0, 80.0))
    document.apply(comments.change((), [frame, note], "Add"))
    return document


def test_a_frame_has_air_and_lies_on_the_grid(tiny):
    frame = written(tiny("gpt")).top.comments["frame"]
    left, top, right, bottom = frame.rect
    assert left <= -20 and top <= -48 and right >= 120 and bottom >= 60
    assert all(value % 4 == 0 for value in frame.rect)
    assert comments.inside(frame, {"in": (0, 0, 100, 40), "out": (90, 0, 200, 40)}) == ["in"]


def test_they_are_kept_in_files_and_no_model_knows_of_them(tiny):
    plain = plan_document(tiny("gpt"))
    document = written(tiny("gpt"))
    assert [step.id for step in plan_document(document).steps] == [step.id for step in plain.steps]
    again = files.from_text(files.to_text(document))
    assert dict(again.top.comments) == dict(document.top.comments)
    assert "comments" not in files.document_to_data(tiny("gpt"))["level"]


def test_what_is_not_understood_is_kept(tiny):
    data = files.document_to_data(written(tiny("gpt")))
    data["level"]["comments"][1] |= {"kind": "sticker", "shape": "star"}
    assert files.document_to_data(files.document_from_data(data)) == data


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", 3), ("id", "note"), ("kind", ""), ("text", ["no"]), ("position", [1]), ("size", [0, 5]), ("size", "big"),
        ("position", [1e300, 0]), ("colour", 7), ("text", "x" * 30_000),
    ],
)  # fmt: skip
def test_damaged_ones_are_refused(tiny, key, value):
    data = files.document_to_data(written(tiny("gpt")))
    data["level"]["comments"][0][key] = value
    with pytest.raises(files.FileError, match="comment"):
        files.document_from_data(data)


def test_undo_brings_back_what_was(tiny):
    document = tiny("gpt")
    start = files.to_text(document)
    history = History(document)
    history.do(comments.change((), [Comment("note", "note", "one")], "Add"))
    history.do(Annotate((), {"note": document.top.comments["note"].with_(text="two")}))
    history.do(comments.remove(document.top, (), ["note"]))
    assert history.done[-1].label == "Delete the note"
    assert not document.top.comments
    history.undo()
    assert document.top.comments["note"].text == "two"
    history.undo()
    history.undo()
    assert files.to_text(document) == start


def test_what_was_behind_is_behind_again(tiny):
    document = written(tiny("gpt"))
    inverse = document.apply(comments.remove(document.top, (), ["frame"]))
    document.apply(inverse)
    assert list(document.top.comments) == ["frame", "note"]


def test_copies_have_names_of_their_own(tiny):
    document = written(tiny("gpt"))
    text = clipboard.copy(document, (), ["token_embedding"], ["frame", "note"])
    command, ids = clipboard.paste(document, (), text)
    document.apply(command)
    assert ids == ["token_embedding_2"]
    assert set(document.top.comments) == {"frame", "note", "frame_2", "note_2"}
    assert document.top.comments["note_2"].position == (340.0, 60.0)
    command, ids = clipboard.paste(document, (), clipboard.copy(document, (), [], ["note"]), (0.0, 0.0))
    document.apply(command)
    assert ids == [] and document.top.comments["note_3"].position == (0.0, 0.0)
    with pytest.raises(EditError, match="damaged"):
        clipboard.paste(document, (), text.replace('"size": [200', '"size": [-1'))


def test_they_go_into_groups_and_come_out_again(tiny):
    document = written(tiny("gpt"))
    command, id = grouping.group(document, (), ["final_norm"], notes=["note"])
    inverse = document.apply(command)
    assert set(document.top.comments) == {"frame"}
    assert document.level((id,)).comments["note"].text == "Why *this* works"
    out, _ = grouping.ungroup(document, (), id)
    document.apply(out)
    assert {comment.text for comment in document.top.comments.values()} == {"Embedding", "Why *this* works"}
    assert inverse is not None
