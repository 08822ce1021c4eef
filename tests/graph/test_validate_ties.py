"""Ties, variables and ports that cannot be are told, and what they hang on is not blamed."""

from __future__ import annotations

import pytest

from graph.commands import AddNode, Connect, Disconnect, SetNode, SetParam, SetVariable
from graph.document import Node, Tie, Wire
from graph.validate import validate


def only(report):
    (issue,) = report.issues
    return issue


@pytest.mark.parametrize(
    ("tie", "words"),
    [
        (Tie("nobody.weight"), "there is no such parameter"),
        (Tie("token_embedding.bias"), "there is no such parameter"),
        (Tie("final_norm.weight"), "but that has the shape"),
        (Tie("token_embedding.weight", "=missing"), "there is no variable 'missing'"),
        (Tie("token_embedding.weight", "maybe"), "neither true nor false"),
        (Tie("token_embedding.weight", "=layers"), "neither true nor false"),
        (Tie("head.weight"), "tied itself"),
        (Tie("decoder.attn_norm.weight"), "every round of decoder has weights of its own"),
        (Tie("idle.weight"), "reaches no output"),
    ],
)
def test_ties_that_cannot_be(tiny, tie, words):
    document = tiny("gpt")
    document.apply(AddNode((), Node("idle", "Embedding", {"vocab": "=vocab", "dim": "=dim"})))
    document.apply(Connect((), Wire("tokens", "tokens", "idle", "tokens")))
    document.apply(SetNode((), "head", "ties", {"weight": tie}))
    assert words in only(validate(document)).message


def test_ties_within_a_repeated_group_are_refused(tiny):
    document = tiny("gpt")
    document.apply(SetNode(("decoder",), "mlp_norm", "ties", {"weight": Tie("decoder.attn_norm.weight")}))
    assert "every round of decoder" in only(validate(document)).message
    document.apply(SetNode((), "decoder", "shared", True))
    assert validate(document).valid


@pytest.mark.parametrize(("value", "valid"), [(True, True), (0, True), (1, True), ("maybe", False), (2, False)])
def test_a_variable_that_turns_a_tie_on_is_true_or_false(tiny, value, valid):
    assert validate(tiny("gpt", tied=value)).valid is valid


def test_a_tie_that_is_off_is_not_looked_at(tiny):
    document = tiny("gpt", tied=False)
    document.apply(SetNode((), "head", "ties", {"weight": Tie("nobody.weight", "=tied")}))
    assert validate(document).valid


def test_a_circle_of_variables_is_an_issue(tiny):
    document = tiny("gpt", hidden="=wide")
    document.apply(SetVariable("wide", "=hidden"))
    assert not validate(document).valid


def test_a_missing_wire_is_one_issue_and_no_fault_of_the_tie(tiny):
    document = tiny("gpt")
    document.apply(Disconnect((), document.top.incoming("head")[0]))
    assert only(validate(document)).where == "Unembedding, input x"


@pytest.mark.parametrize("port", ["self", "class", "lambda"])
def test_ports_that_no_function_could_have_are_refused(tiny, port):
    document = tiny("gpt")
    document.apply(SetParam(("decoder",), "layer_input", "port", port))
    assert any("no word of Python" in issue.message for issue in validate(document).issues)
