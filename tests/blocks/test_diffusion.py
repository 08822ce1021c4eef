"""What the blocks of diffusion models are for: they fit together, know the time, read a prompt, and cut pictures up."""

from __future__ import annotations

import math

import pytest
import torch

from blocks import catalogue
from blocks.dimensions import named
from blocks.shapes import Needs, ShapeClash


def built(name, **params):
    torch.manual_seed(0)
    return catalogue()[name](**params).double().eval()


def noise(*shape, seed=1):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def count(name, **params):
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in catalogue()[name](**params).parameters())


def test_the_parts_of_stable_diffusion_make_up_its_parameters():
    """Four levels of 320 to 1280 channels, two layers each going down and three going up: 859,520,964 in all."""
    levels, time = (320, 640, 1280, 1280), 1280
    prompted = (True, True, True, False)

    def residual(inside, out):
        return count("ResidualTimeBlock", in_channels=inside, out_channels=out, time_dim=time)

    def conv(inside, out):
        return count("Conv2d", in_channels=inside, out_channels=out)

    def attention(channels):
        return count("SpatialTransformer", channels=channels, context_dim=768, num_heads=8)

    total = conv(4, 320) + count("Linear", in_features=320, out_features=time)
    total += count("Linear", in_features=time, out_features=time)
    skips, channels = [320], 320
    for level, out in enumerate(levels):
        for _ in range(2):
            total += residual(channels, out) + (attention(out) if prompted[level] else 0)
            channels = out
            skips.append(out)
        if level < 3:
            total += conv(out, out)
            skips.append(out)
    total += 2 * residual(1280, 1280) + attention(1280)
    for level, out in reversed(list(enumerate(levels))):
        for _ in range(3):
            total += residual(channels + skips.pop(), out) + (attention(out) if prompted[level] else 0)
            channels = out
        total += conv(out, out) if level else 0
    total += count("GroupNorm", num_groups=32, num_channels=320) + conv(320, 4)
    assert not skips and total == 859_520_964


def test_levels_fit_together():
    first = built("DownBlock", in_channels=4, out_channels=6, time_dim=5, groups=2)
    last = built("UpBlock", in_channels=6, skip_channels=6, out_channels=4, time_dim=5, groups=2)
    x, time = noise(2, 4, 8, 6), noise(2, 5)
    y, skip = first(x, time)
    assert y.shape == (2, 6, 4, 3) and skip.shape == (2, 6, 8, 6)
    assert last(y, skip, time).shape == x.shape


