"""A way around a selection: what is wired, what is computed, that one undo takes it back, and what is refused."""

from __future__ import annotations

import itertools

import pytest
import torch

from graph import grouping
from graph.commands import AddNode, Connect, Disconnect, SetNode
from graph.compile import compile_plan
from graph.document import EditError, Node, Wire
from graph.files import document_to_data
from graph.history import History
from graph.layout import measure
from graph.passes import run_passes
from graph.plan import plan_document
from graph.skips import skip_around
from graph.templates import find
from graph.validate import validate


@pytest.fixture
def mixed(chain):
    """Features, two layers, a third, a result."""
    return chain(
        ("a", "FeatureInput", {"dim": 8}),
        ("b", "Linear", {"out_features": 8}),
        ("c", "ReLU", {}),
        ("d", "Linear", {"out_features": 8}),
        ("o", "Output", {}),
    )


def model(document):
    return compile_plan(run_passes(plan_document(document))[0])


def test_a_residual_adds_what_came_in_and_is_one_step(mixed):
    before = document_to_data(mixed)
    history = History(mixed)
    command, ids = skip_around(mixed, (), ["c", "b"])
    history.do(command)
    assert ids == ["b", "c", "add"] and command.label == "Skip around 2 nodes"
    assert mixed.top.incoming("add") == (Wire("c", "y", "add", "x", 0), Wire("a", "features", "add", "x", 1))
    assert mixed.top.incoming("d") == (Wire("add", "y", "d", "x"),)
    assert validate(mixed).valid
    built = model(mixed)
    x = torch.randn(2, 3, 8)
    torch.testing.assert_close(built(x), built.d(x + built.c(built.b(x))))
    history.undo()
    assert document_to_data(mixed) == before
    history.redo()
    assert mixed.top.incoming("d")[0].source == "add"


@pytest.mark.parametrize("swapped", [False, True])
def test_of_nodes_side_by_side_the_first_drawn_comes_first(chain, swapped):
    drawing = chain(("a", "FeatureInput", {"dim": 8}), ("b", "ReLU", {}), ("s", "Add", {}), ("o", "Output", {}))
    drawing.apply(AddNode((), Node("c", "GELU")))
    wires = [Wire("a", "features", "c", "x"), Wire("c", "y", "s", "x", 1)]
    for wire in wires:
        drawing.apply(Connect((), wire))
    if swapped:
        drawing.apply(Disconnect((), Wire("a", "features", "b", "x")))
        drawing.apply(Connect((), Wire("a", "features", "b", "x")))
    assert skip_around(drawing, (), ["c", "s", "b"])[1] == ["b", "c", "s", "add"]


def test_grouped_at_once_it_is_a_block_to_repeat(mixed):
    command, ids = skip_around(mixed, (), ["b", "c"])
    mixed.apply(command)
    grouped, group = grouping.group(mixed, (), ids, "Residual")
    mixed.apply(grouped)
    mixed.apply(SetNode((), group, "repeat", 3))
    assert validate(mixed).valid
    built = model(mixed)
    x = wanted = torch.randn(2, 3, 8)
    for layer in built.residual:
        wanted = wanted + layer.c(layer.b(wanted))
    torch.testing.assert_close(built(x), built.d(wanted))


def test_a_long_skip_lies_beside_the_result():
    document = find("unet").build({"depth": 2, "channels": 4})
    report = validate(document)
    assert report.valid
    command, ids = skip_around(document, (), ["bottleneck"], "Concat", {"axis": 1})
    document.apply(command)
    after = validate(document)
    assert after.valid and ids == ["bottleneck", "concat"]
    found = after.node(("concat",)).outputs["y"].shape
    assert found[1] == report.node(("bottleneck",)).outputs["x"].shape[1] + 8


def test_around_a_group_and_inside_one(tiny):
    document = tiny("gpt")
    command, _ = skip_around(document, (), ["decoder"])
    document.apply(command)
    command, ids = skip_around(document, ("decoder",), ["mlp_norm", "mlp"])
    document.apply(command)
    assert validate(document).valid
    assert document.top.incoming("final_norm")[0].source == "add"
    inside = document.level(("decoder",))
    assert [wire.source for wire in inside.incoming(ids[-1])] == ["mlp", "attn_add"]


def test_what_nothing_reads_yet_is_joined_at_its_end(chain):
    document = chain(("a", "FeatureInput", {}), ("b", "ReLU", {}), ("c", "Tanh", {}))
    command, _ = skip_around(document, (), ["b", "c"])
    document.apply(command)
    assert [wire.source for wire in document.top.incoming("add")] == ["c", "a"]
    assert not document.top.outgoing("add")


def test_a_reader_with_many_wires_keeps_their_order(chain):
    document = chain(("a", "FeatureInput", {}), ("b", "ReLU", {}), ("c", "Add", {}), ("o", "Output", {}))
    document.apply(Connect((), Wire("a", "features", "c", "x", 1)))
    command, _ = skip_around(document, (), ["b"])
    document.apply(command)
    assert document.top.incoming("c") == (Wire("add", "y", "c", "x", 0), Wire("a", "features", "c", "x", 1))


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ([], "nothing is selected"),
        (["a"], "nothing comes into the selection that could go around it"),
        (["b", "d"], "2 results leave the selection; a way around it needs one to join"),
        (["o"], "no result leaves the selection; a way around it needs one to join"),
    ],
)
def test_what_cannot_be_skipped_is_refused_in_a_sentence(mixed, chosen, words):
    with pytest.raises(EditError) as caught:
        skip_around(mixed, (), chosen)
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("name", "chosen"), [("gpt", ["final_norm"]), ("unet", ["bottleneck"]), ("llama", ["decoder"])]
)
def test_the_row_makes_room(name, chosen):
    document = find(name).build()
    command, _ = skip_around(document, (), chosen, "Concat" if name == "unet" else "Add")
    document.apply(command)
    boxes = {}
    for node in document.top.nodes.values():
        box = measure(node, document.top.incoming(node.id))
        boxes[node.id] = (*node.position, node.position[0] + box.width, node.position[1] + box.height)
    for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
        apart = a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
        assert apart, f"{one} and {other} overlap"
