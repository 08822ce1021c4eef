"""Sizes to try a model at meet its requirements, and show what a tracer bakes in."""

from __future__ import annotations

import pytest
import torch

from exporters.trials import allowed, random_inputs, ranges, spelled, tracing_sizes, trial_sizes
from graph.sizes import axis_names, default_sizes
from graph.templates import find


@pytest.mark.parametrize("name", ["gpt", "llama", "unet", "diffusion_unet"])
def test_sizes_of_the_templates(name, small):
    plan = small(name).plan
    tried = trial_sizes(plan)
    assert len(tried) >= 4 and len({tuple(sizes.items()) for sizes in tried}) == len(tried)
    assert default_sizes(plan) in tried
    smallest = {axis: one.low for axis, one in ranges(plan).items()}
    assert tried[0] == smallest
    for sizes in (*tried, tracing_sizes(plan)):
        assert tuple(sizes) == axis_names(plan)
        assert plan.sizes_fault(sizes) is None
    traced = list(tracing_sizes(plan).values())
    assert len(set(traced)) == len(traced) and min(traced) > 1


@pytest.mark.parametrize("context", [1, 2, 3, 5])
def test_short_contexts(context, pen, make_example):
    pen.add("x", "FeatureInput", dim=4)
    pen.add("position", "LearnedPosition", "x", dim=4, context=context)
    pen.add("y", "Output", "position")
    plan = make_example(pen.document).plan
    tried = trial_sizes(plan)
    assert len(tried) >= 4
    assert all(sizes["seq"] <= context for sizes in tried)
    assert tracing_sizes(plan)["seq"] == context


def test_wishes_are_rounded_to_what_is_allowed(small):
    plan = small("unet").plan
    divisor = ranges(plan)["height"].step
    assert divisor == 4
    assert allowed(plan, {"batch": 2, "height": 1, "width": 9}) == {"batch": 2, "height": 4, "width": 12}


def test_inputs_are_what_the_sources_say(small):
    plan = small("diffusion_unet").plan
    sizes = trial_sizes(plan)[1]
    inputs = dict(zip((entry.id for entry in plan.entries), random_inputs(plan, sizes), strict=True))
    assert inputs["image"].shape == (2, 3, sizes["height"], sizes["width"])
    assert inputs["time_step"].min() >= 0 and inputs["time_step"].max() < 1000
    again = random_inputs(plan, sizes)
    assert all(torch.equal(one, other) for one, other in zip(inputs.values(), again, strict=True))
    tokens = random_inputs(small("gpt").plan, {"batch": 2, "seq": 24})[0]
    assert tokens.dtype == torch.int64 and tokens.max() < 61
    assert spelled(sizes).startswith("batch 2, height ") and spelled({}) == "its one size"


def test_masks_hide_something_but_never_everything(pen, make_example):
    pen.add("visible", "MaskInput", axes="batch 1 1 seq")
    pen.add("y", "Output", "visible")
    plan = make_example(pen.document).plan
    (mask,) = random_inputs(plan, {"batch": 3, "seq": 40})
    assert mask.dtype == torch.bool and mask.any(-1).all() and not mask.all()


def test_large_templates_are_searched_quickly():
    from graph.passes import run_passes
    from graph.plan import plan_document

    plan, _ = run_passes(plan_document(find("unet").build({"depth": 6, "image_size": 512})))
    assert all(sizes["height"] % 64 == 0 for sizes in trial_sizes(plan))
