"""Shapes on every wire, faults in four parts with repairs that mend, requirements led back to the inputs."""

from __future__ import annotations

import pytest

from graph import edits, files
from graph.commands import AddNode, Connect, Disconnect, SetNode, SetParam
from graph.document import FROM_WIRE, Document, Level, Node, Wire
from graph.history import History
from graph.validate import validate


def shapes(report):
    return {
        ("/".join(path), port): str(report.signal(path, port)) for path, node in report.walk() for port in node.outputs
    }


def only(report):
    (issue,) = report.issues
    return issue


def test_shapes_and_origins(tiny):
    report = validate(tiny("gpt"))
    assert report.valid
    assert report.issues == ()
    known = shapes(report)
    assert known["token_embedding", "y"] == "batch × seq × 32"
    assert known["decoder/attn", "y"] == "batch × seq × 32"
    assert known["head", "y"] == "batch × seq × 61"
    assert [str(need) for need in report.requirements] == ["seq must be at most 32 (the table holds 32 positions)"]
    attention = report.node(("decoder", "attn"))
    assert attention.params["dim"] == 32
    assert attention.origins["dim"] == "wire"
    assert attention.origins["num_heads"] == "expression"
    assert attention.origins["rope"] == "default"


@pytest.mark.parametrize(("depth", "divisor"), [(1, 2), (2, 4), (4, 16)])
def test_skips_lead_divisors_back_to_the_input(tiny, depth, divisor):
    report = validate(tiny("unet", depth=depth))
    assert report.divisors == {"height": divisor, "width": divisor}
    assert str(report.signal(("up_1",), "y")) == "batch × 4 × height × width"
    assert str(report.requirements[0]) == f"height must be divisible by {divisor}"
    assert report.requirements[0].fault({"height": divisor * 3}) is None
    assert f"try {divisor * 3} or {divisor * 4}" in report.requirements[0].fault({"height": divisor * 3 + 1})


def test_the_message_of_the_design_and_its_repair(tiny):
    document = tiny("gpt")
    history = History(document)
    history.do(SetParam(("decoder",), "mlp", "dim", 48))
    issue = only(validate(document))
    assert issue.where == "Feed-forward, input x"
    assert issue.message == ("It receives 32 features per token from Layer norm, but its `dim` is 48. Set `dim` to 32?")
    assert issue.path == ("decoder", "mlp")
    history.do(issue.repair.command)
    assert validate(document).valid
    history.undo()
    assert only(validate(document)) is not None


def test_peers_that_differ_are_told_as_peers(chain):
    document = chain(
        ("a", "FeatureInput", {"dim": 8}), ("b", "Linear", {"out_features": 9}), ("s", "Add", {}), ("o", "Output", {})
    )
    document.apply(Connect((), Wire("a", "features", "s", "x", 5)))
    issue = only(validate(document))
    assert "while" in issue.message
    assert "expected" not in issue.message
    assert "Linear" in issue.message
    assert "Feature input" in issue.message


def test_a_broken_node_stops_blame(chain):
    document = chain(
        ("a", "FeatureInput", {"dim": 8}),
        ("b", "Linear", {"in_features": 9, "out_features": 4}),
        ("c", "Linear", {"in_features": 5}),
        ("o", "Output", {}),
    )
    report = validate(document)
    assert only(report).path == ("b",)
    assert [report.state((id,)) for id in "abco"] == ["ok", "error", "waiting", "waiting"]


def test_what_reaches_no_output_only_warns(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("o", "Output", {}))
    document.apply(AddNode((), Node("loose", "Linear", {})))
    report = validate(document)
    assert report.valid
    assert only(report).severity == "warning"
    assert report.state(("loose",)) == "waiting"


