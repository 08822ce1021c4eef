"""Repetitions: within one another they multiply and have an end; backwards the last round runs first."""

from __future__ import annotations

import pytest
import torch

from graph import files
from graph.commands import SetNode
from graph.compile import compile_plan
from graph.history import History
from graph.passes import run_passes
from graph.places import places
from graph.plan import plan_document
from graph.validate import validate

RELU = ("r", "ReLU", {})


def test_repetitions_multiply_and_have_an_end(nested):
    assert validate(nested([64, 64], RELU)).valid
    issues = validate(nested([4096] * 5, RELU)).issues
    assert all("16,777,216 times" in issue.message for issue in issues)
    assert issues[0].path == ("outer", "middle")


def test_a_drawing_runs_so_many_blocks_and_no_more(nested):
    blocks = [(f"r{index}", "ReLU", {}) for index in range(50)]
    assert validate(nested([1000], *blocks)).valid
    (issue,) = validate(nested([4096], *blocks)).issues
    assert "at most 100,000" in issue.message


@pytest.mark.parametrize("shared", [False, True])
def test_backwards_the_last_round_runs_first(nested, shared, tmp_path):
    document = nested([3], ("lin", "Linear", {"in_features": 8, "out_features": 8}), ("tanh", "Tanh", {}))
    document.apply(SetNode((), "outer", "shared", shared))
    there = compile_plan(run_passes(plan_document(document))[0])
    history = History(document)
    history.do(SetNode((), "outer", "backwards", True))
    files.save(document, tmp_path / "it.json")
    plan = run_passes(plan_document(files.load(tmp_path / "it.json")))[0]
    back = compile_plan(plan)
    back.load_state_dict(there.state_dict(), strict=True)
    x = wanted = torch.randn(2, 5, 8)
    for layer in [there.outer] * 3 if shared else reversed(there.outer):
        wanted = layer(wanted)
    torch.testing.assert_close(back(x), wanted)
    assert shared or not torch.allclose(back(x), there(x))
    ran = [place.address for place in places(plan) if place.address.endswith("lin")]
    assert ran == ["outer.2/lin", "outer.1/lin", "outer.0/lin"]
    history.undo()
    assert not document.node(("outer",)).backwards


def test_an_estimate_is_the_same_in_either_direction(nested):
    from graph.estimate import estimate

    document = nested([6], ("lin", "Linear", {"in_features": 8, "out_features": 8}), ("tanh", "Tanh", {}))
    there = estimate(run_passes(plan_document(document))[0], {"batch": 2, "seq": 16})
    document.apply(SetNode((), "outer", "backwards", True))
    back = estimate(run_passes(plan_document(document))[0], {"batch": 2, "seq": 16})
    assert (back.parameters, back.flops, dict(back.memory)) == (there.parameters, there.flops, dict(there.memory))


@pytest.mark.parametrize("training", [False, pytest.param(True, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("inverse", [False, True])
def test_deep_repetitions_are_extended_to_the_digit(monkeypatch, inverse, training):
    """Rounds of a flow run either way; the first one of the way back gets what comes in and gives it no gradient."""
    import graph.estimate
    from graph import templates

    document = templates.find("glow").build({**templates.find("glow").presets["tiny"], "steps": 7, "inverse": inverse})
    plan = run_passes(plan_document(document))[0]
    extended = graph.estimate.estimate(plan, training=training).as_data()
    monkeypatch.setattr(graph.estimate, "DEEP", 1000)
    assert extended == graph.estimate.estimate(plan, training=training).as_data()


def counting(kind: str, port: str = "y") -> dict:
    """Three rounds of a group within a group, whose inner layer widens from round to round."""
    ends = [{"id": "i", "block": "GroupInput"}, {"id": "o", "block": "GroupOutput", "params": {"port": port}}]
    ends[1]["params"]["rounds"] = kind
    linear = {"id": "l", "block": "Linear", "params": {"in_features": 8, "out_features": "=8*(layer+1)"}}
    inner = {"nodes": [*ends, linear], "wires": [["i.x", "l.x"], ["l.y", "o.x"]]}
    group = {"id": "g", "block": "Group", "level": inner}
    outer = {"nodes": [*ends, group], "wires": [["i.x", "g.x"], [f"g.{port}", "o.x"]]}
    nodes = [
        {"id": "a", "block": "FeatureInput", "params": {"dim": 8}},
        {"id": "g", "block": "Group", "repeat": 3, "level": outer},
        {"id": "o", "block": "Output"},
    ]
    top = {"nodes": nodes, "wires": [["a.features", "g.x"], [f"g.{port}", "o.x"]]}
    return files.document_from_data({"format": "blockwright", "schema": 1, "level": top})


@pytest.mark.parametrize(("backwards", "width"), [(False, 24), (True, 8)])
def test_rounds_that_differ_in_a_group_within_are_each_looked_at(backwards, width):
    document = counting("last")
    document.apply(SetNode((), "g", "backwards", backwards))
    report = validate(document)
    assert len(report.node(("g",)).inside) == 3
    assert report.signal(("g",), "y").shape[-1] == width
    model = compile_plan(run_passes(plan_document(document))[0])
    assert model(torch.randn(2, 5, 8)).shape == (2, 5, width)


@pytest.mark.parametrize(("kind", "words"), [("sum", "added up"), ("stack", "stacked")])
def test_rounds_that_differ_are_neither_added_nor_stacked(kind, words):
    (issue,) = validate(counting(kind)).issues
    assert issue.path == ("g",)
    assert f"batch × seq × 8 and batch × seq × 16 as y, but they are {words}" in issue.message


def test_rounds_that_differ_cannot_be_carried():
    (issue,) = validate(counting("last", "x")).issues
    assert "Each round gives batch × seq × 16 as x, but the next round needs batch × seq × 8" in issue.message


def test_what_a_carried_size_must_satisfy_is_told():
    level = {
        "nodes": [
            {"id": "i", "block": "GroupInput"},
            {"id": "down", "block": "MaxPool2d", "params": {"kernel_size": 2, "stride": 2}},
            {"id": "up", "block": "UpSample", "params": {"factor": 2}},
            {"id": "o", "block": "GroupOutput"},
        ],
        "wires": [["i.x", "down.x"], ["down.y", "up.x"], ["up.y", "o.x"]],
    }
    nodes = [
        {"id": "a", "block": "ImageInput"},
        {"id": "g", "block": "Group", "repeat": 2, "level": level},
        {"id": "o", "block": "Output"},
    ]
    top = {"nodes": nodes, "wires": [["a.image", "g.x"], ["g.x", "o.x"]]}
    report = validate(files.document_from_data({"format": "blockwright", "schema": 1, "level": top}))
    assert report.valid
    assert report.divisors == {"height": 2, "width": 2}
