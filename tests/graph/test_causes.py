"""One wrong variable is told once, at the first place that it breaks, with a repair that mends all of it."""

from __future__ import annotations

import time

import pytest

from graph import files, templates
from graph.commands import Move, SetDocument, SetNode, SetParam, SetVariable
from graph.document import FROM_WIRE, Document
from graph.history import History
from graph.templates import TemplateError
from graph.validate import Validator, validate

SLOW = ("diffusion_unet", "deepseek")
HUGE = (10**9, 10**18, 10**30)


def wrong_values(default):
    """Nothing, less than nothing, what divides nothing, and too much."""
    if isinstance(default, bool) or (isinstance(default, str) and not default.startswith("=")):
        return ()
    if isinstance(default, float):
        return (0, -1, 1.5, 1e30)
    return (0, -1, 7, *((default + 1,) if isinstance(default, int) else (64,)), *HUGE)


def keys(report):
    return {(issue.path, str(issue)) for issue in report.issues}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.exhaustive if name in SLOW else ()) for name in templates.all_templates()],
)
def test_every_repair_of_a_wrong_variable_mends_it(name):
    template = templates.find(name)
    broken = 0
    for variable, turned in template.variables.items():
        for value in wrong_values(turned.default):
            try:
                document = template.build({**template.presets["tiny"], variable: value})
            except TemplateError:  # it decides which nodes there are, and no such drawing is made
                continue
            report = validate(document)
            assert report.valid == (not [i for i in report.issues if i.severity == "error"])
            if report.valid:
                continue
            broken += 1
            (issue,) = report.issues
            assert issue.repair is not None, f"{variable} = {value}: {issue}"
            document.apply(issue.repair.command)
            left = validate(document)
            assert left.issues == (), f"{variable} = {value}: {issue} leaves {left.issues[0]}"
    assert broken or not template.variables


def test_what_a_repair_says(tiny):
    def told(name, **values):
        (issue,) = validate(templates.find(name).build(values)).issues
        return str(issue)

    assert told("dit", patch_size=64) == (
        "Patchify, input x. It receives a height of 32 from Noisy latent, but `patch_size` 64 must divide it. "
        "Set the variable `patch_size` to 2?"
    )
    assert told("transformer", dim=0) == (
        "Token embedding, dim. It must be at least 1; it is 0. Set the variable `dim` to 512?"
    )
    assert told("gpt", hidden=0).endswith("it is 0. Set the variable `hidden` to `=4*dim`?")
    assert told("deepseek", layers=1).endswith("Set the variable `layers` to 4?")
    assert told("gpt", dim=10**30) == (
        f"variable dim. It is `{10**30}`, but it must be smaller than 2⁶³. Set the variable `dim` to 768?"
    )


def test_a_value_may_call_for_another_one(tiny):
    document = tiny("deepseek", num_experts=0)
    (issue,) = validate(document).issues
    assert issue.repair.label == "Set the variable `num_experts` to 16 and the variable `groups` to 4"
    history = History(document)
    history.do(issue.repair.command)
    assert validate(document).valid
    history.undo()
    assert document.variables["num_experts"] == 0


def test_without_a_template_defaults_of_blocks_and_round_numbers_are_tried(chain):
    document = chain(
        ("x", "FeatureInput", {"dim": "=dim"}),
        ("attn", "MultiHeadAttention", {"dim": FROM_WIRE, "num_heads": 12}),
        ("mlp", "FeedForward", {"dim": FROM_WIRE, "hidden": "=4*dim"}),
        ("o", "Output", {}),
    )
    document.apply(SetVariable("dim", 0))
    (issue,) = validate(document).issues
    assert issue.path == ("x",)
    document.apply(issue.repair.command)
    assert validate(document).valid
    assert document.variables["dim"] % 12 == 0


def test_what_waits_for_a_variable_is_not_blamed(tiny):
    document = tiny("gpt")
    document.apply(SetVariable("kv_heads", "=num_heads/0"))
    report = validate(document)
    (issue,) = report.issues
    assert issue.where == "variable kv_heads"
    assert report.state(("decoder", "attn")) == report.state(("decoder",)) == report.state(("head",)) == "waiting"
    document.apply(SetVariable("layers", "=kv_heads"))
    (issue,) = validate(document).issues
    assert issue.where == "variable kv_heads"


def test_faults_of_their_own_are_still_told(tiny):
    document = tiny("gpt", dim=0)
    document.apply(SetParam(("decoder",), "attn", "rope", "often"))
    document.apply(SetParam((), "head", "bias", "maybe"))
    issues = validate(document).issues
    assert {issue.path for issue in issues} == {("token_embedding",), ("decoder", "attn"), ("head",)}
    for issue in issues:
        document.apply(issue.repair.command)
    assert validate(document).valid


def test_a_number_beside_an_expression_is_not_offered(tiny):
    """`=4*dim` is wrong since dim is: to put a number in its place would leave dim as it is."""
    document = tiny("gpt", dim=-1)
    document.apply(SetDocument("template", {}))
    assert validate(document).node(("decoder", "mlp")).issues[0].repair is None


def test_edits_elsewhere_try_nothing_again(tiny, monkeypatch):
    document = tiny("unet", channels=0)
    validator = Validator(document)
    tried = []
    monkeypatch.setattr(
        Validator, "_tried", lambda self, values, real=Validator._tried: tried.append(values) or real(self, values)
    )
    first = validator.report().issues
    assert tried
    count = len(tried)
    document.apply(Move((), {next(iter(document.top.nodes)): (8.0, 8.0)}))
    document.apply(SetNode((), next(iter(document.top.nodes)), "colour", "blue"))
    assert validator.report().issues == first
    assert len(tried) == count
    document.apply(SetVariable("channels", 8))
    assert validator.report().issues == ()
    assert len(tried) == count


def test_a_large_drawing_is_not_tried_for_ever(chain):
    document = chain(
        ("x", "FeatureInput", {"dim": "=dim"}),
        *((f"l{n}", "Linear", {"in_features": "=dim", "out_features": "=dim"}) for n in range(1500)),
        ("o", "Output", {}),
    )
    document.apply(SetVariable("dim", 0))
    start = time.process_time()
    issues = validate(document).issues
    assert time.process_time() - start < 1.0
    assert len(issues) == 1
    document.apply(issues[0].repair.command)
    assert validate(document).valid


def test_files_of_other_makers_may_name_any_template(tiny):
    document = tiny("gpt", dim=0)
    for name in ("no such template", 7, None):
        data = files.document_to_data(document) | {"template": {"name": name}}
        again: Document = files.document_from_data(data)
        assert validate(again).issues