def test_a_drawing_without_an_output_is_offered_one(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("l", "Linear", {}))
    issue = only(validate(document))
    assert issue.message.endswith("at least one Output block. Add an Output behind Linear?")
    history = History(document)
    history.do(issue.repair.command)
    assert validate(document).valid
    history.undo()
    assert set(document.top.nodes) == {"a", "l"}
    document.apply(AddNode((), Node("other", "ReLU")))
    document.apply(Connect((), Wire("a", "features", "other", "x")))
    assert only(validate(document)).repair is None, "there are two to choose from"


def test_an_empty_drawing_says_what_is_missing():
    issue = only(validate(Document()))
    assert issue.message == "Nothing is drawn yet, but a model needs at least one Output block."


def test_integers_where_numbers_are_needed_are_repaired_with_an_embedding(chain):
    document = chain(("t", "TokenInput", {"vocab": 50}), ("l", "Linear", {"out_features": 4}), ("o", "Output", {}))
    issue = only(validate(document))
    assert "whole numbers from Token input" in issue.message
    history = History(document)
    before = files.to_text(document)
    history.do(issue.repair.command)
    report = validate(document)
    assert report.valid
    assert report.node(("l_embedding",)).params["vocab"] == 50
    history.undo()
    assert files.to_text(document) == before


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"out_features": 0}, "must be at least 1"),
        ({"out_features": "wide"}, "must be a whole number"),
        ({"out_features": "=4*width"}, "no variable 'width'"),
        ({"out_features": FROM_WIRE}, "cannot be"),
        ({"bias": "maybe"}, "must be true or false"),
        ({"out_features": None}, "must be set"),
        ({"out_features": True}, "must be a whole number"),
    ],
)
def test_bad_parameters(chain, params, words):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("l", "Linear", params), ("o", "Output", {}))
    issue = only(validate(document))
    assert words in issue.message
    assert issue.param in params
    if issue.repair:
        document.apply(issue.repair.command)
        assert validate(document).valid


def test_an_unknown_parameter_is_a_warning_with_a_repair(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("l", "Linear", {"colour": 3}), ("o", "Output", {}))
    issue = only(validate(document))
    assert issue.severity == "warning"
    document.apply(issue.repair.command)
    assert validate(document).issues == ()


def test_parameters_that_do_not_go_together(tiny):
    document = tiny("gpt", num_heads=5)
    issue = only(validate(document))
    assert issue.path == ("decoder", "attn")
    assert issue.message == (
        "5 heads do not divide 32 features, but `num_heads` must divide `dim` unless `head_dim` is set. "
        "Set the variable `num_heads` to 4?"
    )
    document.apply(issue.repair.command)
    assert validate(document).valid


def test_a_repair_mends_what_it_would_break_too(tiny):
    document = tiny("llama", num_heads=6, kv_heads=3)
    issue = next(issue for issue in validate(document).issues if issue.param == "num_heads")
    assert "`num_heads` to 8" in issue.repair.label
    assert "`kv_heads` to" in issue.repair.label
    document.apply(issue.repair.command)
    assert validate(document).valid


def test_a_wire_to_a_port_that_is_not_there(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("l", "ReLU", {}), ("o", "Output", {}))
    document.apply(Connect((), Wire("a", "features", "l", "gate")))
    issue = only(validate(document))
    assert "there is no input gate, only x" in issue.message
    document.apply(issue.repair.command)
    assert validate(document).valid


def test_a_group_validates_each_round_when_layers_differ(tiny):
    document = tiny("gpt")
    document.apply(SetParam(("decoder",), "mlp", "hidden", "=32*(layer+1)"))
    report = validate(document)
    assert report.valid
    assert [level.nodes["mlp"].params["hidden"] for level in report.node(("decoder",)).inside] == [32, 64, 96]


def test_a_round_must_give_what_the_next_needs(tiny):
    document = tiny("gpt", tied=False)
    document.apply(Disconnect(("decoder",), Wire("mlp_add", "y", "layer_output", "x")))
    document.apply(AddNode(("decoder",), Node("wide", "Linear", {"out_features": 40})))
    document.apply(Connect(("decoder",), Wire("mlp_add", "y", "wide", "x")))
    document.apply(Connect(("decoder",), Wire("wide", "y", "layer_output", "x")))
    report = validate(document)
    assert any("the next round needs batch × seq × 32" in issue.message for issue in report.issues)
    document.apply(SetNode((), "decoder", "repeat", 1))
    assert validate(document).valid


