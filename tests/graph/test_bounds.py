"""What whole numbers on a wire may be is carried to what takes them, and told before anything runs."""

from __future__ import annotations

import random

import pytest

import blocks
from blocks.spec import Block, Port
from graph import bounds, files, grouping
from graph.commands import AddNode, Connect, Disconnect, SetNode, SetParam, SetVariable
from graph.document import Document, Node, Wire
from graph.history import History
from graph.validate import Validator, validate


def draw(nodes: dict[str, tuple], wires: str, **variables) -> Document:
    """Nodes as (block, params) and wires as "a.x b.y", with commas between."""
    document = Document()
    for name, value in variables.items():
        document.apply(SetVariable(name, value))
    for id, (block, params) in nodes.items():
        document.apply(AddNode((), Node(id, block, params)))
    for place, wire in enumerate(wires.split(", ")):
        (source, output), (target, input) = (end.split(".") for end in wire.split())
        document.apply(Connect((), Wire(source, output, target, input, place)))
    return document


def lookup(vocab=300, rows=10, *between: tuple[str, str, dict]) -> Document:
    """Tokens that go through some blocks of one input x and one output y into an embedding."""
    nodes = {"tokens": ("TokenInput", {"vocab": vocab})}
    nodes |= {id: (block, params) for id, block, params in between}
    nodes |= {"embedding": ("Embedding", {"vocab": rows}), "out": ("Output", {})}
    ends = ["tokens.tokens", *(f"{id}.y" for id, *_ in between)]
    heads = [*(f"{id}.x" for id, *_ in between), "embedding.tokens"]
    wires = [f"{end} {head}" for end, head in zip(ends, heads, strict=True)]
    return draw(nodes, ", ".join([*wires, "embedding.y out.x"]))


def only(document: Document):
    (issue,) = validate(document).issues
    return issue


def mended(document: Document) -> Document:
    """The drawing after the repair of its one issue, which must leave it without any."""
    before = files.to_text(document)
    history = History(document)
    history.do(only(document).repair.command)
    assert validate(document).issues == ()
    history.undo()
    assert files.to_text(document) == before
    history.redo()
    return document


def test_tokens_beyond_the_vocabulary_are_told_in_four_parts():
    document = lookup()
    issue = only(document)
    assert str(issue) == (
        "Embedding, input tokens. It receives tokens from 0 to 299 from Token input, but its `vocab` is 10, so it "
        "takes 0 to 9. Set `vocab` to 300?"
    )
    assert (issue.path, issue.port, issue.severity) == (("embedding",), "tokens", "error")
    assert mended(document).node(("embedding",)).params["vocab"] == 300


@pytest.mark.parametrize(("vocab", "rows"), [(10, 10), (9, 10), (1, 1)])
def test_what_fits_is_left_alone(vocab, rows):
    assert validate(lookup(vocab, rows)).issues == ()


def test_one_token_too_many_is_one_too_many():
    assert not validate(lookup(11, 10)).valid


def test_variables_are_mended_where_they_are_set():
    nodes = {
        "tokens": ("TokenInput", {"vocab": "=vocab"}),
        "embedding": ("Embedding", {"vocab": "=rows"}),
        "out": ("Output", {}),
    }
    document = draw(nodes, "tokens.tokens embedding.tokens, embedding.y out.x", vocab=300, rows=10)
    assert only(document).repair.label == "Set the variable `rows` to 300"
    assert mended(document).variables["rows"] == 300


MOVED = [
    ("Reroute", {}),
    ("Rearrange", {"pattern": "b s -> s b"}),
    ("Repeat", {"pattern": "b s -> b s n", "sizes": "n=2"}),
    ("Transpose", {"first": 0, "second": 1}),
    ("Flatten", {}),
    ("Reshape", {"shape": "0, -1, 1"}),
    ("Slice", {}),
    ("Select", {"axis": 1}),
]


@pytest.mark.parametrize(("block", "params"), MOVED, ids=[block for block, _ in MOVED])
def test_what_only_moves_numbers_passes_the_bound_on(block, params):
    document = lookup(300, 10, ("moved", block, params))
    assert "from 0 to 299" in only(document).found
    mended(document)


def test_of_several_wires_the_largest_counts():
    nodes = {
        "a": ("TokenInput", {"vocab": 7}),
        "b": ("TokenInput", {"vocab": 300}),
        "both": ("Concat", {"axis": 1}),
        "embedding": ("Embedding", {"vocab": 10}),
        "out": ("Output", {}),
    }
    wires = "a.tokens both.x, b.tokens both.x, both.y embedding.tokens, embedding.y out.x"
    assert "from 0 to 299 from Concat" in only(draw(nodes, wires)).found
    nodes["b"] = ("TokenInput", {"vocab": 10})
    assert validate(draw(nodes, wires)).valid


