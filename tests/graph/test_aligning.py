"""Nodes in line and at even distances; and which nodes belong to which."""

from __future__ import annotations

import pytest

from graph import kin, templates
from graph.aligning import align, distribute
from graph.commands import AddNode
from graph.document import Document, EditError, Node
from graph.layout import Box

PLACES = {"a": (0.0, 10.0), "b": (200.0, 60.0), "c": (100.0, 300.0), "d": (7.0, 99.0)}
BOXES = {
    "a": Box(100, 40, (), (), ()), "b": Box(80, 80, (), (), ()), "c": Box(60, 20, (), (), ()),
    "d": Box(10, 10, (), (), ()),
}  # fmt: skip


@pytest.fixture
def document():
    document = Document()
    for id, place in PLACES.items():
        AddNode((), Node(id, "ReLU", position=place)).apply(document)
    return document


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        ("left", {"a": (0, 10), "b": (0, 60), "c": (0, 300)}),
        ("right", {"a": (180, 10), "b": (200, 60), "c": (220, 300)}),
        ("centre", {"a": (90, 10), "b": (100, 60), "c": (110, 300)}),
        ("top", {"a": (0, 10), "b": (200, 10), "c": (100, 10)}),
        ("bottom", {"a": (0, 280), "b": (200, 240), "c": (100, 300)}),
        ("middle", {"a": (0, 145), "b": (200, 125), "c": (100, 155)}),
    ],
)
def test_in_line(document, side, expected):
    undo = document.apply(align(document, (), ["a", "b", "c"], BOXES, side))
    assert {id: document.top.nodes[id].position for id in "abc"} == expected
    assert document.top.nodes["d"].position == PLACES["d"]
    document.apply(undo)
    assert {id: node.position for id, node in document.top.nodes.items()} == PLACES


def test_even_gaps(document):
    document.apply(distribute(document, (), ["a", "b", "c"], BOXES, "down"))
    heights = {id: document.top.nodes[id].position[1] for id in "abc"}
    assert heights == {"a": 10, "c": 300, "b": 136}
    assert heights["b"] - (heights["a"] + 40) == pytest.approx(heights["c"] - (heights["b"] + 80), abs=4)
    document.apply(distribute(document, (), ["a", "b", "c"], BOXES, "across"))
    assert {id: document.top.nodes[id].position[0] for id in "abc"} == {"a": 0, "b": 200, "c": 120}


def test_too_few_are_refused_in_words(document):
    with pytest.raises(EditError, match="two nodes or more"):
        align(document, (), ["a"], BOXES, "left")
    with pytest.raises(EditError, match="three nodes or more"):
        distribute(document, (), ["a", "b"], BOXES, "across")


def test_what_belongs_together():
    document = templates.find("unet").build({})
    level = document.top
    assert kin.upstream(level, ["encoder_2"]) == {"image", "encoder_1", "pool_1", "encoder_2"}
    assert kin.downstream(level, ["decoder_1"]) == {"decoder_1", "head", "segmentation"}
    assert kin.linked(level, ["pool_1"]) == level.nodes.keys()
    assert kin.similar(level, ["pool_1"]) == {"pool_1", "pool_2", "pool_3"}
    assert kin.similar(level, ["encoder_1"]) == {"encoder_1"}
    AddNode((), Node("alone", "ReLU")).apply(document)
    assert kin.linked(level, ["alone"]) == {"alone"}
