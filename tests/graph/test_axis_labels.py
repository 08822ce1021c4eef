"""What people read beside a map: tokens, or the place in the picture."""

from __future__ import annotations

import pytest

from graph.axis_labels import axis_labels
from graph.passes import run_passes
from graph.plan import plan_document
from graph.running import Workbench
from graph.samples import make_inputs
from graph.templates import find


def prepared(name, sizes, **values):
    template = find(name)
    plan = run_passes(plan_document(template.build({**template.presets["tiny"], **values})))[0]
    return plan, make_inputs(plan, sizes)


def test_pixels_are_called_by_row_and_column():
    bench = Workbench("cpu")
    plan, inputs = prepared("diffusion_unet", {"height": 6, "width": 4})
    bench.prepare(plan)
    bench.run(inputs)
    node = next(address for address, step in plan.walk() if step.block.__name__ == "MultiHeadAttention")
    seen = bench.attention(node)
    assert seen["labels"][:5] == ["(0, 0)", "(0, 1)", "(0, 2)", "(0, 3)", "(1, 0)"]
    assert len(seen["labels"]) == seen["query"] == 24
    assert seen["key_labels"] == seen["labels"]


def test_patches_stand_behind_the_class_token():
    plan, inputs = prepared("vit", {})
    axis = next(step.outputs[0][1].shape[1] for _, step in plan.walk() if step.block.__name__ == "MultiHeadAttention")
    side = inputs.named["image"].shape[-1] // 8
    labels = axis_labels(plan, inputs, axis)
    assert labels[:3] == ["extra 1", "(0, 0)", "(0, 1)"]
    assert labels[-1] == f"({side - 1}, {side - 1})"
    assert len(labels) == side * side + 1


@pytest.mark.parametrize("axis", [None, 7])
def test_other_axes_have_no_labels(axis):
    plan, inputs = prepared("diffusion_unet", {})
    assert axis_labels(plan, inputs, axis) == []