def test_each_piece_of_a_split_keeps_the_bound():
    nodes = {
        "tokens": ("TokenInput", {"vocab": 300}),
        "cut": ("Split", {"axis": 0, "sizes": ""}),
        "embedding": ("Embedding", {"vocab": 10}),
        "out": ("Output", {}),
    }
    document = draw(nodes, "tokens.tokens cut.x, cut.y2 embedding.tokens, embedding.y out.x")
    assert validate(document).node(("cut",)).outputs["y2"].below == 300
    assert [issue.port for issue in validate(document).issues] == ["tokens"]


def test_what_is_switched_off_passes_the_bound_on():
    document = lookup(300, 10, ("moved", "Transpose", {"first": 0, "second": 0}))
    document.apply(SetNode((), "moved", "muted", True))
    assert "from 0 to 299" in only(document).found


TARGET = {
    "x": ("FeatureInput", {"dim": 10}),
    "target": ("TokenInput", {"vocab": 300}),
    "loss": ("CrossEntropy", {}),
    "out": ("Output", {}),
}
TARGET_WIRES = "x.features loss.logits, target.tokens loss.target, loss.loss out.x"


def test_targets_beyond_the_classes_are_mended_at_their_source():
    document = draw(TARGET, TARGET_WIRES)
    assert only(document).message == (
        "It receives tokens from 0 to 299 from Token input, but input logits has classes = 10, so it takes 0 to 9. "
        "Set `vocab` of Token input to 10?"
    )
    assert mended(document).node(("target",)).params["vocab"] == 10


def test_the_repair_at_the_source_goes_back_through_what_moves():
    nodes = TARGET | {"dot": ("Reroute", {}), "turned": ("Rearrange", {"pattern": "b s -> b s"})}
    wires = TARGET_WIRES.replace("target.tokens loss", "target.tokens dot.x, dot.y turned.x, turned.y loss")
    document = draw(nodes, wires)
    document.apply(SetNode((), "turned", "muted", True))
    assert mended(document).node(("target",)).params["vocab"] == 10


def test_the_target_that_does_not_count_may_lie_just_beyond_the_classes():
    document = draw(TARGET | {"target": ("TokenInput", {"vocab": 11})}, TARGET_WIRES)
    assert not validate(document).valid
    document.apply(SetParam((), "loss", "ignored", 10))
    assert validate(document).valid
    document.apply(SetParam((), "target", "vocab", 12))
    assert not validate(document).valid


def test_time_steps_beyond_the_schedule_are_a_warning():
    nodes = {
        "t": ("TimeStepInput", {"steps": 2000}),
        "schedule": ("NoiseSchedule", {"steps": 1000}),
        "out": ("Output", {}),
    }
    document = draw(nodes, "t.t schedule.t, schedule.signal out.x")
    report = validate(document)
    assert report.valid
    (issue,) = report.issues
    assert issue.severity == "warning"
    assert "what lies above 999 counts as 999" in issue.message
    assert mended(document).node(("schedule",)).params["steps"] == 2000


def test_a_table_of_positions_has_one_row_more_than_its_context():
    nodes = {
        "x": ("FeatureInput", {"dim": 8}),
        "p": ("IntegerInput", {"below": 34, "axes": "batch seq"}),
        "place": ("TwoDimensionalPosition", {"dim": 8, "context": 32}),
        "out": ("Output", {}),
    }
    wires = "x.features place.x, p.numbers place.positions, p.numbers place.block_positions, place.y out.x"
    issues = validate(draw(nodes, wires)).issues
    assert [issue.port for issue in issues] == ["positions", "block_positions"]
    assert all("it takes 0 to 32. Set `context` to 33" in issue.message for issue in issues)
    assert validate(draw(nodes | {"p": ("IntegerInput", {"below": 33, "axes": "batch seq"})}, wires)).valid


def test_numbers_that_are_computed_have_no_bound(chain):
    document = chain(("t", "TokenInput", {"vocab": 300}), ("e", "Embedding", {"vocab": 300}), ("o", "Output", {}))
    assert validate(document).node(("t",)).outputs["tokens"].below == 300
    assert validate(document).node(("e",)).outputs["y"].below is None


def test_groups_pass_the_bound_in_and_out():
    document = lookup(300, 10, ("first", "Reroute", {}), ("second", "Transpose", {"first": 0, "second": 0}))
    group, _ = grouping.group(document, (), ["first", "second"])
    document.apply(group)
    assert "from 0 to 299" in only(document).found
    document = lookup()
    group, _ = grouping.group(document, (), ["embedding"])
    document.apply(group)
    issue = only(document)
    assert issue.path[-1] == "embedding" and len(issue.path) == 2
    document.apply(issue.repair.command)
    assert validate(document).valid


