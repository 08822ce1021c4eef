"""What every template owes: it opens, is valid at every preset, lies on the grid, runs, and survives its file."""

from __future__ import annotations

import itertools

import pytest
import torch

from blocks.dimensions import evaluate
from graph import files
from graph.compile import compile_plan
from graph.document import Document, Level, Path
from graph.estimate import count_parameters
from graph.layout import GRID, measure
from graph.passes import run_passes
from graph.plan import plan_document
from graph.samples import make_inputs
from graph.templates import Template, all_templates
from graph.validate import validate

TEMPLATES = list(all_templates().values())
EACH = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)


def levels(document: Document, at: Path = ()) -> list[tuple[Path, Level]]:
    """Every level of a document with its path."""
    level = document.level(at)
    below = [levels(document, (*at, node.id)) for node in level.nodes.values() if node.is_group]
    return [(at, level), *itertools.chain.from_iterable(below)]


@EACH
def test_it_says_what_it_is(template: Template):
    assert template.summary.endswith(".") and len(template.summary) <= 110
    assert next(iter(template.presets)) == "tiny"
    for name, variable in template.variables.items():
        assert variable.doc, f"{name} says nothing about itself"
    for preset in template.presets.values():
        assert preset.keys() <= template.variables.keys()


@pytest.mark.parametrize(
    ("template", "preset"),
    [pytest.param(one, preset, id=f"{one.name}-{preset}") for one in TEMPLATES for preset in (None, *one.presets)],
)
def test_it_is_valid_at_every_size(template: Template, preset: str | None):
    document = template.build(template.presets[preset] if preset else None)
    report = validate(document)
    assert [str(issue) for issue in report.issues] == []
    used, unique = count_parameters(run_passes(plan_document(document))[0])
    assert used >= unique
    if preset == "tiny":
        assert unique <= 1_000_000


@EACH
def test_nodes_lie_on_the_grid_apart(template: Template):
    for at, level in levels(template.build()):
        boxes = {}
        for node in level.nodes.values():
            box = measure(node, level.incoming(node.id))
            (x, y) = node.position
            assert x % GRID == 0 and y % GRID == 0, f"{'/'.join(at)}/{node.id} is off the grid"
            boxes[node.id] = (x, y, x + box.width, y + box.height)
        for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
            apart = a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
            assert apart, f"{one} and {other} overlap in {'/'.join(at) or 'the drawing'}"


@EACH
def test_it_survives_its_file(template: Template, tmp_path):
    document = template.build()
    files.save(document, tmp_path / "it.json")
    assert files.document_to_data(files.load(tmp_path / "it.json")) == files.document_to_data(document)


@EACH
def test_it_runs_at_its_tiny_preset(template: Template):
    plan, _ = run_passes(plan_document(template.build(template.presets["tiny"])))
    inputs = make_inputs(plan, {"batch": 2} if "batch" in _axes(plan) else None)
    results = compile_plan(plan)(*inputs.tensors)
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(plan.exits)
    for exit, result in zip(plan.exits, results, strict=True):
        assert tuple(result.shape) == tuple(evaluate(size, inputs.sizes) for size in exit.signal.shape)
        assert not result.is_floating_point() or torch.isfinite(result).all()


def _axes(plan) -> set[str]:
    return {str(size) for entry in plan.entries for size in entry.signal.shape}
