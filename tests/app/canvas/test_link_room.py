"""The mark of shared weights has room beside the title, at both ends of a tie."""

from __future__ import annotations

import pytest

from app.canvas.ink import faces
from app.canvas.paint_near import LINK
from graph.commands import SetNode, SetVariable
from graph.layout import INSET_RIGHT, LINK_ROOM, TITLE_LEFT, WIDEST


def room_for_title(canvas, id):
    """What is left for the title beside the parameter count and the mark, as it is painted."""
    geometry, labels = canvas.geometry_of, canvas.labels
    row = geometry.index[id]
    node = geometry.nodes[row]
    room = geometry.boxes[row].width - INSET_RIGHT - TITLE_LEFT
    room -= faces().small.width(labels.count(node)) + 8
    return room - (LINK + 6 if labels.node(node).linked else 0)


@pytest.mark.parametrize("id", ["token_embedding", "head"])
def test_a_long_title_is_not_cut_for_the_mark(show, id):
    canvas = show("gpt")
    for letters in range(4, 22):
        title = "Embedding of words"[: letters - 3] + "abc"
        canvas.session.do(SetNode((), id, "title", title))
        canvas.grab()
        width = canvas.geometry_of.boxes[canvas.geometry_of.index[id]].width
        assert canvas.labels.node(canvas.session.document.top.node(id)).linked
        assert width == WIDEST or faces().title.width(title) <= room_for_title(canvas, id) + 1, title


def test_both_ends_follow_the_tie(show, state_of):
    canvas = show("gpt")
    for id in ("token_embedding", "head"):
        canvas.session.do(SetNode((), id, "title", "A title of some length"))
    before, widths = state_of(canvas.session), dict(zip(canvas.geometry_of.ids, canvas.geometry_of.boxes, strict=True))
    canvas.session.do(SetVariable("tied", False))
    boxes = dict(zip(canvas.geometry_of.ids, canvas.geometry_of.boxes, strict=True))
    assert boxes["token_embedding"].width < widths["token_embedding"].width
    assert boxes["token_embedding"].width >= widths["token_embedding"].width - LINK_ROOM - 8
    canvas.session.undo()
    assert dict(zip(canvas.geometry_of.ids, canvas.geometry_of.boxes, strict=True)) == widths
    assert state_of(canvas.session) == before


def test_it_is_there_from_the_start_and_after_entering_and_leaving(show):
    canvas = show("gpt")
    first = canvas.geometry_of.boxes[canvas.geometry_of.index["token_embedding"]]
    canvas.enter_group("decoder")
    canvas.leave_group()
    assert canvas.geometry_of.boxes[canvas.geometry_of.index["token_embedding"]] == first
