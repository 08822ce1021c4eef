"""Looking again at what an edit touched equals looking at everything, in whatever order it was drawn."""

from __future__ import annotations

import random

import pytest

import graph.validate
from graph import files
from graph.commands import AddNode, Connect, Disconnect, Move, RemoveNode, Rename, SetNode, SetParam, SetVariable
from graph.document import Document, EditError, Node, Wire
from graph.history import History
from graph.validate import Validator, validate


def test_probing_a_wire_changes_nothing(tiny):
    document = tiny("gpt")
    validator = Validator(document)
    report = validator.report()
    answer = validator.probe((), Wire("tokens", "tokens", "final_norm", "x"))
    assert answer.state == "error"
    assert "whole numbers" in answer.issues[0].message
    assert validator.probe((), Wire("token_embedding", "y", "final_norm", "x")).state == "ok"
    assert validator.probe((), Wire("token_embedding", "y", "decoder", "x")).state == "ok"
    assert validator.report() is report


def shapes(report):
    return {
        ("/".join(path), port): str(report.signal(path, port)) for path, node in report.walk() for port in node.outputs
    }


def _same(report, other):
    return (
        shapes(report) == shapes(other)
        and [str(issue) for issue in report.issues] == [str(issue) for issue in other.issues]
        and [str(need) for need in report.requirements] == [str(need) for need in other.requirements]
        and [(path, report.state(path)) for path, _ in report.walk()]
        == [(path, other.state(path)) for path, _ in other.walk()]
        and report.top.used == other.top.used
    )


def _random_edit(document, rng):
    levels = [(), *(path for path, node in document.walk() if node.is_group)]
    at = rng.choice(levels)
    level = document.level(at)
    ids = list(level.nodes)
    what = rng.randrange(10)
    if what == 0:
        name = rng.choice(["Linear", "ReLU", "Add", "LayerNorm", "Concat", "Output", "GroupOutput"])
        return AddNode(at, Node(document.fresh_id(at, name), name, {}))
    if not ids:
        return SetVariable("dim", rng.choice([16, 32]))
    if what == 1:
        return RemoveNode(at, rng.choice(ids))
    if what == 2 and level.wires():
        return Disconnect(at, rng.choice(level.wires()))
    if what == 3:
        return SetVariable(rng.choice(["dim", "layers", "num_heads"]), rng.choice([2, 4, 16, 32, "=2*8"]))
    if what == 4:
        return SetParam(at, rng.choice(ids), rng.choice(["out_features", "dim", "hidden"]), rng.choice([8, 32, "=dim"]))
    if what == 6:
        return SetNode(at, rng.choice(ids), "muted", rng.random() < 0.6)
    if what == 8:
        return Move(at, {id: (rng.randrange(400), rng.randrange(400)) for id in rng.sample(ids, min(3, len(ids)))})
    if what == 9:
        return Rename(at, rng.choice(ids), rng.choice(["renamed", "renamed_2"]))
    if what == 5:
        return SetNode(at, rng.choice(ids), "title", rng.choice(["one", "two", ""]))
    return Connect(at, Wire(rng.choice(ids), "y", rng.choice(ids), "x", rng.randrange(3)))


@pytest.mark.parametrize("seed", range(6))
def test_looking_again_at_what_changed_equals_looking_at_everything(tiny, seed):
    rng = random.Random(seed)
    document = tiny(["gpt", "unet", "diffusion_unet"][seed % 3])
    history = History(document)
    validator = Validator(document)
    for step in range(60):
        try:
            if rng.random() < 0.4 and history.can_undo:
                history.undo()
            elif rng.random() < 0.3 and history.can_redo:
                history.redo()
            else:
                history.do(_random_edit(document, rng))
        except EditError:
            continue
        assert _same(validator.report(), validate(document)), step


def test_what_is_undone_is_not_judged_again(chain, monkeypatch):
    document = chain(
        ("a", "FeatureInput", {"dim": 8}), *((f"n{n}", "GELU", {}) for n in range(20)), ("o", "Output", {})
    )
    validator = Validator(document)
    before = validator.report()
    judged = []
    judge = graph.validate.judge
    monkeypatch.setattr(graph.validate, "judge", lambda node, *rest: judged.append(node.id) or judge(node, *rest))
    inverse = document.apply(Disconnect((), document.top.incoming("n0")[0]))
    assert validator.report().state(("o",)) == "waiting"
    assert len(judged) == 21
    judged.clear()
    document.apply(inverse)
    after = validator.report()
    assert _same(before, after)
    assert judged == []
    assert after.node(("n5",)) is before.node(("n5",))
    document.apply(SetNode((), "a", "title", "Another"))
    validator.report()
    assert judged == [], "nothing is wrong with n0, so it says nothing of what it is wired to"
    assert _same(validator.report(), validate(document))