@pytest.mark.parametrize(("layers", "mended"), [(0, 1), (-2, 1), (2.5, 2), (10**6, 4096)])
def test_rounds_that_cannot_be_are_mended_where_they_are_set(tiny, layers, mended):
    document = tiny("gpt", layers=layers)
    (issue,) = validate(document).issues
    assert issue.message == (
        f"It is to be repeated {layers} times, but it takes a whole number from 1 to 4096. "
        f"Set the variable `layers` to {mended}?"
    )
    document.apply(issue.repair.command)
    assert document.variables["layers"] == mended and validate(document).valid
    document.apply(SetNode((), "decoder", "repeat", layers))
    (issue,) = validate(document).issues
    document.apply(issue.repair.command)
    assert document.node(("decoder",)).repeat == mended and validate(document).valid


def test_rounds_that_are_computed_tell_how(tiny):
    document = tiny("gpt", layers=1)
    document.apply(SetNode((), "decoder", "repeat", "=layers-1"))
    (issue,) = validate(document).issues
    assert issue.found == "It is to be repeated 0 times by `=layers-1`"
    assert issue.repair.label == "Set the variable `layers` to 12", "what the template has"
    document.apply(issue.repair.command)
    assert validate(document).valid


@pytest.mark.parametrize("rounds", ["sum", "stack"])
def test_other_outputs_of_a_repetition(rounds):
    document = Document()
    inside = Level()
    document.apply(AddNode((), Node("a", "FeatureInput", {"dim": 8})))
    document.apply(AddNode((), Node("g", "Group", level=inside, repeat=3)))
    for node in (Node("i", "GroupInput"), Node("l", "Linear", {"out_features": 8}), Node("r", "GroupOutput")):
        document.apply(AddNode(("g",), node))
    document.apply(AddNode(("g",), Node("extra", "GroupOutput", {"port": "kept", "rounds": rounds})))
    document.apply(AddNode((), Node("o", "Output")))
    for wire in (Wire("i", "x", "l", "x"), Wire("l", "y", "r", "x"), Wire("l", "y", "extra", "x")):
        document.apply(Connect(("g",), wire))
    for wire in (Wire("a", "features", "g", "x"), Wire("g", "kept", "o", "x")):
        document.apply(Connect((), wire))
    report = validate(document)
    assert report.valid
    assert str(report.signal(("g",), "kept")) == ("3 × " if rounds == "stack" else "") + "batch × seq × 8"


def test_blocks_out_of_place(tiny):
    document = tiny("gpt")
    document.apply(AddNode((), Node("p", "GroupInput")))
    document.apply(AddNode(("decoder",), Node("s", "FeatureInput")))
    messages = [issue.message for issue in validate(document).issues]
    assert any("stands on the top level" in message for message in messages)
    assert any("stands inside a group" in message for message in messages)


def test_wires_of_one_input_carry_one_dtype(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("c", "Concat", {}), ("o", "Output", {}))
    document.apply(AddNode((), Node("m", "MaskInput", {"axes": "batch seq 1"})))
    document.apply(Connect((), Wire("m", "mask", "c", "x", 1)))
    assert "truth values from Mask input, while its first wire carries real numbers" in only(validate(document)).message


def test_edits_that_insert(chain):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("l", "ReLU", {}), ("o", "Output", {}))
    node = edits.new_node(document, (), __import__("blocks").find("LayerNorm"), (3.0, 4.0))
    document.apply(edits.insert_on_wire(document, (), node, document.top.incoming("l")[0]))
    report = validate(document)
    assert report.valid
    assert report.node((node.id,)).params["dim"] == 8
