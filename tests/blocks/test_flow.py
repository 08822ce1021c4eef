"""Flows can be undone, and say by how much they stretch space: both against the definitions, in float64."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from blocks import catalogue

FLOWS = [
    ("ActNorm", {}),
    ("InvertibleConv1x1", {}),
    *(
        (name, {"hidden": 6, "mask": mask, "swap": swap} | more)
        for name, more in (("AffineCoupling", {"scale": "sigmoid"}), ("AffineCoupling", {}), ("AdditiveCoupling", {}))
        for mask in ("channel", "checkerboard")
        for swap in (False, True)
    ),
]


def pair(name, params, channels):
    """A step and its inverse on the same weights, none of them at its start."""
    torch.manual_seed(0)
    block = catalogue()[name]
    forward, back = (
        block(channels=channels, direction=way, **params).double().eval() for way in ("forward", "inverse")
    )
    for tensor in forward.parameters():
        tensor.data.add_(0.3 * torch.randn_like(tensor))
    back.load_state_dict(forward.state_dict())
    return forward, back


def jacobian(module: nn.Module, x: Tensor) -> Tensor:
    """The log |det ∂y/∂x| of one sample, by autograd."""
    full = torch.autograd.functional.jacobian(lambda sample: module(sample)[0], x)
    return torch.linalg.slogdet(full.reshape(x.numel(), x.numel())).logabsdet


@pytest.mark.parametrize(("name", "params"), FLOWS)
@pytest.mark.parametrize("shape", [(3, 5, 4, 3), (3, 5)], ids=["pictures", "vectors"])
def test_steps_are_undone_and_know_their_determinant(name, params, shape):
    if len(shape) == 2 and "hidden" in params:
        params = params | {"network": "linear"}
    forward, back = pair(name, params, channels=5)
    x = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        y, log_det = forward(x)
        again, log_det_back = back(y)
    torch.testing.assert_close(again, x, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(log_det_back, -log_det, rtol=1e-10, atol=1e-10)
    assert not torch.allclose(y, x)
    for sample, told, told_back, result in zip(x, log_det, log_det_back, y, strict=True):
        torch.testing.assert_close(jacobian(forward, sample[None]), told, rtol=1e-8, atol=1e-8)
        torch.testing.assert_close(jacobian(back, result[None]), told_back, rtol=1e-8, atol=1e-8)


class Glow(nn.Module):
    """Two squeezes, each with three steps of ActNorm, 1×1 convolution and coupling; or the way back."""

    def __init__(self, direction: str) -> None:
        super().__init__()
        blocks = catalogue()
        steps = []
        for channels in (4, 16):
            steps.append(blocks["Squeeze"](direction=direction))
            for turn in range(3):
                steps += [
                    blocks[name](channels=channels, direction=direction, **params)
                    for name, params in (
                        ("ActNorm", {}),
                        ("InvertibleConv1x1", {}),
                        ("AffineCoupling", {"hidden": 8, "swap": turn % 2 == 1, "scale": "sigmoid"}),
                    )
                ]
        self.steps = nn.ModuleList(steps)
        self.back = direction == "inverse"

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        total = x.new_zeros(len(x))
        for step in reversed(self.steps) if self.back else self.steps:
            result = step(x)
            x, log_det = result if isinstance(result, tuple) else (result, 0)
            total = total + log_det
        return x, total


def test_a_whole_glow_is_undone():
    torch.manual_seed(0)
    forward, back = Glow("forward").double(), Glow("inverse").double()
    x = torch.randn(2, 1, 8, 4, dtype=torch.float64)
    forward.train()(x)  # the first batch starts every ActNorm
    for tensor in forward.parameters():
        tensor.data.add_(0.05 * torch.randn_like(tensor))
    back.load_state_dict(forward.state_dict())
    forward.eval()
    with torch.no_grad():
        z, log_det = forward(x)
        again, log_det_back = back(z)
    torch.testing.assert_close(again, x, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(log_det_back, -log_det, rtol=1e-9, atol=1e-9)
    for sample, told in zip(x, log_det, strict=True):
        torch.testing.assert_close(jacobian(forward, sample[None]), told, rtol=1e-8, atol=1e-8)


def test_act_norm_starts_from_the_first_batch_only():
    module = catalogue()["ActNorm"](channels=3).double()
    assert not module.eval()(torch.randn(2, 3, 4, dtype=torch.float64))[0].isnan().any()
    assert not module.started, "evaluation starts nothing"
    first = torch.randn(5, 3, 6, dtype=torch.float64) * torch.tensor([[2.0], [0.1], [7.0]]) + 3
    y, _ = module.train()(first)
    torch.testing.assert_close(y.transpose(0, 1).flatten(1).mean(1), torch.zeros(3, dtype=torch.float64))
    variance = y.transpose(0, 1).flatten(1).var(1, correction=0)
    torch.testing.assert_close(variance, torch.ones(3, dtype=torch.float64), rtol=1e-3, atol=1e-3)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    module(first * 9 - 1)[0].sum().backward()
    assert all(torch.equal(before[name], tensor) for name, tensor in module.state_dict().items())
    assert module.bias.grad is not None and module.log_scale.grad is not None


def test_an_invertible_convolution_starts_as_a_rotation():
    torch.manual_seed(0)
    module = catalogue()["InvertibleConv1x1"](channels=9).double()
    matrix = module(torch.eye(9, dtype=torch.float64))[0].T
    torch.testing.assert_close(matrix @ matrix.T, torch.eye(9, dtype=torch.float64), rtol=1e-5, atol=1e-5)
    assert module(torch.zeros(1, 9, dtype=torch.float64))[1].item() == pytest.approx(0.0, abs=1e-5)
    assert sum(parameter.numel() for parameter in module.parameters()) == 81


def test_couplings_start_without_a_shift():
    x = torch.randn(2, 4, 5, 6)
    y, log_det = catalogue()["AffineCoupling"](channels=4)(x)
    assert torch.equal(y, x) and not log_det.any()
    assert torch.equal(catalogue()["AdditiveCoupling"](channels=4)(x)[0], x)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("mask", ["channel", "checkerboard"])
def test_one_half_stays(mask, swap):
    forward, _ = pair("AffineCoupling", {"hidden": 6, "mask": mask, "swap": swap}, channels=4)
    x = torch.randn(2, 4, 4, 6, dtype=torch.float64)
    same = (forward(x)[0] == x).double()
    assert same.mean() == 0.5
    if mask == "channel":
        assert same[:, 2 if swap else 0].all()
    else:
        assert same[:, :, 0, 1 if swap else 0].all() and same[:, :, 1, 0 if swap else 1].all()


def test_a_single_channel_is_halved_by_a_checkerboard_only():
    block = catalogue()["AdditiveCoupling"]
    full = {param.name: param.default for param in block.params()} | {"channels": 1}
    (conflict,) = block.conflicts(full)
    assert conflict.param == "mask" and dict(conflict.repair) == {"mask": "checkerboard"}
