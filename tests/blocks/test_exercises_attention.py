"""Exercises 8, 11, 12 and 13 of the chapter with their values, as far as blocks alone answer them."""

from __future__ import annotations

import pytest
import torch

from blocks import catalogue
from blocks.rotary import speeds

GIB = 2**30


def attention(**given):
    torch.manual_seed(0)
    return catalogue()["MultiHeadAttention"](dim=24, num_heads=4, **given).double().eval()


def test_8_without_the_mask_the_future_leaks():
    """A position that is to predict its successor would see it; token by token the answers would be others."""
    x = torch.randn(1, 6, 24, dtype=torch.float64, requires_grad=True)
    for causal in (True, False):
        block = attention(causal=causal)
        (gradient,) = torch.autograd.grad(block(x)[0, 2].sum(), x)
        assert (gradient[0, :3].abs() > 0).all()
        assert (gradient[0, 3:] == 0).all() if causal else (gradient[0, 3:].abs() > 0).all()
        with torch.no_grad():
            whole = block(x)
            grown = torch.cat([block(x[:, :length])[:, -1:] for length in range(1, 7)], 1)
        assert torch.allclose(whole, grown) is causal


@pytest.mark.parametrize("size", [16, 64, 256])
def test_11_products_vary_with_the_size_of_heads(size):
    """Var(q · k) = d_k; divided by √d_k it is 1, and softmax keeps a gradient that it would lose."""
    torch.manual_seed(0)
    q, k = torch.randn(2, 1, 1, 2000, size, dtype=torch.float64).unbind(0)
    raw = q @ k.mT
    assert raw.var().item() == pytest.approx(size, rel=0.03)
    scores = catalogue()["ScaledDotProductAttention"]().scores(q, k, k)
    assert scores.scale == size**-0.5
    assert (raw * scores.scale).var().item() == pytest.approx(1, rel=0.03)
    scaled, plain = ((raw * scale)[..., :16].softmax(-1) for scale in (scores.scale, 1.0))
    slope = [(p * (1 - p)).mean().item() for p in (scaled, plain)]  # the diagonal of softmax's derivative
    assert slope[1] < slope[0] * {16: 0.7, 64: 0.4, 256: 0.2}[size]


def matrix(position):
    """What turns a head of four features at a position: the image of each unit vector is a column."""
    units = torch.eye(4, dtype=torch.float64)[None, None]
    block = catalogue()["RotaryPosition"](rope_layout="interleaved", rope_theta=10000.0)
    turned, _ = block(units, units, torch.full((4,), position))
    return turned[0, 0].T


def test_12_rotation_matrices():
    assert speeds(torch.zeros(1, dtype=torch.float64), 4, theta=10000.0).tolist() == [1.0, pytest.approx(0.01)]
    c, s = torch.tensor([3.0, 0.03], dtype=torch.float64).cos(), torch.tensor([3.0, 0.03], dtype=torch.float64).sin()
    expected = torch.tensor(
        [[c[0], -s[0], 0, 0], [s[0], c[0], 0, 0], [0, 0, c[1], -s[1]], [0, 0, s[1], c[1]]], dtype=torch.float64
    )
    assert torch.allclose(matrix(3), expected, atol=1e-15)
    assert torch.allclose(matrix(3).T @ matrix(5), matrix(2), atol=1e-14)
    assert torch.allclose(matrix(3).T @ matrix(3), torch.eye(4, dtype=torch.float64), atol=1e-15)


def cached(name, **given):
    block = catalogue()[name]
    return sum(block.cached_values({param.name: param.default for param in block.params()} | given).values())


def test_13_what_decoding_keeps():
    heads = {"dim": 4096, "num_heads": 32, "head_dim": 128}
    latent = cached("MultiHeadLatentAttention", dim=4096, num_heads=32, kv_rank=512, rope_dim=0)
    every_layer = 32 * 8192 * 2  # layers, tokens, bytes of a number
    assert cached("MultiHeadAttention", **heads) * every_layer == 4 * GIB
    assert cached("MultiHeadAttention", **heads, kv_heads=4) * every_layer == GIB // 2
    assert latent * every_layer == GIB // 4
    llama = {"dim": 8192, "num_heads": 64}
    assert cached("MultiHeadAttention", **llama) * 80 * 4096 == 5_368_709_120
    assert cached("MultiHeadAttention", **llama) * 80 * 4096 * 2 == 10 * GIB
    assert cached("ModernDecoderBlock", **llama, kv_heads=8) * 80 * 4096 * 2 == 1.25 * GIB


def test_13_the_latent_of_deepseek():
    """512 numbers and 64 that carry the order, in place of 2 · 128 heads · 128: a factor of 57."""
    assert cached("MultiHeadLatentAttention", kv_rank=512, rope_dim=64) == 576
    plain = cached("MultiHeadAttention", dim=5120, num_heads=128, head_dim=128)
    assert plain / 576 == pytest.approx(56.9, abs=0.05)
