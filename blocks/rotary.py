"""Rotary position embedding: pairs of features turn by their position; the code exporter copies what a model uses."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from blocks.functional import wide

YARN_TURNS = (32, 1)
"""Turns within the context of training at which YaRN leaves a pair its speed, and at which it slows it in full."""


def speeds(
    x: Tensor, dim: int, *, theta: float, scaling: str = "none", factor: float = 1.0, context: int = 1
) -> Tensor:
    """How far each pair of `dim` features turns from one position to the next: theta^(-2i / dim), (dim / 2).

    Where texts are to be `factor` times as long as the `context` of training, `linear` slows every pair (Chen et al.
    2023, arXiv 2306.15595); `ntk` raises theta, so that the slowest pair is slowed in full and the fastest not at all;
    `yarn` slows a pair by how seldom it turns within the context (Peng et al. 2023, arXiv 2309.00071).
    """
    every_other = torch.arange(0, dim, 2, device=x.device, dtype=wide(x))
    if scaling == "ntk":
        theta = theta * factor ** (dim / (dim - 2))
    return slowed(1.0 / theta ** (every_other / dim), dim, theta, scaling, factor, context)


def slowed(speed: Tensor, dim: int, theta: float, scaling: str, factor: float, context: int) -> Tensor:
    """The speeds that linear scaling or YaRN make of others."""
    if scaling == "linear":
        return speed / factor
    if scaling == "yarn":
        fast, slow = (dim * math.log(context / (turns * 2 * math.pi)) / (2 * math.log(theta)) for turns in YARN_TURNS)
        first, last = max(math.floor(fast), 0), min(math.ceil(slow), dim - 1)
        pair = torch.arange(dim // 2, device=speed.device, dtype=speed.dtype)
        share = ((pair - first) / max(last - first, 0.001)).clamp(0, 1)
        return speed / factor * share + speed * (1 - share)
    return speed


def yarn_strength(factor: float, growth: float = 1.0) -> float:
    """How much YaRN strengthens queries and keys: over a longer context the weights would spread too thin."""
    return 0.1 * growth * math.log(factor) + 1.0


def turn(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool) -> Tensor:
    """Turn feature pairs of x, (..., dim), by angles of which cosines and sines are given, (..., dim / 2).

    A pair is (i, i + dim / 2), or (2i, 2i + 1) when interleaved.
    """
    if interleaved:
        a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


def rotate(
    x: Tensor,
    *others: Tensor,
    theta: float,
    interleaved: bool,
    positions: Tensor | None = None,
    dim: int | None = None,
    scaling: str = "none",
    factor: float = 1.0,
    context: int = 1,
    strength: float | None = None,
) -> tuple[Tensor, ...]:
    """Rotary position embedding of tensors (batch, heads, seq, head_dim) that have one length.

    Feature pairs turn by position · speed; the position is `positions`, (batch, seq) or (seq), or 0, 1, 2 … Of each
    head the first `dim` features turn, all of them when it is None. `strength` multiplies what has turned. Su et al.
    2021, arXiv 2104.09864.
    """
    length, head_dim = x.shape[-2:]
    speed = speeds(x, dim or head_dim, theta=theta, scaling=scaling, factor=factor, context=context)
    if positions is None:
        position = torch.arange(length, device=x.device, dtype=wide(x))
        angle = position.unsqueeze(-1) * speed
    else:
        angle = positions.to(wide(x)).unsqueeze(-1) * speed
        if positions.dim() == 2:  # one row for each sample: all heads turn alike
            angle = angle.unsqueeze(1)
    cos, sin = angle.cos(), angle.sin()
    if strength is not None:
        cos, sin = cos * strength, sin * strength
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    turned = [
        turn(tensor, cos, sin, interleaved)
        if dim is None
        else torch.cat((turn(tensor[..., :dim], cos, sin, interleaved), tensor[..., dim:]), -1)
        for tensor in (x, *others)
    ]
    return tuple(turned)


def rotate_axial(x: Tensor, *others: Tensor, theta: float, interleaved: bool) -> tuple[Tensor, ...]:
    """Rotary position embedding of tensors (batch, heads, height, width, head_dim) along rows and columns.

    The first half of the pairs turns by the row, the second by the column, each at the speeds of half as many features.
    """
    height, width, head_dim = x.shape[-3:]
    speed = speeds(x, head_dim // 2, theta=theta)
    row = torch.arange(height, device=x.device, dtype=wide(x))[:, None, None] * speed
    column = torch.arange(width, device=x.device, dtype=wide(x))[:, None] * speed
    angle = torch.cat((row.expand(-1, width, -1), column.expand(height, -1, -1)), -1)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    turned = [turn(tensor, cos, sin, interleaved) for tensor in (x, *others)]
    return tuple(turned)