def repetition(carried: str, repeat: int = 3) -> Document:
    """A repetition that looks its tokens up and gives experts, or the tokens again, to the next round."""
    inside = {
        "nodes": [
            {"id": "i", "block": "GroupInput", "params": {"port": "x"}},
            {"id": "e", "block": "Embedding", "params": {"vocab": 10, "dim": 8}},
            {"id": "r", "block": "TopKRouter", "params": {"dim": 8, "num_experts": 300, "top_k": 1}},
            {"id": "pick", "block": "Select", "params": {"axis": -1}},
            {"id": "o", "block": "GroupOutput", "params": {"port": "x"}},
            {"id": "y", "block": "GroupOutput", "params": {"port": "y"}},
        ],
        "wires": [["i.x", "e.tokens"], ["e.y", "r.x"], ["r.experts", "pick.x"], [carried, "o.x"], ["e.y", "y.x"]],
    }
    top = {
        "nodes": [
            {"id": "t", "block": "TokenInput", "params": {"vocab": 10}},
            {"id": "g", "block": "Group", "repeat": repeat, "level": inside},
            {"id": "out", "block": "Output"},
            {"id": "last", "block": "Output"},
        ],
        "wires": [["t.tokens", "g.x"], ["g.y", "out.x"], ["g.x", "last.x"]],
    }
    return files.document_from_data({"format": "blockwright", "schema": 1, "level": top})


def test_what_a_round_gives_the_next_must_take():
    assert validate(repetition("i.x")).valid
    assert validate(repetition("pick.y", repeat=1)).valid
    document = repetition("pick.y")
    issue = only(document)
    assert issue.path == ("g", "e")
    assert "from 0 to 299" in issue.found
    validator = Validator(document)
    validator.report()
    document.apply(SetParam(("g",), "e", "vocab", 300))
    assert validator.report().valid
    assert validator.report().node(("g",)).outputs["x"].below == 300
    document.apply(SetParam(("g",), "e", "vocab", 299))
    assert not validator.report().valid
    document.apply(SetNode((), "g", "repeat", 1))
    assert validator.report().valid


def test_edits_are_followed_and_their_order_does_not_matter():
    """A kept report says what a fresh one says, after every edit of a source far away."""
    between = [(f"m{n}", "Transpose", {"first": 0, "second": 1}) for n in range(6)]
    document = lookup(300, 300, *between)
    validator = Validator(document)
    edits_made = [SetParam((), "tokens", "vocab", size) for size in (301, 7, 900)]
    edits_made += [SetParam((), "embedding", "vocab", size) for size in (7, 901, 100)]
    edits_made += [SetNode((), f"m{n}", "muted", n % 2 == 0) for n in range(6)]
    edits_made += [Disconnect((), Wire("m2", "y", "m3", "x", 3)), Connect((), Wire("m2", "y", "m3", "x", 3))]
    random.Random(4).shuffle(edits_made[:-2])
    for edit in edits_made:
        document.apply(edit)
        assert [str(i) for i in validator.report().issues] == [str(i) for i in validate(document).issues]


def test_new_nodes_take_and_give_what_is_there():
    report = validate(lookup(300, 300))
    signal = report.node(("tokens",)).outputs["tokens"]
    assert bounds.suiting(blocks.find("Embedding"), signal) == {"vocab": 300}
    assert bounds.suiting(blocks.find("Linear"), signal) == {}
    loss = validate(draw(TARGET, TARGET_WIRES)).node(("loss",))
    assert bounds.giving(blocks.find("TokenInput"), loss, "target") == {"vocab": 10}
    assert bounds.giving(blocks.find("IntegerInput"), loss, "target") == {"below": 10}
    assert bounds.giving(blocks.find("FeatureInput"), loss, "target") == {}


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ({"inputs": {"x": Port("...", below="nothing")}}, "'nothing' is no parameter of it, nor an axis"),
        ({"outputs": {"y": Port("...", keeps="z")}}, "keeps the values of an input, not 'z'"),
        ({"inputs": {"x": Port("...", keeps="x")}}, "an output keeps the values of an input"),
    ],
)
def test_a_declaration_that_means_nothing_is_refused(ports, words):
    space = {
        "__doc__": "Give it on.\n\nAs it is.",
        "__module__": __name__,
        "inputs": {"x": Port("...")},
        "outputs": {"y": Port("...")},
        "forward": lambda self, x: x,
    }
    with pytest.raises(TypeError, match=words):
        type("Sample", (Block,), space | ports, category="Arithmetic")


def test_a_bound_is_a_name_and_perhaps_a_number():
    with pytest.raises(ValueError, match="not a name"):
        Port("...", below="2 * dim")
    assert Port("...", below="context + 1").bound == ("context", 1)
    assert Port("...", below="vocab").bound == ("vocab", 0)
