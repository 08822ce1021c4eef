"""A node put into a wire lies in its row, between its neighbours, and what comes after it makes room."""

from __future__ import annotations

import pytest

from graph.commands import AddNode, Connect, Move
from graph.comments import Comment, change
from graph.document import Document, Node, Wire
from graph.layout import measure
from graph.spacing import GAP, insert_with_room
from graph.validate import validate


@pytest.fixture
def row():
    """Features → layer → result in one row, close together, and something below the result."""
    document = Document()
    for node in (
        Node("a", "FeatureInput", {"dim": 8}, position=(0.0, 0.0)),
        Node("b", "Linear", {"in_features": {"from": "wire"}, "out_features": 8}, position=(200.0, 0.0)),
        Node("o", "Output", position=(420.0, 0.0)),
        Node("below", "ReLU", position=(420.0, 200.0)),
        Node("left", "ReLU", position=(0.0, 200.0)),
    ):
        document.apply(AddNode((), node))
    document.apply(Connect((), Wire("a", "features", "b", "x")))
    document.apply(Connect((), Wire("b", "y", "o", "x")))
    return document


def box(document, id):
    node = document.top.node(id)
    size = measure(node, document.top.incoming(id))
    return node.position[0], node.position[1], node.position[0] + size.width, node.position[1] + size.height


def test_columns_to_the_right_make_room_and_the_rest_stays(row):
    node = Node("c", "ReLU", position=(380.0, 10.0))
    inverse = row.apply(insert_with_room(row, (), node, row.top.incoming("o")[0]))
    assert box(row, "c")[0] - box(row, "b")[2] >= GAP
    assert box(row, "o")[0] - box(row, "c")[2] >= GAP
    assert row.top.node("o").position[0] == row.top.node("below").position[0], "the column stays a column"
    assert row.top.node("b").position == (200.0, 0.0) and row.top.node("left").position == (0.0, 200.0)
    assert row.top.node("c").position[1] == 0.0, "it is in line with the wire"
    assert all(value % 4 == 0 for node in row.top.nodes.values() for value in node.position)
    assert validate(row).valid
    row.apply(inverse)
    assert row.top.node("o").position == (420.0, 0.0) and "c" not in row.top


def test_where_there_is_room_nothing_moves(row):
    row.apply(Move((), {"o": (900.0, 0.0)}))
    row.apply(insert_with_room(row, (), Node("c", "ReLU", position=(600.0, 100.0)), row.top.incoming("o")[0]))
    assert row.top.node("c").position == (600.0, 100.0)
    assert row.top.node("o").position == (900.0, 0.0)


def test_a_wire_that_runs_back_leaves_all_in_its_place(row):
    row.apply(Move((), {"o": (-300.0, 0.0)}))
    row.apply(insert_with_room(row, (), Node("c", "ReLU", position=(40.0, 100.0)), row.top.incoming("o")[0]))
    assert row.top.node("c").position == (40.0, 100.0)
    assert row.top.node("o").position == (-300.0, 0.0)


def test_a_node_that_is_there_is_moved(row):
    row.apply(insert_with_room(row, (), row.top.node("below"), row.top.incoming("o")[0], add=False))
    assert {(w.source, w.target) for w in row.top.wires()} == {("a", "b"), ("b", "below"), ("below", "o")}
    assert box(row, "o")[0] - box(row, "below")[2] >= GAP


def test_a_dot_needs_no_room(row):
    wire = row.top.incoming("o")[0]
    places = {id: node.position for id, node in row.top.nodes.items()}
    row.apply(insert_with_room(row, (), Node("dot", "Reroute", position=(360.0, 8.0)), wire))
    assert {id: row.top.node(id).position for id in places} == places
    assert row.top.node("dot").position[1] + 10 == 18, "its middle is at the height of the wire"


def test_frames_and_notes_go_with_what_makes_room(row):
    document, size = row, (160.0, 120.0)
    made = [
        Comment("all", "frame", "All", (-20.0, -60.0), (600.0, 400.0)),
        Comment("right", "frame", "Right", (400.0, 170.0), size),
        Comment("left", "frame", "Left", (-10.0, 170.0), size),
        Comment("far", "note", "Far", (700.0, 0.0), size),
        Comment("near", "note", "Near", (10.0, 100.0), size),
    ]
    document.apply(change((), made, "Add"))
    x = document.top.node("o").position[0]
    inverse = document.apply(
        insert_with_room(row, (), Node("c", "ReLU", position=(380.0, 0.0)), row.top.incoming("o")[0])
    )
    step = document.top.node("o").position[0] - x
    assert step > 0
    after = document.top.comments
    assert after["all"].position == made[0].position and after["all"].size == (600.0 + step, 400.0)
    assert after["right"].position == (400.0 + step, 170.0) and after["right"].size == size
    assert after["far"].position == (700.0 + step, 0.0)
    assert after["left"] == made[2] and after["near"] == made[4]
    document.apply(inverse)
    assert list(document.top.comments.values()) == made
