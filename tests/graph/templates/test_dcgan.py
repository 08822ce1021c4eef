"""DCGAN at 64 × 64: the published counts, and the layers of PyTorch's example in one row on the same weights."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from graph.passes import run_passes
from graph.plan import plan_document
from graph.sizes import default_sizes
from graph.templates import find


@pytest.mark.parametrize(("name", "parameters"), [("dcgan_generator", 3_576_704), ("dcgan_discriminator", 2_765_568)])
def test_published_counts(count, name, parameters):
    assert count(name, "64x64") == parameters
    assert dict(find(name).presets["64x64"]) == {}


def generator(latent: int, width: int, colours: int) -> nn.Sequential:
    """Four stages to 32 × 32 and one to 64 × 64."""
    layers: list[nn.Module] = []
    before = latent
    for factor in (8, 4, 2, 1):
        step = (1, 0) if before == latent else (2, 1)
        layers += [
            nn.ConvTranspose2d(before, factor * width, 4, *step, bias=False),
            nn.BatchNorm2d(factor * width),
            nn.ReLU(),
        ]
        before = factor * width
    return nn.Sequential(*layers, nn.ConvTranspose2d(before, colours, 4, 2, 1, bias=False), nn.Tanh())


def discriminator(width: int, colours: int) -> nn.Sequential:
    """Four stages to 4 × 4 and one to a score."""
    layers: list[nn.Module] = [nn.Conv2d(colours, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2)]
    for factor in (1, 2, 4):
        layers += [
            nn.Conv2d(factor * width, 2 * factor * width, 4, 2, 1, bias=False),
            nn.BatchNorm2d(2 * factor * width),
            nn.LeakyReLU(0.2),
        ]
    return nn.Sequential(*layers, nn.Conv2d(8 * width, 1, 4, 1, 0, bias=False), nn.Sigmoid())


def counted_not(reference: nn.Module) -> dict[str, torch.Tensor]:
    """The weights without the counters of batch norm, which only a momentum of None reads."""
    return {name: tensor for name, tensor in reference.state_dict().items() if "num_batches" not in name}


def names(reference: nn.Sequential, last: str) -> dict[str, str]:
    """Places in the row → nodes: each convolution but the last begins a stage, a norm belongs to the one before."""
    table: dict[str, str] = {}
    stage = 0
    for place, layer in enumerate(reference):
        if isinstance(layer, nn.Conv2d | nn.ConvTranspose2d):
            stage += 1
            table[f"{place}"] = f"stage_{stage}.conv"
        elif isinstance(layer, nn.BatchNorm2d):
            table[f"{place}"] = f"stage_{stage}.norm"
    table[f"{len(reference) - 2}"] = last
    return table


@pytest.mark.parametrize("training", [False, True])
def test_the_generator_equals_its_reference(model_of, shake, adopt, agree, training):
    reference = shake(generator(6, 5, 3)).train(training)
    ours = model_of("dcgan_generator", "64x64", latent=6, channels=5).train(training)
    adopt(ours, counted_not(reference), names(reference, "to_image"))
    noise = torch.randn(3, 6, dtype=torch.float64)
    picture = ours(noise)
    assert picture.shape == (3, 3, 64, 64)
    agree(picture, reference(noise[:, :, None, None]))


@pytest.mark.parametrize("training", [False, True])
def test_the_discriminator_equals_its_reference(model_of, shake, adopt, agree, training):
    reference = shake(discriminator(5, 3)).train(training)
    ours = model_of("dcgan_discriminator", "64x64", channels=5).train(training)
    adopt(ours, counted_not(reference), names(reference, "to_score"))
    pictures = torch.randn(4, 3, 64, 64, dtype=torch.float64)
    agree(ours(pictures), reference(pictures).flatten())


def test_a_larger_picture_is_judged_by_the_mean_of_its_patches(model_of, agree):
    whole = model_of("dcgan_discriminator", "tiny", sigmoid=False)
    pictures = torch.randn(2, 3, 24, 16, dtype=torch.float64)
    seen = whole.to_score(whole.stage_2(whole.stage_1(pictures)))
    assert seen.shape == (2, 1, 3, 1)
    agree(whole(pictures), seen.mean((1, 2, 3)))


def test_the_generator_feeds_the_discriminator(model_of):
    picture = model_of("dcgan_generator", "tiny")(torch.randn(2, 16, dtype=torch.float64))
    probability = model_of("dcgan_discriminator", "tiny")(picture)
    assert probability.shape == (2,) and ((probability > 0) & (probability < 1)).all()


def test_weights_start_with_the_spread_of_the_paper(model_of):
    for name in ("dcgan_generator", "dcgan_discriminator"):
        model = model_of(name, "tiny")
        weights = torch.cat([w.flatten() for w in model.parameters() if w.dim() == 4])
        assert weights.std().item() == pytest.approx(0.02, rel=0.1)


def test_spectral_norm_bounds_every_convolution(model_of):
    model = model_of("dcgan_discriminator", "tiny", spectral=True, sigmoid=False).train()
    assert not any("norm." in name.removeprefix("stage") for name, _ in model.named_parameters())
    pictures = torch.randn(2, 3, 16, 16, dtype=torch.float64)
    for _ in range(60):  # each step of training moves the estimate of the largest singular value on
        model(pictures)
    convolutions = [module for module in model.modules() if hasattr(module, "parametrizations")]
    assert len(convolutions) == 3
    for convolution in convolutions:
        largest = torch.linalg.matrix_norm(convolution.weight.flatten(1), 2)
        assert largest.item() == pytest.approx(1, abs=0.02)


def test_the_sample_is_as_large_as_the_drawing_wants():
    for halvings, side in ((2, 16), (4, 64)):
        plan = run_passes(plan_document(find("dcgan_discriminator").build({"halvings": halvings})))[0]
        assert default_sizes(plan) == {"batch": 1, "height": side, "width": side}