def test_an_odd_height_asks_for_an_even_one():
    up = catalogue()["UpBlock"]
    full = {param.name: param.default for param in up.params()}
    height = named("height")
    shapes = {
        "x": (1, 128, (height + 1) // 2, 4),
        "skip": (1, 64, height, 8),
        "time": (1, 256),
    }
    need = Needs()
    up.infer(shapes, full, need)
    assert need.divisors == {"height": 2}
    with pytest.raises(ShapeClash) as clash:
        up.infer(shapes | {"x": (1, 128, 3, 4), "skip": (1, 64, 5, 8)}, full, Needs())
    assert (clash.value.found, clash.value.needed) == ("a height of 5", "twice the height of x is 6")


@pytest.mark.parametrize("injection", ["add", "scale_shift"])
def test_the_time_reaches_every_pixel(injection):
    module = built("ResidualTimeBlock", in_channels=4, out_channels=6, time_dim=5, groups=2, injection=injection)
    x = noise(1, 4, 5, 5)
    early, late = module(x, noise(1, 5)), module(x, noise(1, 5, seed=2))
    assert ((early - late).abs().amax(1) > 1e-6).all()


def test_a_prompt_steers_and_its_order_does_not_matter():
    module = built("SpatialTransformer", channels=8, context_dim=6, num_heads=2, groups=4)
    x, prompt = noise(1, 8, 4, 3), noise(1, 5, 6)
    y = module(x, prompt)
    assert not torch.allclose(y, module(x, prompt * 2))
    torch.testing.assert_close(y, module(x, prompt.flip(1)))
    seen = torch.tensor([True, True, False, True, True])[None, None, None]
    torch.testing.assert_close(module(x, prompt, seen), module(x, prompt[:, [0, 1, 3, 4]]))


@pytest.mark.parametrize("order", ["channel pixel", "pixel channel"])
def test_patches_are_laid_back(order):
    cut, back = built("Patchify", patch_size=3, order=order), built("Unpatchify", patch_size=3, order=order)
    x = noise(2, 4, 9, 6)
    assert torch.equal(back(cut(x), noise(2, 1, 9, 6)), x)


def test_patches_and_a_linear_layer_are_a_strided_convolution():
    conv = torch.nn.Conv2d(3, 10, 4, stride=4).double()
    linear = built("Linear", in_features=48, out_features=10)
    linear.load_state_dict({"weight": conv.weight.flatten(1), "bias": conv.bias})
    x = noise(2, 3, 8, 12)
    torch.testing.assert_close(linear(built("Patchify", patch_size=4)(x)), conv(x).flatten(2).transpose(1, 2))


@pytest.mark.parametrize("kind", ["linear", "scaled_linear", "cosine"])
def test_signal_and_noise_keep_the_variance(kind):
    schedule = built("NoiseSchedule", schedule=kind)
    t = torch.linspace(0, 999, 1357, dtype=torch.float64)
    signal, spread = schedule(t)
    torch.testing.assert_close(signal**2 + spread**2, torch.ones_like(t))
    assert (signal.diff() < 0).all() and signal[0] > 0.99
    x, mixed = noise(4000, 3), built("AddNoise")
    y = mixed(x, noise(4000, 3, seed=2), signal[:1].expand(4000), spread[:1].expand(4000))
    assert y.var().item() == pytest.approx(1.0, abs=0.05)


def test_the_published_schedules():
    """DDPM ends with 4.0e-5 of the variance left, Stable Diffusion with 4.7e-3."""
    last = torch.tensor([999.0], dtype=torch.float64)
    assert built("NoiseSchedule")(last)[0].item() ** 2 == pytest.approx(4.0358e-5, rel=1e-4)
    latent = built("NoiseSchedule", schedule="scaled_linear", beta_start=0.00085, beta_end=0.012)
    assert latent(last)[0].item() ** 2 == pytest.approx(0.0046601, rel=1e-4)
    straight = built("NoiseSchedule", schedule="flow")(torch.tensor([250.0], dtype=torch.float64))
    assert [one.item() for one in straight] == [0.75, 0.25]


def test_a_latent_code_follows_its_distribution_and_passes_gradients():
    module = built("Reparameterise")
    mean = torch.full((200_000,), 2.0, dtype=torch.float64, requires_grad=True)
    log_var = torch.full_like(mean, math.log(9.0), requires_grad=True)
    z = module(mean, log_var, noise(200_000))
    assert z.mean().item() == pytest.approx(2.0, abs=0.03) and z.std().item() == pytest.approx(3.0, abs=0.03)
    z.sum().backward()
    assert (mean.grad == 1).all() and log_var.grad.abs().max() > 0


@pytest.mark.parametrize(
    ("name", "params", "repair"),
    [
        ("ResidualTimeBlock", {"in_channels": 12, "out_channels": 8, "groups": 3}, {"groups": 4}),
        ("UpBlock", {"in_channels": 6, "skip_channels": 3, "out_channels": 9, "groups": 2}, {"groups": 3}),
        ("SpatialTransformer", {"channels": 64, "num_heads": 7}, {"num_heads": 8}),
        ("ConditionedTransformerBlock", {"dim": 10, "num_heads": 4}, {"num_heads": 5}),
    ],
)
def test_groups_and_heads_that_do_not_fit_are_told(name, params, repair):
    block = catalogue()[name]
    full = {param.name: param.default for param in block.params()} | params
    (conflict,) = block.conflicts(full)
    assert dict(conflict.repair) == repair
    assert not list(block.conflicts(full | repair))
