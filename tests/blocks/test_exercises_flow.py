"""Exercises 9 and 10 of the chapter: gradients of residual chains, and what a diffusion U-Net is made of."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import Tensor, nn

from blocks import catalogue

DIM, DEPTH = 4, 5


def noise(*shape, seed=1):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


class Chain(nn.Module):
    """a ← a + F(a), or a ← F(a), once for each F."""

    def __init__(self, parts: list[nn.Module], residual: bool) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.residual = residual

    def forward(self, a: Tensor) -> Tensor:
        add = catalogue()["Add"]()
        for part in self.parts:
            a = add(a, part(a)) if self.residual else part(a)
        return a


def jacobian(module: nn.Module, x: Tensor) -> Tensor:
    return torch.autograd.functional.jacobian(module, x).reshape(x.numel(), -1)


def linear(seed: int, scale: float) -> nn.Module:
    layer = catalogue()["Linear"](in_features=DIM, out_features=DIM, bias=False).double()
    layer.weight.data.copy_(scale * noise(DIM, DIM, seed=seed))
    return layer


class TestExercise9:
    """∂a(L)/∂a(0) = I + Σ (cross terms)."""

    def test_the_gradient_is_the_identity_and_all_products_of_the_parts(self):
        parts = [linear(seed, 0.3) for seed in range(DEPTH)]
        expected = torch.eye(DIM, dtype=torch.float64)
        for size in range(1, DEPTH + 1):
            for chosen in itertools.combinations(range(DEPTH), size):
                product = torch.eye(DIM, dtype=torch.float64)
                for place in chosen:
                    product = parts[place].weight.detach() @ product
                expected = expected + product
        torch.testing.assert_close(jacobian(Chain(parts, True), noise(DIM)), expected)

    def test_the_same_with_parts_that_bend(self):
        """At a point each part acts through its own Jacobian, and (I + J_L) … (I + J_1) holds there."""
        torch.manual_seed(0)
        parts = [catalogue()["FeedForward"](dim=DIM, hidden=6).double() for _ in range(DEPTH)]
        a = noise(DIM)
        expected, at = torch.eye(DIM, dtype=torch.float64), a
        for part in parts:
            expected = (torch.eye(DIM, dtype=torch.float64) + jacobian(part, at)) @ expected
            at = at + part(at).detach()
        torch.testing.assert_close(jacobian(Chain(parts, True), a), expected)

    @pytest.mark.parametrize("depth", [1, 10, 100])
    def test_with_small_parts_the_identity_is_left_at_any_depth(self, depth):
        parts = [linear(seed, 1e-4) for seed in range(depth)]
        residual, plain = (jacobian(Chain(parts, kind), noise(DIM)) for kind in (True, False))
        assert torch.linalg.matrix_norm(residual - torch.eye(DIM), 2) < 0.1
        assert torch.linalg.matrix_norm(plain, 2) < 1e-3**depth

    def test_a_residual_block_of_pictures_keeps_it_too(self):
        module = catalogue()["ResidualTimeBlock"](in_channels=2, out_channels=2, time_dim=3, groups=1).double()
        for tensor in module.conv2.parameters():
            tensor.data.zero_()
        x, time = noise(1, 2, 3, 3), noise(1, 3, seed=2)
        assert torch.equal(jacobian(lambda x: module(x, time), x), torch.eye(18, dtype=torch.float64))


class TestExercise10:
    """(a) skips carry detail, (b) the time is added in each residual block, (c) the prompt comes by cross-attention."""

    def test_only_the_skip_carries_the_finest_detail(self):
        """A checkerboard is averaged away by the halving; the Up block sees it in the skip alone."""
        up = catalogue()["UpBlock"](in_channels=1, skip_channels=1, out_channels=1, time_dim=2, groups=1).double()
        pool = catalogue()["AvgPool2d"](kernel_size=2)
        plain = noise(1, 1, 4, 4)
        rows, columns = torch.meshgrid(torch.arange(8), torch.arange(8), indexing="ij")
        board = 1.0 - 2.0 * ((rows + columns) % 2)
        smooth = plain.repeat_interleave(2, 2).repeat_interleave(2, 3)
        detailed, time = smooth + board, noise(1, 2)
        assert torch.allclose(pool(detailed), pool(smooth))
        nothing = torch.zeros_like(smooth)
        torch.testing.assert_close(up(pool(detailed), nothing, time), up(pool(smooth), nothing, time))
        assert not torch.allclose(up(pool(detailed), detailed, time), up(pool(smooth), smooth, time))

    def test_the_time_is_a_vector_that_is_added_to_every_pixel(self):
        """In h + W silu(time) + b, what two time steps do to the same picture differs by one vector before the norm."""
        embed = catalogue()["TimestepEmbedding"](dim=8)
        module = catalogue()["ResidualTimeBlock"](in_channels=2, out_channels=4, time_dim=8, groups=1).double()
        seen: list[Tensor] = []
        module.norm2.register_forward_pre_hook(lambda _, given: seen.append(given[0].detach()))
        steps = torch.tensor([10.0, 500.0], dtype=torch.float64)
        x = noise(1, 2, 3, 3).repeat(2, 1, 1, 1)
        module(x, embed(steps))
        early, late = seen[0]
        told = module.time_proj(torch.nn.functional.silu(embed(steps))).detach()
        torch.testing.assert_close(late - early, (told[1] - told[0])[:, None, None].expand(4, 3, 3))
        # the waves themselves: frequencies 1 … 1/10000^(3/4), cosines first
        waves = [math.cos(10.0 * 10000.0 ** (-place / 4)) for place in range(4)]
        assert embed(steps)[0, :4].tolist() == pytest.approx(waves)

    def test_queries_come_from_the_picture_keys_and_values_from_the_text(self):
        """softmax(Q_image K_textᵀ / √d_k) V_text, written out for one head."""
        cross = catalogue()["CrossAttention"](dim=6, context_dim=5, num_heads=1, bias=False).double()
        image, text = noise(1, 7, 6), noise(1, 4, 5, seed=2)
        q, k, v = cross.q_proj(image), cross.k_proj(text), cross.v_proj(text)
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(6), -1)
        assert weights.shape == (1, 7, 4)
        torch.testing.assert_close(cross(image, text), cross.o_proj(weights @ v))
