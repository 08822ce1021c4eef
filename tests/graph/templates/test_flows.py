"""RealNVP and Glow: both ways on the same weights, log-determinants against autograd, the scales as published."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from blocks import catalogue
from exporters.base import find
from graph.compile import compile_plan
from graph.sizes import default_sizes

FLOWS = [
    ("realnvp", {"hidden": 6, "image_channels": 1, "scales": 1}),
    ("realnvp", {"hidden": 6, "image_channels": 3, "scales": 2}),
    ("realnvp", {"hidden": 5, "image_channels": 1, "scales": 3}),
    ("glow", {"hidden": 6, "image_channels": 1, "scales": 1, "steps": 3}),
    ("glow", {"hidden": 6, "image_channels": 3, "scales": 2, "steps": 2}),
    ("glow", {"hidden": 5, "image_channels": 1, "scales": 3, "steps": 1}),
]
EACH = pytest.mark.parametrize(("name", "values"), FLOWS, ids=[f"{n}-{v['scales']}" for n, v in FLOWS])


@pytest.fixture
def both_ways(model_of, shake):
    """The forward model with weights far from their start, and the inverse with the same ones under the same names."""

    def build(name: str, **values) -> tuple[nn.Module, nn.Module]:
        forward = shake(model_of(name, "tiny", **values), seed=3)
        back = model_of(name, "tiny", inverse=True, **values)
        assert set(back.state_dict()) == set(forward.state_dict())
        back.load_state_dict(forward.state_dict(), strict=True)
        return forward, back

    return build


def log_determinants(function, x: Tensor) -> Tensor:
    """Log |det ∂y/∂x| of each sample, by autograd alone."""
    found = []
    for sample in x:
        jacobian = torch.autograd.functional.jacobian(lambda one: function(one[None])[0], sample)
        found.append(torch.linalg.slogdet(jacobian.reshape(sample.numel(), sample.numel())).logabsdet)
    return torch.stack(found)


@EACH
def test_the_way_back_undoes_the_way_there(both_ways, agree, name, values):
    forward, back = both_ways(name, **values)
    x = torch.randn(3, values["image_channels"], 8, 16, dtype=torch.float64)
    with torch.no_grad():
        z, log_det, _ = forward(x)
        assert z.shape == x.shape and (z - x).abs().max() > 0.1
        again, log_det_back = back(z)
        agree(again, x)
        agree(log_det_back, -log_det)
        agree(forward(back(x)[0])[0], x)


@EACH
def test_the_log_determinant_is_that_of_the_jacobian(both_ways, agree, name, values):
    forward, back = both_ways(name, **values)
    side = 2 ** values["scales"]
    x = torch.randn(2, values["image_channels"], side, side, dtype=torch.float64)
    z, log_det, bits = forward(x)
    assert log_det.abs().max() > 1e-3
    agree(log_det, log_determinants(lambda one: forward(one)[0], x))
    agree(back(z)[1], log_determinants(lambda one: back(one)[0], z))
    normal = torch.distributions.Normal(torch.zeros_like(z), torch.ones_like(z))
    likelihood = normal.log_prob(z).flatten(1).sum(1) + log_det
    agree(bits, -likelihood.mean() / math.log(2) / x[0].numel())


def test_outputs_are_in_order(planned):
    assert [exit.id for exit in planned("glow", "tiny", {}).exits] == ["z", "log_determinant", "bits"]
    assert [exit.id for exit in planned("glow", "tiny", {"inverse": True}).exits] == ["image", "log_determinant"]


def test_half_of_each_scale_is_left_as_it_is(both_ways):
    """The first scale leaves half of its channels alone once they are done: the next does not change them."""
    forward, _ = both_ways("glow", hidden=6, scales=2, steps=1)
    x = torch.randn(1, 3, 4, 4, dtype=torch.float64)
    scale = forward.scale_1
    features, first = scale.steps[0](x=scale.squeeze(x))
    half, kept = features.chunk(2, 1)
    inner, second = scale.scale_2(x=half)
    z, log_det, _ = forward(x)
    torch.testing.assert_close(nn.functional.pixel_unshuffle(z, 2), torch.cat((inner, kept), 1))
    torch.testing.assert_close(first + second, log_det)


def test_realnvp_takes_turns(planned):
    steps = {address: step for address, step in planned("realnvp", "tiny", {}).walk() if "coupling" in address}
    masks = [(step.params["mask"], step.params["swap"]) for step in steps.values()]
    first = [("checkerboard", False), ("checkerboard", True), ("checkerboard", False)]
    second = [("channel", False), ("channel", True), ("channel", False)]
    assert masks == [*first, *second, *first, ("checkerboard", True)]
    assert next(reversed(steps)) == "scale_1/scale_2/checkerboard/coupling_4"


def test_glow_starts_from_its_first_batch(model_of):
    """In training the first batch sets every ActNorm; what comes out then has mean 0 and variance 1."""
    model = model_of("glow", "tiny").train()
    x = 3 + 2 * torch.randn(8, 3, 8, 8, dtype=torch.float64)
    kept: list[Tensor] = []
    norms = [module for module in model.modules() if type(module) is catalogue()["ActNorm"]]
    for norm in norms:
        norm.register_forward_hook(lambda _module, _given, result: kept.append(result[0]))
    model(x)
    assert len(kept) == 4 and all(norm.started for norm in norms)
    for y in kept:
        channels = y.transpose(0, 1).flatten(1)
        torch.testing.assert_close(channels.mean(1), torch.zeros(len(channels), dtype=torch.float64))
        torch.testing.assert_close(channels.var(1, correction=0), torch.ones(len(channels)).double(), rtol=1e-3, atol=0)


def test_the_size_of_pictures_is_what_the_scales_can_halve(planned):
    for name, scales, factor in (("glow", 3, 8), ("realnvp", 3, 4)):
        plan = planned(name, "tiny", {"scales": scales, "image_size": 32})
        divisors = {str(need.size): need.divisor for need in plan.requirements}
        assert divisors == {"height": factor, "width": factor}
        assert default_sizes(plan) == {"batch": 1, "height": 32, "width": 32}


def test_noise_is_what_the_way_back_is_fed(planned):
    from graph.samples import make_inputs

    z = make_inputs(planned("glow", "tiny", {"inverse": True}), {"batch": 64}).named["z"]
    assert z.mean().item() == pytest.approx(0, abs=0.05) and z.std().item() == pytest.approx(1, abs=0.05)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["realnvp", "glow"])
def test_the_way_back_is_exported_too(planned, tmp_path, name):
    plan = planned(name, "tiny", {"inverse": True})
    model = compile_plan(plan)
    assert find("onnx").write(model, plan, tmp_path / "back.onnx")["max_abs_error"] < 1e-3
    assert find("pytorch").write(model, plan, tmp_path / "back.py")["same_to_the_bit"]
