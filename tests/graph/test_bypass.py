"""Nodes that are switched off pass their input on, or say why they cannot; none of them runs, all of them are kept."""

from __future__ import annotations

import pytest
import torch

from graph import clipboard, files, marking
from graph.commands import AddNode, Connect, SetNode, SetParam
from graph.compile import compile_plan
from graph.document import EditError, Node, Wire
from graph.history import History
from graph.plan import plan_document
from graph.validate import Validator, validate

ROW = (
    ("x", "FeatureInput", {"dim": 8}),
    ("wide", "Linear", {"out_features": 8}),
    ("act", "GELU", {}),
    ("narrow", "Linear", {"out_features": 4}),
    ("out", "Output", {}),
)


def off(document, *path):
    document.apply(SetNode(path[:-1], path[-1], "muted", True))


def test_a_muted_block_is_no_part_of_the_plan(chain):
    document = chain(*ROW)
    off(document, "wide")
    off(document, "act")
    report = validate(document)
    assert report.valid and not report.issues
    plan = plan_document(document, report)
    assert [step.id for step in plan.steps] == ["narrow"]
    model = compile_plan(plan)
    assert set(model.state_dict()) == {"narrow.weight", "narrow.bias"}
    x = torch.randn(3, 8)
    assert torch.equal(model(x), model.narrow(x))


def test_one_that_changes_the_shape_says_why_and_how_to_mend_it(chain):
    document = chain(*ROW)
    off(document, "narrow")
    (issue,) = validate(document).issues
    assert issue.where == "Linear, input x"
    assert issue.message == (
        "It is switched off and would pass on batch × seq × 8 from GELU, but what comes after it is made for "
        "batch × seq × 4, which it gives. Switch it on again?"
    )
    document.apply(issue.repair.command)
    assert validate(document).valid


def test_another_type_of_number_is_no_passing_on(tiny):
    document = tiny("gpt")
    off(document, "token_embedding")
    issue = next(issue for issue in validate(document).issues if issue.path == ("token_embedding",))
    assert issue.severity == "error"
    assert "It is switched off and would pass on batch × seq" in issue.message


@pytest.mark.parametrize("id", ["x", "out"])
def test_inputs_and_outputs_cannot_be_switched_off(chain, id):
    document = chain(*ROW)
    off(document, id)
    (issue,) = [issue for issue in validate(document).issues if issue.severity == "error"]
    assert issue.path == (id,)
    assert "passes nothing on" in issue.message
    with pytest.raises(EditError, match="cannot be switched off"):
        marking.switch(chain(*ROW), (), ["x", "out"])


def test_what_is_wrong_with_it_does_not_matter_while_it_is_off(chain):
    document = chain(*ROW)
    document.apply(SetParam((), "wide", "in_features", 5))
    assert not validate(document).valid
    off(document, "wide")
    report = validate(document)
    assert report.valid
    assert [issue.severity for issue in report.issues] == ["warning"]
    assert str(report.signal(("wide",), "y")) == "batch × seq × 8"


def test_a_group_is_switched_off_with_all_that_is_in_it(tiny):
    document = tiny("gpt")
    off(document, "decoder")
    document.apply(SetParam(("decoder",), "mlp", "dim", 48))
    report = validate(document)
    assert report.valid, [str(issue) for issue in report.issues]
    plan = plan_document(document, report)
    assert "decoder" not in [step.id for step in plan.steps]
    text = files.to_text(document)
    assert files.to_text(files.from_text(text)) == text
    assert '"muted": true' in text


def test_blocks_inside_a_repeated_group_too(tiny):
    document = tiny("gpt")
    off(document, "decoder", "mlp")
    plan = plan_document(document)
    model = compile_plan(plan)
    assert not [name for name in model.state_dict() if ".mlp." in name]
    assert model(torch.zeros(1, 4, dtype=torch.long)).shape == (1, 4, 61)


def test_only_what_is_passed_on_is_read(tiny):
    document = tiny("unet")
    level = document.top
    joins = [id for id, node in level.nodes.items() if node.block == "Concat"]
    assert joins
    off(document, joins[0])
    known = validate(document)
    (issue,) = [issue for issue in known.issues if issue.path == (joins[0],)]
    assert "would pass on" in issue.message


def test_a_sum_that_is_off_reads_its_first_wire_only(chain):
    document = chain(*ROW[:3], ("sum", "Add", {}), ("out", "Output", {}))
    document.apply(AddNode((), Node("side", "GELU")))
    document.apply(Connect((), Wire("wide", "y", "side", "x")))
    document.apply(Connect((), Wire("side", "y", "sum", "terms", 1)))
    assert validate(document).top.used == set(document.top.nodes)
    off(document, "sum")
    report = validate(document)
    assert report.valid
    assert "side" not in report.top.used
    assert [step.id for step in plan_document(document, report).steps] == ["wide", "act"]


def test_a_tie_to_what_is_off_is_refused(tiny):
    document = tiny("gpt")
    off(document, "token_embedding")
    assert any("is switched off" in issue.message for issue in validate(document).issues)


def test_a_validator_that_is_kept_says_the_same(tiny):
    document = tiny("gpt")
    kept = Validator(document)
    for path in (("decoder", "attn"), ("decoder", "mlp"), ("decoder",), ("decoder", "attn"), ("final_norm",)):
        if path[-1] not in document.level(path[:-1]):
            continue
        muted = document.node(path).muted
        document.apply(SetNode(path[:-1], path[-1], "muted", not muted))
        assert [str(issue) for issue in kept.report().issues] == [str(issue) for issue in validate(document).issues]
        assert kept.report().top.used == validate(document).top.used


def test_switching_is_one_step_for_all(chain):
    document = chain(*ROW)
    before = files.document_to_data(document)
    history = History(document)
    history.do(marking.switch(document, (), ["x", "wide", "act"]))
    assert [id for id, node in document.top.nodes.items() if node.muted] == ["wide", "act"]
    assert history.done[-1].label == "Switch off 2 nodes"
    history.do(marking.switch(document, (), ["act", "wide", "narrow"]))
    assert document.top.nodes["narrow"].muted
    history.do(marking.switch(document, (), ["act", "wide", "narrow"]))
    assert not any(node.muted for node in document.top.nodes.values())
    for _ in range(3):
        history.undo()
    assert files.document_to_data(document) == before


def test_copies_are_as_the_nodes_were(chain):
    document = chain(*ROW)
    document.apply(marking.switch(document, (), ["wide"]))
    document.apply(marking.collapse(document, (), ["wide"]))
    document.apply(marking.tag(document, (), ["wide"], "blue"))
    command, (copy,) = clipboard.paste(document, (), clipboard.copy(document, (), ["wide"]))
    document.apply(command)
    node = document.top.nodes[copy]
    assert (node.muted, node.collapsed, node.colour) == (True, True, "blue")


@pytest.mark.parametrize(("key", "value"), [("muted", 1), ("collapsed", "yes"), ("colour", 3), ("colour", "x" * 50)])
def test_files_are_checked(chain, key, value):
    data = files.document_to_data(chain(*ROW))
    data["level"]["nodes"][1][key] = value
    with pytest.raises(files.FileError, match=f"{key} of wide"):
        files.document_from_data(data)


def test_an_unknown_colour_is_kept(chain):
    data = files.document_to_data(chain(*ROW))
    data["level"]["nodes"][1]["colour"] = "teal"
    assert files.document_to_data(files.document_from_data(data)) == data
