"""The convolutional VAE: against layers of torch on the same weights, and both losses against their definitions."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
from torch.nn import functional

from graph.sizes import default_sizes

LATENT, WIDTH = 5, 3


class Reference(nn.Module):
    """Three halvings from 32 × 32, and back."""

    def __init__(self) -> None:
        super().__init__()
        sizes = [3, WIDTH, 2 * WIDTH, 4 * WIDTH]
        self.down = nn.Sequential(*(part for pair in zip(sizes, sizes[1:], strict=False) for part in _half(*pair)))
        self.mean = nn.Linear(4 * WIDTH * 16, LATENT)
        self.log_variance = nn.Linear(4 * WIDTH * 16, LATENT)
        self.unfold = nn.Linear(LATENT, 4 * WIDTH * 16)
        back = [4 * WIDTH, 2 * WIDTH, WIDTH]
        self.up = nn.Sequential(*(part for pair in zip(back, back[1:], strict=False) for part in _double(*pair)))
        self.to_image = nn.ConvTranspose2d(WIDTH, 3, 4, 2, 1)

    def forward(self, x, noise):
        features = self.down(x).flatten(1)
        mean, log_variance = self.mean(features), self.log_variance(features)
        code = mean + noise * torch.exp(0.5 * log_variance)
        return self.to_image(self.up(self.unfold(code).view(-1, 4 * WIDTH, 4, 4))), mean, log_variance


def _half(before, after):
    return nn.Conv2d(before, after, 4, 2, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()


def _double(before, after):
    return nn.ConvTranspose2d(before, after, 4, 2, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()


NAMES = {
    **{f"down.{3 * n}": f"encoder.stage_{n + 1}.conv" for n in range(3)},
    **{f"down.{3 * n + 1}": f"encoder.stage_{n + 1}.norm" for n in range(3)},
    **{f"up.{3 * n}": f"decoder.stage_{n + 1}.conv" for n in range(2)},
    **{f"up.{3 * n + 1}": f"decoder.stage_{n + 1}.norm" for n in range(2)},
    "mean": "encoder.mean",
    "log_variance": "encoder.log_variance",
    "unfold": "decoder.unfold",
    "to_image": "decoder.to_image",
}


@pytest.mark.parametrize("training", [False, True])
def test_it_equals_its_reference(model_of, shake, adopt, agree, training):
    reference = shake(Reference()).train(training)
    ours = model_of("vae", "64x64", latent=LATENT, channels=WIDTH, halvings=3, beta=0.25).train(training)
    state = {name: tensor for name, tensor in reference.state_dict().items() if "num_batches" not in name}
    adopt(ours, state, NAMES)
    x = torch.rand(4, 3, 32, 32, dtype=torch.float64)
    noise = torch.randn(4, LATENT, dtype=torch.float64)
    logits, mean, log_variance = reference(x, noise)
    lost = functional.binary_cross_entropy(logits.sigmoid(), x, reduction="sum") / 4
    given = Normal(mean, torch.exp(0.5 * log_variance))
    divergence = kl_divergence(given, Normal(torch.zeros_like(mean), torch.ones_like(mean))).sum() / 4
    wanted = (logits.sigmoid(), mean, log_variance, lost + 0.25 * divergence, lost, divergence)
    for found, other in zip(ours(x, noise), wanted, strict=True):
        agree(found, other)


def test_the_same_noise_gives_the_same_picture_and_none_that_of_the_mean(model_of):
    model = model_of("vae")
    x = torch.rand(2, 3, 16, 16, dtype=torch.float64)
    noise = torch.randn(2, 16, dtype=torch.float64)
    picture, mean, *_ = model(x, noise)
    assert torch.equal(picture, model(x, noise)[0])
    assert not torch.equal(picture, model(x, -noise)[0])
    assert torch.equal(model(x, 0 * noise)[0], model.sigmoid(model.decoder(z=mean)))


def test_every_weight_learns_from_the_loss(model_of):
    model = model_of("vae").train()
    x = torch.rand(2, 3, 16, 16, dtype=torch.float64)
    loss = model(x, torch.randn(2, 16, dtype=torch.float64))[3]
    loss.backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_pictures_have_the_size_that_was_drawn(planned):
    plan = planned("vae", "64x64", {})
    assert default_sizes(plan) == {"batch": 1}
    assert plan.entries[0].signal.shape[1:] == (3, 64, 64)
