"""A large level is worked out beside the window, and what is out of date by then is not taken."""

from __future__ import annotations

import pytest

from app.canvas import arranging
from graph.commands import AddNode, SetVariable
from graph.document import Document, Node


@pytest.fixture
def large(show, monkeypatch):
    monkeypatch.setattr(arranging, "MANY", 10)
    document = Document("large")
    for count in range(30):
        AddNode((), Node(f"n{count}", "ReLU", position=(3.0 * count, 5.0))).apply(document)
    return show(document)


def test_the_window_goes_on_while_a_large_level_is_tidied(large, qtbot, state_of):
    before = state_of(large.session)
    large.arranging.tidy_all()
    assert large.arranging.is_busy
    assert state_of(large.session) == before
    qtbot.waitUntil(lambda: not large.arranging.is_busy, timeout=5000)
    assert [step.label for step in large.session.history.done] == ["Tidy"]
    large.glide.stop()
    large.session.undo()
    assert state_of(large.session) == before


def test_what_changes_meanwhile_wins(large, qtbot):
    said = []
    large.session.refused.connect(said.append)
    large.arranging.tidy_all()
    large.session.do(SetVariable("dim", 8))
    qtbot.waitUntil(lambda: not large.arranging.is_busy, timeout=5000)
    assert [step.label for step in large.session.history.done] == ["Set dim"]
    assert said == ["The drawing has changed while it was being tidied; tidy it once more."]


def test_an_empty_level_says_so(show):
    canvas = show(Document())
    said = []
    canvas.session.refused.connect(said.append)
    canvas.arranging.tidy()
    assert said == ["There is nothing here to tidy."]
