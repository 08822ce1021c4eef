"""Bookmarks are stored with the drawing, checked when read, and follow their group through renaming."""

from __future__ import annotations

import json

import pytest

from graph import templates
from graph.bookmarks import Bookmark, bookmarks, level_of, set_bookmark
from graph.commands import RemoveNode, Rename
from graph.files import FileError, document_to_data, from_text, to_text


def test_they_are_kept_in_the_file_and_left_out_where_there_are_none():
    document = templates.find("gpt").build({})
    before = document_to_data(document)
    assert "bookmarks" not in before
    mark = Bookmark(document.node(("decoder",)).uid, 120.5, -40.0, 0.75)
    undo = document.apply(set_bookmark(document, 3, mark))
    again = from_text(to_text(document))
    assert bookmarks(again) == {3: mark}
    assert level_of(again, mark) == ("decoder",)
    again.apply(set_bookmark(again, 3, None))
    assert document_to_data(again) == before
    document.apply(undo)
    assert document_to_data(document) == before


def test_they_follow_their_group():
    document = templates.find("gpt").build({})
    mark = Bookmark(document.node(("decoder",)).uid, 0.0, 0.0, 1.0)
    document.apply(Rename((), "decoder", "layers"))
    assert level_of(document, mark) == ("layers",)
    document.apply(RemoveNode((), "layers"))
    assert level_of(document, mark) is None
    assert level_of(document, Bookmark("", 0.0, 0.0, 1.0)) == ()


@pytest.mark.parametrize(
    "damaged",
    [
        [], {"1": 5}, {"1": {"position": [1, 2]}}, {"1": {"position": [1], "zoom": 1}},
        {"1": {"position": [1, 2], "zoom": 0}}, {"2": {"group": 7, "position": [1, 2], "zoom": 1}},
        {"9": {"position": [1e300, 2], "zoom": 1}},
    ],
)  # fmt: skip
def test_damaged_ones_are_refused_in_a_sentence(damaged):
    data = document_to_data(templates.find("mlp").build({}))
    with pytest.raises(FileError, match="bookmark"):
        from_text(json.dumps({**data, "bookmarks": damaged}))


def test_what_a_newer_version_adds_is_kept():
    data = document_to_data(templates.find("mlp").build({}))
    data["bookmarks"] = {"1": {"group": "", "position": [1, 2], "zoom": 1, "colour": "red"}, "home": {"x": 1}}
    document = from_text(json.dumps(data))
    document.apply(set_bookmark(document, 2, Bookmark("", 3.0, 4.0, 1.0)))
    kept = document_to_data(document)["bookmarks"]
    assert kept["home"] == {"x": 1}
    assert kept["1"]["colour"] == "red"
    assert kept["2"] == {"group": "", "position": [3.0, 4.0], "zoom": 1.0}
