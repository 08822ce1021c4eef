"""What is said of one node: wires and names that are not right, and nothing where nothing has come yet."""

from __future__ import annotations

from graph.commands import AddNode, Connect, Disconnect
from graph.document import Document, Node, Wire
from graph.validate import validate


def test_what_is_not_there_is_told_with_what_is(chain):
    document = chain(("a", "FeatureInput", {"dim": 8, "features": 8}), ("o", "Output", {}))
    document.apply(Disconnect((), Wire("a", "features", "o", "x")))
    document.apply(Connect((), Wire("a", "x", "o", "x")))
    messages = [issue.message for issue in validate(document).issues]
    assert any("there is no such output, only features. Remove" in message for message in messages)
    assert any("Feature input has no such parameter, only" in message for message in messages)
    unknown = Document()
    unknown.apply(AddNode((), Node("l", "LayrNorm")))
    assert any("keeps it as it is; there is LayerNorm." in issue.message for issue in validate(unknown).issues)


def test_a_second_wire_into_an_input_that_takes_one(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("l", "ReLU", {}), ("o", "Output", {}))
    document.top._connect(Wire("a", "features", "o", "x", 7))  # as a file may have it; no edit makes this
    (issue,) = validate(document).issues
    assert issue.message.startswith("A second wire, from Feature input, ends here")
    document.apply(issue.repair.command)
    assert validate(document).valid


def test_inside_a_group_that_receives_nothing_yet_nothing_is_blamed(tiny):
    document = tiny("gpt", dim=-1)
    report = validate(document)
    assert {issue.path for issue in report.issues} == {("token_embedding",)}, "one wrong variable is told once"
    assert report.node(("decoder", "mlp")).state == "error", "though it is wrong there too"
    assert report.node(("decoder", "layer_input")).state == "waiting"
    assert report.node(("decoder", "attn")).state == "waiting"