@pytest.mark.parametrize("name", ["gpt", "unet"])
def test_the_order_in_which_nodes_were_drawn_does_not_matter(tiny, name):
    data = files.document_to_data(tiny(name))
    expected = validate(files.document_from_data(data))
    for seed in range(4):
        rng = random.Random(seed)
        rng.shuffle(data["level"]["nodes"])
        rng.shuffle(data["level"]["wires"])
        report = validate(files.document_from_data(data))
        assert shapes(report) == shapes(expected)
        assert report.requirements == expected.requirements


def test_how_a_node_is_drawn_is_no_reason_to_judge_it_again(chain, monkeypatch):
    document = chain(("a", "FeatureInput", {"dim": 8}), ("b", "GELU", {}), ("o", "Output", {}))
    validator = Validator(document)
    before = validator.report()
    monkeypatch.setattr(graph.validate, "judge", lambda *_: pytest.fail("it was judged again"))
    document.apply(Move((), {"a": (5.0, 5.0), "b": (50.0, 5.0)}))
    document.apply(SetNode((), "b", "collapsed", True))
    after = validator.report()
    assert _same(before, after)
    assert after.node(("b",)).node is document.top.nodes["b"]
    assert before.node(("b",)).node is not document.top.nodes["b"], "a report stays as it is"


SAID = (
    "block", "state", "params", "origins", "input_ports", "output_ports", "inputs", "outputs", "remainders", "limits",
    "uses",
)  # fmt: skip


def _assert_judged_alone(validator, document):
    """Every report on the top level is what looking at that node alone gives."""
    report = validator.report()
    scope = validator._top.scope
    for id, known in report.top.nodes.items():
        node = document.top.nodes[id]
        if node.is_group:
            continue
        alone = graph.validate.judge(node, document.top.incoming(id), report.top.nodes, scope)
        assert known.node is node and known.wires is document.top.incoming(id)
        assert [str(issue) for issue in known.issues] == [str(issue) for issue in alone.issues], id
        for name in SAID:
            assert getattr(known, name) == getattr(alone, name), (id, name)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_of_nodes_that_are_alike_is_what_each_alone_is_told(seed):
    from benchmarks.canvas import network

    rng, document = random.Random(seed), network(150)
    validator = Validator(document)
    _assert_judged_alone(validator, document)
    assert 0 < len(validator._top.alike) < 50, "there are far more nodes than kinds of them"
    history = History(document)
    for _ in range(60):
        ids = list(document.top.nodes)
        id = rng.choice(ids)
        wires = document.top.wires()
        history.do(
            rng.choice([
                SetNode((), id, "muted", not document.top.nodes[id].muted),
                SetNode((), id, "title", rng.choice(["", "Another"])),
                SetParam((), "source", "dim", rng.choice([64, 96])),
                Disconnect((), rng.choice(wires)),
                SetParam((), id, rng.choice(["dim", "bias", "out_features"]), rng.choice([1, True, 64, "64", "=dim"])),
                SetVariable("dim", rng.choice([64, 96])),
            ])
        )  # fmt: skip
        if rng.random() < 0.3:
            history.undo()
        _assert_judged_alone(validator, document)
        assert _same(validator.report(), validate(document))


def test_what_was_said_under_other_variables_is_not_said_again(tiny):
    document = tiny("gpt")
    validator, history = Validator(document), History(document)
    validator.report()
    history.do(SetNode((), "tokens", "title", "Words"))
    history.do(SetVariable("dim", 4))
    validator.report()
    history.undo()
    history.undo()
    validator.report()
    history.redo()
    assert document.variables["dim"] == 32
    assert validator.report().node(("token_embedding",)).params["dim"] == 32
    assert _same(validator.report(), validate(document))


@pytest.mark.parametrize(
    "change", [SetParam((), "numbers", "dim", "=wide"), SetVariable("dim", "=wide"), SetVariable("wide", "=deep")]
)
def test_the_variables_behind_a_fault_follow_what_is_written_though_the_sizes_stay(change):
    document = Document()
    for command in (
        *(SetVariable(name, 8) for name in ("deep", "wide")),
        SetVariable("dim", "=1*wide" if change.name == "wide" else 8),
        AddNode((), Node("tokens", "TokenInput")),
        AddNode((), Node("numbers", "Embedding", {"dim": "=dim"})),
        AddNode((), Node("linear", "Linear", {"in_features": 4})),
        Connect((), Wire("tokens", "tokens", "numbers", "tokens")),
        Connect((), Wire("numbers", "y", "linear", "x")),
    ):
        document.apply(command)
    validator = Validator(document)
    (before,) = validator.report().node(("linear",)).issues
    document.apply(change)
    (after,) = validator.report().node(("linear",)).issues
    (expected,) = validate(document).node(("linear",)).issues
    assert after.variables == expected.variables
    assert after.variables != before.variables
