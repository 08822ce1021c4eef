"""A drawing put into another one as a group: ports, variables, ties and numbers."""

from __future__ import annotations

import pytest
import torch

from graph import templates
from graph.commands import AddNode, Connect, SetVariable
from graph.comments import Comment, change
from graph.compile import compile_plan
from graph.document import Document, EditError, Node, Wire
from graph.embedding import embed
from graph.files import document_from_data, document_to_data
from graph.passes import run_passes
from graph.plan import plan_document
from graph.validate import validate


@pytest.fixture
def host():
    """Tokens and an output, and a variable that GPT has too, with another value."""
    document = Document("host")
    document.apply(AddNode((), Node("tokens", "TokenInput", {"vocab": 100})))
    document.apply(AddNode((), Node("result", "Output", position=(900.0, 0.0))))
    document.apply(SetVariable("dim", 48))
    document.apply(SetVariable("vocab", 100))
    return document


@pytest.fixture
def gpt():
    return templates.find("gpt").build({"vocab": 100, "dim": 32, "num_heads": 4, "layers": 2, "context": 16})


def test_a_gpt_inside_another_drawing_runs_with_its_own_variables(host, gpt):
    before = document_to_data(host)
    kept = document_to_data(gpt)
    command, id = embed(host, (), gpt, (200.0, 40.0), "Small GPT")
    inverse = host.apply(command)
    assert document_to_data(gpt) == kept
    group = host.top.node(id)
    assert (id, group.title, group.position) == ("small_gpt", "Small GPT", (200.0, 40.0))
    assert host.variables["dim"] == 48 and host.variables["dim_2"] == 32
    assert host.variables["vocab"] == 100 and "vocab_2" not in host.variables, "equal ones are one"
    host.apply(Connect((), Wire("tokens", "tokens", id, "tokens")))
    output = next(n.params["port"] for n in group.level.nodes.values() if n.block == "GroupOutput")
    host.apply(Connect((), Wire(id, output, "result", "x")))
    report = validate(host)
    assert report.valid, [str(issue) for issue in report.issues]
    model = compile_plan(run_passes(plan_document(host))[0])
    assert model(torch.randint(100, (2, 8))).shape == (2, 8, 100)
    names = {name.partition(".")[2]: tuple(t.shape) for name, t in model.state_dict().items()}
    alone = compile_plan(run_passes(plan_document(gpt))[0])
    assert names == {name: tuple(t.shape) for name, t in alone.state_dict().items()}
    tied = sum(p.numel() for p in alone.parameters())
    assert sum(p.numel() for p in model.parameters()) == tied, "ties point into the group"
    assert document_to_data(document_from_data(document_to_data(host))) == document_to_data(host)
    for wire in host.top.wires():
        from graph.commands import Disconnect

        host.apply(Disconnect((), wire))
    host.apply(inverse)
    assert document_to_data(host) == before


def test_twice_it_has_weights_of_its_own_and_one_set_of_variables(host, gpt):
    host.apply(embed(host, (), gpt, (0.0, 0.0), "a")[0])
    count = len(host.variables)
    first = host.top.node("a")
    host.apply(embed(host, (), gpt, (0.0, 300.0), "a")[0])
    second = host.top.node("a_2")
    uids = [{node.uid for node in group.level.nodes.values()} for group in (first, second)]
    assert not uids[0] & uids[1]
    assert first.level.node("token_embedding").params == second.level.node("token_embedding").params or count


def test_what_is_computed_from_a_renamed_variable_is_renamed_too(host):
    other = Document("other")
    other.apply(SetVariable("dim", 8))
    other.apply(SetVariable("wide", "=4 * dim"))
    other.apply(AddNode((), Node("x", "FeatureInput", {"dim": "=dim"})))
    other.apply(AddNode((), Node("y", "Linear", {"in_features": "=dim", "out_features": "=wide + max(dim, 2)"})))
    other.apply(Connect((), Wire("x", "features", "y", "x")))
    host.apply(SetVariable("wide", "=4 * dim"))
    host.apply(embed(host, (), other, (0.0, 0.0))[0])
    assert host.variables["wide_2"] == "=4 * dim_2"
    inner = host.node(("other", "y"))
    assert inner.params["out_features"] == "=wide_2 + max(dim_2, 2)"


def test_an_empty_drawing_is_refused(host):
    with pytest.raises(EditError, match="nothing is drawn"):
        embed(host, (), Document(), (0.0, 0.0))


def test_frames_and_notes_come_along(host, gpt):
    for at in ((), ("decoder",)):
        gpt.apply(change(at, [Comment("note", "note", "Why *this* works")], "Add"))
    host.apply(embed(host, (), gpt, (0.0, 0.0), "a")[0])
    assert host.level(("a",)).comments["note"].text == "Why *this* works"
    assert host.level(("a", "decoder")).comments["note"].text == "Why *this* works"
