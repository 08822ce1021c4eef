"""Dots on wires, cuts, nodes pulled out of their wires and ports whose wires go elsewhere; each is one step back."""

from __future__ import annotations

import pytest
import torch

from graph import edits
from graph.commands import AddNode, Connect
from graph.compile import compile_plan
from graph.document import EditError, Node, Wire
from graph.files import document_from_data, document_to_data
from graph.history import History
from graph.passes import run_passes
from graph.plan import plan_document
from graph.rewiring import cut, lay_dots, lead_elsewhere, pull_out
from graph.validate import validate


@pytest.fixture
def drawing(chain):
    """Features, two layers with a ReLU between, a result; an Add of features and the second layer, not read."""
    document = chain(
        ("a", "FeatureInput", {"dim": 8}),
        ("b", "Linear", {"out_features": 8}),
        ("c", "ReLU", {}),
        ("d", "Linear", {"out_features": 8}),
        ("o", "Output", {}),
    )
    document.apply(AddNode((), Node("sum", "Add")))
    document.apply(Connect((), Wire("a", "features", "sum", "x", 0)))
    document.apply(Connect((), Wire("d", "y", "sum", "x", 1)))
    return document


def model(document):
    return compile_plan(run_passes(plan_document(document))[0])


def ends(document):
    return {f"{w.source}.{w.output} {w.target}.{w.input}.{w.order}" for w in document.top.wires()}


def undone(document, command):
    """Make an edit as one step, and see that one undo takes it back and one redo makes it again."""
    before, history = document_to_data(document), History(document)
    history.do(command)
    after = document_to_data(document)
    history.undo()
    assert document_to_data(document) == before
    history.redo()
    assert sorted(document_to_data(document)["level"]["wires"]) == sorted(after["level"]["wires"])


def test_dots_change_no_number_name_or_shape(drawing):
    x = torch.randn(2, 3, 8)
    plain = model(drawing)
    shapes = {id: report.outputs for id, report in validate(drawing).top.nodes.items()}
    wires = drawing.top.incoming("b") + drawing.top.incoming("d") + drawing.top.incoming("o")
    command, dots = lay_dots(drawing, (), dict.fromkeys(wires, (100.0, 50.0)))
    undone(drawing, command)
    assert len(dots) == 3
    report = validate(drawing)
    assert report.valid
    assert {id: report.top.nodes[id].outputs for id in shapes} == shapes
    dotted = model(drawing)
    assert list(dotted.state_dict()) == list(plain.state_dict())
    assert torch.equal(dotted(x), plain(x))
    again = document_from_data(document_to_data(drawing))
    assert torch.equal(model(again)(x), plain(x))


def test_wires_of_one_output_share_a_dot_in_a_column_of_the_grid(drawing):
    wires = [wire for wire in drawing.top.wires() if wire.source == "a"]
    command, dots = lay_dots(drawing, (), dict.fromkeys(wires, (101.0, 50.0)))
    undone(drawing, command)
    assert command.label == "Add a dot"
    assert dots == ["reroute"]
    assert drawing.top.incoming("reroute") == (Wire("a", "features", "reroute", "x"),)
    assert {(w.target, w.order) for w in drawing.top.outgoing("reroute")} == {("b", 0), ("sum", 0)}
    x, y = drawing.top.node("reroute").position
    assert x % 4 == 0 and abs(x + 12 - 101) <= 2
    assert y + 10 == 50, "a wire that runs straight still does"


def test_a_deleted_dot_leaves_the_wire_whole_even_several_in_a_row(drawing):
    before = ends(drawing)
    for _ in range(3):
        command, _ = lay_dots(drawing, (), {drawing.top.incoming("c")[0]: (0.0, 0.0)})
        drawing.apply(command)
    undone(drawing, edits.remove(drawing, (), ["reroute", "reroute_2", "reroute_3"]))
    assert ends(drawing) == before


def test_a_deleted_block_takes_the_dots_with_it_only_if_they_are_selected(drawing):
    command, _ = lay_dots(drawing, (), {drawing.top.incoming("d")[0]: (0.0, 0.0)})
    drawing.apply(command)
    drawing.apply(edits.remove(drawing, (), ["c", "reroute"]))
    assert not drawing.top.incoming("d"), "what was deleted with its wires is not reconnected"


def test_what_is_deleted_in_a_row_is_reconnected(drawing):
    undone(drawing, edits.remove(drawing, (), ["b", "c"], heal=True))
    assert "a.features d.x.0" in ends(drawing)


def test_a_fault_behind_a_dot_names_the_block_before_it(chain):
    document = chain(
        ("a", "FeatureInput", {"dim": 8}),
        ("b", "Linear", {"in_features": 4, "out_features": 8}),
        ("o", "Output", {}),
    )
    command, _ = lay_dots(document, (), {document.top.incoming("b")[0]: (0.0, 0.0)})
    document.apply(command)
    (issue,) = [issue for issue in validate(document).issues if issue.severity == "error"]
    assert "from Feature input" in issue.message
    assert "Reroute" not in issue.message


def test_cut(drawing):
    undone(drawing, cut((), [*drawing.top.incoming("c"), *drawing.top.incoming("o")]))
    assert not drawing.top.incoming("c") and not drawing.top.incoming("o")
    assert cut((), drawing.top.wires()).label == "Cut 4 wires"
    with pytest.raises(EditError, match="no wire is cut"):
        cut((), [])


def test_pulling_out_closes_the_gap_and_keeps_what_is_between(drawing):
    undone(drawing, pull_out(drawing, (), ["b", "c"]))
    assert ends(drawing) == {"a.features d.x.0", "b.y c.x.0", "d.y o.x.0", "a.features sum.x.0", "d.y sum.x.1"}
    with pytest.raises(EditError, match="no wire leads"):
        pull_out(drawing, (), ["b", "c"])


def test_pulling_out_what_several_wires_reach_leaves_them_open(drawing):
    undone(drawing, pull_out(drawing, (), ["sum"]))
    assert not drawing.top.incoming("sum")


def test_all_wires_of_an_output_go_to_another(drawing):
    undone(drawing, lead_elsewhere(drawing, (), ("d", "y"), ("b", "y"), is_input=False))
    assert {"b.y o.x.0", "b.y sum.x.1", "b.y c.x.0"} <= ends(drawing)
    with pytest.raises(EditError, match="no wires to move"):
        lead_elsewhere(drawing, (), ("d", "y"), ("b", "y"), is_input=False)


def test_all_wires_of_an_input_go_to_another(drawing):
    drawing.apply(AddNode((), Node("other", "Add")))
    undone(drawing, lead_elsewhere(drawing, (), ("sum", "x"), ("other", "x"), is_input=True, many=True))
    assert {"a.features other.x.0", "d.y other.x.1"} <= ends(drawing)
    with pytest.raises(EditError, match="takes one wire, and 2 would come"):
        lead_elsewhere(drawing, (), ("other", "x"), ("o", "x"), is_input=True)
    undone(drawing, lead_elsewhere(drawing, (), ("d", "x"), ("o", "x"), is_input=True))
    assert "c.y o.x.0" in ends(drawing) and "d.y o.x.0" not in ends(drawing)


def test_a_circle_is_refused_and_changes_nothing(drawing):
    before = document_to_data(drawing)
    with pytest.raises(EditError, match="circle"):
        drawing.apply(lead_elsewhere(drawing, (), ("a", "features"), ("d", "y"), is_input=False))
    assert sorted(document_to_data(drawing)["level"]["wires"]) == sorted(before["level"]["wires"])
