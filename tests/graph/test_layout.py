from __future__ import annotations

import pytest

import blocks
from graph import edits, layout, templates
from graph.commands import AddNode
from graph.document import Document, Node, Wire
from graph.layout import FIRST_ROW, GRID, HEADER, ROW, WIDEST, heading, measure, shown_rows, spell_value
from graph.lettering import width
from graph.validate import validate


@pytest.mark.parametrize("name", list(blocks.catalogue()))
def test_every_block_has_a_box_on_the_grid_with_its_ports_inside(name):
    document = Document()
    node = edits.new_node(document, (), blocks.find(name), (0.0, 0.0))
    box = measure(node)
    assert box.width % (2 * GRID) == 0
    assert box.width <= WIDEST
    assert box.height % GRID == 0
    assert [slot.port for slot in box.outputs] == list(blocks.find(name).outputs)
    assert {slot.port for slot in box.inputs} == set(blocks.find(name).inputs)
    for slots in (box.inputs, box.outputs):
        heights = [slot.y for slot in slots]
        assert all(later - sooner >= 12 for sooner, later in zip(heights, heights[1:], strict=False))
        first = box.height / 2 if box.is_dot else HEADER / 2
        assert all(first <= y <= box.height - 8 for y in heights)
    assert len(box.rows) <= 3
    assert not box.rows or FIRST_ROW + ROW * (len(box.rows) - 1) <= box.height - 8


def test_an_input_of_many_shows_two_places_and_one_for_each_wire():
    node = Node("sum", "Add")
    assert [(slot.port, slot.order) for slot in measure(node).inputs] == [("x", 0), ("x", 1)]
    wires = tuple(Wire("a", "y", "sum", "x", order) for order in (0, 2, 5))
    box = measure(node, wires)
    assert [(slot.port, slot.order) for slot in box.inputs] == [("x", 0), ("x", 2), ("x", 5)]
    assert box.input("x", 2).y == FIRST_ROW
    assert box.input("x", 1) is None
    assert box.output("y").y == HEADER / 2


def test_ports_that_may_stay_idle_lie_closer_until_they_are_wired():
    node = Node("attn", "MultiHeadAttention")
    idle = measure(node)
    wired = measure(node, (Wire("m", "mask", "attn", "mask"), Wire("b", "y", "attn", "score_bias")))
    assert wired.input("score_bias").y > idle.input("score_bias").y


def test_a_wire_at_an_unknown_port_has_a_place():
    box = measure(Node("what", "Unheard"), (Wire("a", "y", "what", "z"),))
    assert box.input("z").y == HEADER / 2
    assert box.outputs == ()


def test_a_group_says_how_often_it_runs_and_has_room_for_a_picture():
    document = templates.find("gpt").build()
    report = validate(document).node(("decoder",))
    assert heading(report.node, report.params) == "Decoder layer × 12"
    assert heading(report.node) == "Decoder layer × layers"
    box = measure(report.node, report.wires, report.params)
    assert box.preview > 0
    assert box.height >= HEADER + box.preview
    assert [slot.port for slot in box.inputs] == ["x"]


def test_rows_show_what_a_run_would_use():
    node = Node("lin", "Linear", {"in_features": {"from": "wire"}, "out_features": "=4*dim"})
    assert shown_rows(node, {}) == (("in_features", "–"), ("out_features", "=4*dim"))
    assert shown_rows(node, {"in_features": 768, "out_features": 50257})[1] == ("out_features", "50\u2009257")


def test_a_node_keeps_its_width_while_a_small_value_changes():
    node = Node("norm", "LayerNorm", {"dim": {"from": "wire"}})
    assert len({measure(node, (), values).width for values in ({}, {"dim": 8}, {"dim": 768})}) == 1


def test_a_long_title_makes_a_node_wide_but_not_endless():
    document = Document()
    AddNode((), Node("a", "GELU", title="A title " * 30)).apply(document)
    assert measure(document.top.node("a")).width == WIDEST


@pytest.mark.parametrize(
    "value, text", [(True, "yes"), (None, "–"), (768, "768"), (50257, "50\u2009257"), (1e-5, "1e-05"), ("half", "half")]
)
def test_values_are_spelled_as_people_read_them(value, text):
    assert spell_value(value) == text


def test_letters_have_their_widths():
    assert width("iii", 10) < width("mmm", 10)
    assert width("abc", 10, mono=True) == 18
    assert width("abc", 20) == 2 * width("abc", 10)
    assert width("漢", 10) == 10
    assert width("", 10) == 0


@pytest.mark.parametrize("name", ["gpt", "unet", "diffusion_unet"])
def test_a_box_that_is_remembered_is_the_one_that_was_measured(tiny, name):
    document = tiny(name)
    for path, report in validate(document).walk():
        node, wires = document.node(path), document.level(path[:-1]).incoming(path[-1])
        states = [{}, {"muted": True}, {"collapsed": True}, {"title": "Another one"}]
        for box_of in [node.with_(**state) for state in states if not node.is_dot]:
            for linked in (False, True):
                for values in (report.params, {}, {key: str(value) for key, value in report.params.items()}):
                    for some in (wires, wires[:1], ()):
                        found = measure(box_of, some, values, linked=linked)
                        assert found == layout._measure(box_of, some, values, linked)


def test_one_and_true_are_written_apart():
    ones = [dict(measure(Node("a", "Linear", {"out_features": value})).rows) for value in (1, True, 1.0, "1")]
    assert [row["out_features"] for row in ones] == ["1", "yes", "1", "1"]
