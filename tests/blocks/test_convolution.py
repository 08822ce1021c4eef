"""What convolutions promise beyond their formula: sizes, bounds of the weight, what a masked one may see."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from blocks import catalogue
from blocks.shapes import Needs

KINDS = ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d")
SMALL = {
    "Linear": {"in_features": 9, "out_features": 5},
    **dict.fromkeys(KINDS, {"in_channels": 6, "out_channels": 4, "kernel_size": 3}),
}


def block(name, **params):
    torch.manual_seed(0)
    return catalogue()[name](**params)


def conflicts(name, **params):
    cls = catalogue()[name]
    return list(cls.conflicts({param.name: param.default for param in cls.params()} | params))


def size_of(name, size, **params):
    cls = catalogue()[name]
    full = {param.name: param.default for param in cls.params()} | {"in_channels": 6} | params
    return cls.infer({"x": (1, 6, *[size] * (2 if "2d" in name else 1))}, full, Needs())["y"][-1]


@pytest.mark.parametrize("kernel", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
@pytest.mark.filterwarnings("ignore:Using padding='same'")
def test_an_empty_padding_is_torchs_same(kernel, dilation, mode):
    given = {"kernel_size": kernel, "dilation": dilation, "padding_mode": mode}
    ours = block("Conv2d", in_channels=3, out_channels=4, padding=None, **given)
    theirs = nn.Conv2d(3, 4, padding="same", **given)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 15, 14)
    assert torch.equal(ours(x), theirs(x))


def test_an_empty_padding_asks_for_a_stride_of_one():
    (conflict,) = conflicts("Conv1d", padding=None, stride=2, kernel_size=5, dilation=2)
    assert conflict.fatal and conflict.repair == {"padding": 4}
    assert not conflicts("Conv1d", padding=None, kernel_size=4)


@pytest.mark.parametrize("name", ["ConvTranspose1d", "ConvTranspose2d"])
def test_uneven_stamps_warn_and_the_repair_keeps_the_size(name):
    for kernel in range(1, 8):
        for stride in range(1, 5):
            for padding in range(kernel):
                for output_padding in range(stride):
                    for dilation in (1, 2):
                        given = {"kernel_size": kernel, "stride": stride, "padding": padding, "dilation": dilation}
                        given["output_padding"] = output_padding
                        found = conflicts(name, **given)
                        assert bool(found) == (stride > 1 and kernel % stride > 0)
                        for conflict in found:
                            assert not conflict.fatal
                            better = given | conflict.repair
                            assert not conflicts(name, **better)
                            assert size_of(name, 20, **better) == size_of(name, 20, **given)


@pytest.mark.parametrize("name", SMALL)
def test_spectral_norm_is_torchs_and_bounds_the_weight(name):
    ours = block(name, **SMALL[name], reparametrization="spectral")
    axis = 1 if "Transpose" in name else 0

    def largest(module):
        return torch.linalg.matrix_norm(module.weight.movedim(axis, 0).flatten(1), 2).item()

    theirs = nn.utils.parametrizations.spectral_norm(getattr(nn, name)(**SMALL[name]))
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(ours.eval().weight, theirs.eval().weight)
    ours.train()
    with torch.no_grad():
        for _ in range(50):
            _ = ours.weight  # each use in training is a step of the power iteration
    assert largest(ours) == pytest.approx(1, rel=1e-3)
    plain = block(name, **SMALL[name])
    assert list(plain.state_dict()) == ["weight", "bias"] and type(plain) is catalogue()[name]


@pytest.mark.parametrize("name", SMALL)
def test_weight_norm_is_torchs_and_starts_as_the_plain_weight(name):
    ours, plain = block(name, **SMALL[name], reparametrization="weight"), block(name, **SMALL[name])
    torch.testing.assert_close(ours.weight, plain.weight)
    theirs = nn.utils.parametrizations.weight_norm(getattr(nn, name)(**SMALL[name]))
    theirs.load_state_dict(ours.state_dict())
    assert torch.equal(ours.weight, theirs.weight)


@pytest.mark.parametrize("kind", ["A", "B"])
@pytest.mark.parametrize("colours", [1, 3])
def test_no_pixel_sees_a_later_one(kind, colours):
    given = {"kind": kind, "in_channels": 3, "out_channels": 3, "kernel_size": 5, "colours": colours}
    module = block("MaskedConv2d", **given).double()
    x = torch.randn(1, 3, 7, 6, dtype=torch.float64, requires_grad=True)
    y = module(x)
    order = torch.arange(42).view(7, 6)
    for row, column in ((0, 0), (3, 2), (6, 5)):
        for colour in range(3):
            (gradient,) = torch.autograd.grad(y[0, colour, row, column], x, retain_graph=True)
            here = order[row, column]
            assert (gradient[0][:, order > here] == 0).all()
            itself = gradient[0, :, row, column] != 0
            if colours == 1:
                seen = [kind == "B"] * 3
            else:
                seen = [other < colour or (kind == "B" and other == colour) for other in range(3)]
            assert itself.tolist() == seen
            window = [(row - 1, column), (row, column - 1), (row - 2, column + 2)]
            for r, c in window:
                if r >= 0 and 0 <= c < 6:
                    assert (gradient[0, :, r, c] != 0).all()


@pytest.mark.parametrize("kind", ["vertical A", "vertical B"])
def test_vertical_types_see_whole_rows_above(kind):
    module = block("MaskedConv2d", kind=kind, in_channels=2, out_channels=1, kernel_size=5).double()
    x = torch.randn(1, 2, 7, 7, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(module(x)[0, 0, 3, 3], x)
    seen = torch.zeros(7, 7, dtype=torch.bool)
    seen[1:3, 1:6] = True
    seen[3, 1:6] = kind == "vertical B"
    assert torch.equal(gradient[0] != 0, seen.expand(2, -1, -1))


def test_masked_convolutions_have_a_middle_and_equal_colours():
    (conflict,) = conflicts("MaskedConv2d", kernel_size=4)
    assert conflict.repair == {"kernel_size": 5}
    (conflict,) = conflicts("MaskedConv2d", colours=2, in_channels=3, out_channels=64)
    assert conflict.repair == {"colours": 1}
    assert "mask" not in block("MaskedConv2d").state_dict()


def test_pixel_shuffle_and_unshuffle_undo_each_other():
    x = torch.randn(2, 12, 5, 7)
    y = block("PixelShuffle", factor=2)(x)
    assert y.shape == (2, 3, 10, 14)
    assert torch.equal(block("PixelUnshuffle", factor=2)(y), x)


def test_depthwise_is_a_convolution_in_as_many_groups_as_channels():
    given = {"kernel_size": 5, "stride": 2, "padding": 1, "padding_mode": "reflect"}
    depthwise = block("DepthwiseConv2d", channels=6, multiplier=2, **given)
    grouped = block("Conv2d", in_channels=6, out_channels=12, groups=6, **given)
    grouped.load_state_dict(depthwise.state_dict())
    x = torch.randn(2, 6, 11, 13)
    assert torch.equal(depthwise(x), grouped(x))


def test_residual_blocks_take_published_names():
    names = set(block("BottleneckResidual", in_channels=64, out_channels=256, stride=2).state_dict())
    assert {"conv1.weight", "bn3.running_var", "downsample.0.weight", "downsample.1.bias"} <= names
    assert "downsample.0.weight" not in block("BasicResidual").state_dict()
