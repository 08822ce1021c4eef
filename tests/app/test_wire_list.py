"""The list of the wires that a node could have: only what fits, what is free first, and what is there to cut."""

from __future__ import annotations

import time

import pytest

from app.session import Session
from app.wire_list import choices
from graph import templates
from graph.commands import AddNode, Connect
from graph.document import FROM_WIRE, Document, Node, Wire


@pytest.fixture
def session():
    document = Document()
    for node in (
        Node("a", "FeatureInput", {"dim": 8}, title="Text"),
        Node("b", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(240.0, 0.0), title="First"),
        Node("c", "Linear", {"in_features": FROM_WIRE, "out_features": 8}, position=(500.0, 0.0), title="Second"),
        Node("conv", "Conv2d", position=(500.0, 300.0)),
        Node("o", "Output", position=(800.0, 0.0)),
    ):
        document.apply(AddNode((), node))
    document.apply(Connect((), Wire("a", "features", "b", "x")))
    document.apply(Connect((), Wire("b", "y", "o", "x")))
    return Session(document)


def test_what_fits_is_listed_what_is_free_first_and_what_is_there_last(session):
    found = [(choice.title, choice.detail) for choice in choices(session, "c")]
    assert found == [
        ("x ← First, y", ""),
        ("x ← Text, features", ""),
        ("y → Conv 2D, x", ""),
        ("x ← Conv 2D, y", ""),
        ("y → First, x", "replaces Text"),
        ("y → Output, x", "replaces First"),
    ]
    assert choices(session, "b")[-2].title == "Cut x ← Text, features"
    assert choices(session, "b")[-1].title == "Cut y → Output, x"


def test_each_choice_does_what_it_says(session):
    for wanted, wires in (
        ("y → Output, x", {("a", "b"), ("c", "o")}),
        ("x ← Text, features", {("a", "b"), ("a", "c"), ("c", "o")}),
        ("Cut y → Output, x", {("a", "b"), ("a", "c")}),
    ):
        command = next(choice.command for choice in choices(session, "c") if choice.title == wanted)
        assert session.do(command)
        assert {(w.source, w.target) for w in session.document.top.wires()} == wires
    assert len(session.history.done) == 3


def test_nothing_is_offered_that_closes_a_circle_or_has_no_place(session):
    session.do(Connect((), Wire("b", "y", "c", "x")))
    titles = [choice.title for choice in choices(session, "c")]
    assert "y → First, x" not in titles
    assert "y → Conv 2D, x" not in titles


def test_a_large_level_does_not_hold_the_window():
    session = Session(templates.find("gpt").build())
    session.enter(("decoder",))
    id = "attn"
    choices(session, id)
    start = time.perf_counter()
    assert choices(session, id)
    assert time.perf_counter() - start < 0.5, "usually 0.02 s; the machine may be busy"
