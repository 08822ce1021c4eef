"""Tidy: nothing overlaps, inputs left and outputs right, few crossings, the same each time, and others left alone."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph import templates
from graph.commands import AddNode, Connect, Move
from graph.document import Document, Node, Wire
from graph.layout import GRID
from graph.tidying import measured, tidy


def rects(document, at=()):
    level = document.level(at)
    boxes = measured(level, None)
    return {
        id: (*node.position, node.position[0] + boxes[id].width, node.position[1] + boxes[id].height)
        for id, node in level.nodes.items()
    }


def overlaps(document, at=()):
    found = rects(document, at)
    return [
        (one, other)
        for one, (a, b, c, d) in found.items()
        for other, (e, f, g, h) in found.items()
        if one < other and a < g and e < c and b < h and f < d
    ]


def levels(document, at=()):
    yield at
    for id, node in document.level(at).nodes.items():
        if node.level is not None:
            yield from levels(document, (*at, id))


def scattered(names, wires, seed=0):
    """Blocks of one input and one output, Add for those that take several, strewn about."""
    chance, document = random.Random(seed), Document("scattered")
    fed = {}
    for _, target in wires:
        fed[target] = fed.get(target, 0) + 1
    for name in names:
        block = "Add" if fed.get(name, 0) > 1 else "LayerNorm" if fed.get(name) else "FeatureInput"
        place = (chance.randrange(2000) / 1.0, chance.randrange(900) / 1.0)
        AddNode((), Node(name, block, position=place)).apply(document)
    count = {}
    for source, target in wires:
        order = count.get(target, 0) if fed[target] > 1 else 0
        count[target] = count.get(target, 0) + 1
        output = "features" if document.top.nodes[source].block == "FeatureInput" else "y"
        Connect((), Wire(source, output, target, "x", order)).apply(document)
    return document


@pytest.mark.parametrize("name", ["gpt", "transformer", "unet", "diffusion_unet", "resnet", "vae", "pixelcnn", "dit"])
def test_templates_lie_apart_on_the_grid_and_read_from_left_to_right(name):
    document = templates.find(name).build({})
    for at in levels(document):
        document.apply(tidy(document, at))
        assert overlaps(document, at) == []
        level, places = document.level(at), rects(document, at)
        assert all(x % GRID == 0 and y % GRID == 0 for x, y, _, _ in places.values())
        for wire in level.wires():
            source, target = places[wire.source], places[wire.target]
            is_below = target[1] >= source[3] + 8 or source[1] >= target[3] + 8
            assert target[0] >= source[2] + 24 or is_below, f"{wire} at {at} runs back within its row"


def test_a_chain_is_straight_and_what_goes_around_it_does_not_bend_it():
    document = templates.find("gpt").build({})
    document.apply(tidy(document, ("decoder",)))
    nodes = document.level(("decoder",)).nodes
    heights = {id: node.position[1] for id, node in nodes.items()}
    assert len(set(heights.values())) == 2, "one row for attention, one for the feed-forward"
    document = scattered("abcdef", [*zip("abcde", "bcdef", strict=True), ("a", "e")])
    document.apply(tidy(document, ()))
    assert len({node.position[1] for node in document.top.nodes.values()}) == 1


def test_a_u_net_hangs_below_its_skips():
    document = templates.find("unet").build({"depth": 4})
    document.apply(tidy(document, ()))
    nodes = document.top.nodes
    rows = [nodes[f"encoder_{level}"].position[1] for level in range(1, 5)]
    assert rows == sorted(set(rows))
    for level, row in enumerate(rows, start=1):
        assert nodes[f"skip_{level}"].position[1] == row, "the skips run straight"
        assert nodes[f"decoder_{level}"].position[1] == row
    assert nodes["bottleneck"].position[1] > rows[-1]


def test_no_wires_cross_that_need_not():
    names = ["i", *(f"{row}{column}" for row in "ab" for column in range(4)), "o"]
    wires = [("i", "b0"), ("i", "a0"), ("b3", "o"), ("a3", "o")]
    wires += [(f"{row}{column}", f"{row}{column + 1}") for row in "ab" for column in range(3)]
    document = scattered(names, wires)
    document.apply(tidy(document, ()))
    nodes = document.top.nodes
    assert all(nodes[f"b{column}"].position[1] < nodes[f"a{column}"].position[1] for column in range(4))


def test_what_steers_many_lies_at_the_lower_left_and_does_not_wreck_the_rest():
    wires = [("data", "a0"), *((f"a{n}", f"a{n + 1}") for n in range(9)), *(("mask", f"a{n}") for n in range(1, 9))]
    document = scattered(["data", "mask", *(f"a{n}" for n in range(10))], wires)
    document.apply(tidy(document, ()))
    nodes = document.top.nodes
    assert overlaps(document) == []
    rows = {nodes[f"a{n}"].position[1] for n in range(10)}
    assert len(rows) <= 2
    assert nodes["mask"].position[1] > min(rows)


def test_the_same_drawing_comes_out_wherever_nodes_lay_and_whatever_came_first():
    wires = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("a", "e")]
    shapes = []
    for seed in range(3):
        document = scattered(random.Random(seed).sample("abcde", 5), wires, seed)
        document.apply(tidy(document, ()))
        left, top, _, _ = rects(document)["a"]
        shapes.append({id: (x - left, y - top) for id, (x, y, _, _) in rects(document).items()})
        assert tidy(document, ()).steps == (), "tidying twice changes nothing"
    assert shapes[0] == shapes[1] == shapes[2]


def test_the_middle_stays_and_a_selection_keeps_clear_of_the_others():
    document = scattered("abcdef", list(zip("abcde", "bcdef", strict=True)))
    before = {id: node.position for id, node in document.top.nodes.items()}
    undo = document.apply(tidy(document, (), ids=["b", "c", "d"]))
    assert all(document.top.nodes[id].position == before[id] for id in "aef")
    assert overlaps(document) == []
    document.apply(undo)
    assert {id: node.position for id, node in document.top.nodes.items()} == before
    old = list(rects(document).values())
    document.apply(tidy(document, ()))
    new = list(rects(document).values())
    for side in (0, 1):
        middles = [(min(r[side] for r in found) + max(r[side + 2] for r in found)) / 2 for found in (old, new)]
        assert abs(middles[0] - middles[1]) <= GRID


def test_a_selection_in_the_midst_of_others_moves_no_further_than_it_must():
    document = scattered("abc", [("a", "b"), ("b", "c")])
    document.apply(Move((), {"a": (0.0, 0.0), "b": (0.0, 60.0), "c": (40.0, 30.0)}))
    document.apply(tidy(document, (), ids=["a", "b"]))
    assert overlaps(document) == []
    assert document.top.nodes["c"].position == (40.0, 30.0)
    assert max(abs(y) for _, y, _, _ in rects(document).values()) < 200


def test_nothing_and_one_node_and_nodes_without_wires():
    document = Document("empty")
    assert tidy(document, ()).steps == ()
    for count in range(12):
        AddNode((), Node(f"n{count}", "ReLU", position=(3.0, 5.0))).apply(document)
    document.apply(tidy(document, ()))
    assert overlaps(document) == []
    assert tidy(document, (), ids=["n1"]).steps == ()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 24), st.data())
def test_no_drawing_overlaps(count, data):
    wires = []
    for target in range(1, count):
        sources = data.draw(st.sets(st.integers(0, target - 1), max_size=4))
        wires += [(f"n{source}", f"n{target}") for source in sources]
    document = scattered([f"n{number}" for number in range(count)], wires)
    chosen = data.draw(st.sets(st.sampled_from([f"n{number}" for number in range(count)])))
    document.apply(tidy(document, ()))
    assert overlaps(document) == []
    before = rects(document)
    document.apply(tidy(document, (), ids=chosen))
    assert overlaps(document) == []
    assert all(rects(document)[id] == place for id, place in before.items() if id not in chosen)


def test_a_u_net_hangs_below_skips_that_come_second_too():
    wires = [("image", "a"), ("a", "pool_a"), ("pool_a", "b"), ("b", "pool_b"), ("pool_b", "mid"), ("mid", "up_b")]
    wires += [("up_b", "cat_b"), ("b", "cat_b"), ("cat_b", "conv_b"), ("conv_b", "up_a"), ("up_a", "cat_a")]
    wires += [("a", "cat_a"), ("cat_a", "conv_a"), ("conv_a", "out")]
    document = scattered(dict.fromkeys(id for wire in wires for id in wire), wires)
    document.apply(tidy(document, ()))
    assert overlaps(document) == []
    heights = {id: node.position[1] for id, node in document.top.nodes.items()}
    assert heights["a"] < heights["b"] < heights["mid"]
    assert heights["conv_a"] == heights["cat_a"] < heights["cat_b"] == heights["conv_b"]


def test_a_result_on_a_straight_wire_stands_at_the_right():
    wires = [("i", "a"), ("a", "early"), ("a", "b"), ("b", "c"), ("c", "late"), ("a", "c")]
    document = scattered(["i", "a", "early", "b", "c", "late"], wires)
    document.apply(tidy(document, ()))
    ends = {id: right for id, (_, _, right, _) in rects(document).items()}
    assert overlaps(document) == []
    assert ends["late"] == max(ends.values())
