"""Attention maps beside a fused kernel: softmax(q kᵀ · scale + bias) again, by chunks of rows, never T × T at once.

The kernel never forms its weights, so they are computed anew from what it was given (the block's own `scores`) and
checked: weights times values must be what the kernel gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from blocks.functional import Scores, attend, wide

CHUNK = 1 << 22
"""Numbers of a chunk of weights: 16 MiB."""
CHECKED_ROWS = 64
TINY = 1e-37


@dataclass(frozen=True)
class Maps:
    """The maps of one call.

    Args:
        maps: (heads, query, key), or blocks of it.
        block: how many queries and keys one number stands for.
        entropy: mean over queries in nats, (heads).
        first: mean share on the first key, (heads).
        previous: mean share on the key before the query's own, (heads); NaN between two sequences.
        distance: mean distance of what is looked at, (heads); NaN between two sequences.
    """

    maps: Tensor
    block: tuple[int, int]
    entropy: Tensor
    first: Tensor
    previous: Tensor
    distance: Tensor


def attention_maps(
    scores: Scores,
    *,
    batch: int = 0,
    heads: Sequence[int] | None = None,
    size: int | None = 512,
    reduce: Literal["max", "mean"] = "max",
    itself: bool = True,
) -> Maps:
    """What each head looks at.

    Args:
        scores: what attention multiplies.
        batch: the sample.
        heads: which heads; all of them where None.
        size: the longest side of a map; longer ones are given in blocks. None keeps every query and key.
        reduce: what a block shows, its largest weight or its mean.
        itself: whether queries and keys are one sequence, so that distances mean something.
    """
    chosen = list(range(scores.q.shape[1])) if heads is None else list(heads)
    queries, keys = scores.q.shape[2], scores.k.shape[2]
    itself = itself and queries == keys
    block = (1, 1) if size is None else (max(1, -(-queries // size)), max(1, -(-keys // size)))
    shape = (len(chosen), -(-queries // block[0]), -(-keys // block[1]))
    maps = scores.q.new_zeros(shape, dtype=torch.float32)
    sums = {name: torch.zeros(len(chosen), dtype=torch.float64) for name in ("entropy", "first", "prev", "far")}
    rows = max(1, CHUNK // max(1, len(chosen) * keys))
    rows = max(block[0], rows - rows % block[0])
    key = torch.arange(keys, device=scores.q.device)
    for start in range(0, queries, rows):
        stop = min(queries, start + rows)
        query = torch.arange(start, stop, device=key.device)
        seen = min(keys, -(-stop // block[1]) * block[1]) if scores.causal else keys  # nothing lies in the future
        weights = _weights(scores, batch, chosen, query, seen)
        place = start // block[0]
        pooled = _pool(weights, block, reduce)
        maps[:, place : place + pooled.shape[1], : pooled.shape[2]] = pooled
        sums["entropy"] -= (weights * weights.clamp_min(TINY).log()).sum((1, 2)).cpu()
        sums["first"] += weights[:, :, 0].sum(1).cpu()
        if itself:
            before = query[query > 0]
            at = before - start
            sums["prev"] += weights[:, at, before - 1].sum(1).cpu()
            far = (query.float()[:, None] - key.float()[None, :seen]).abs_()
            sums["far"] += (weights * far).sum((1, 2)).cpu()
    unknown = torch.full_like(sums["prev"], math.nan)
    return Maps(
        maps,
        block,
        sums["entropy"] / queries,
        sums["first"] / queries,
        sums["prev"] / max(1, queries - 1) if itself else unknown,
        sums["far"] / queries if itself else unknown,
    )


def self_check(scores: Scores) -> float:
    """The largest |weights · values − kernel| over up to 64 queries, spread evenly, of every sample and head.

    Where one is NaN and the other is not, they differ without end.
    """
    out = attend(scores)
    queries, heads = scores.q.shape[2], scores.q.shape[1]
    rows = torch.arange(0, queries, max(1, -(-queries // CHECKED_ROWS)), device=out.device)
    group = heads // scores.v.shape[1]
    worst = 0.0
    for batch in range(scores.q.shape[0]):
        weights = _weights(scores, batch, list(range(heads)), rows, scores.k.shape[2])
        values = scores.v[batch].to(weights.dtype).repeat_interleave(group, 0)
        ours, theirs = weights @ values, out[batch][:, rows].to(weights.dtype)
        same = (ours == theirs) | (ours.isnan() & theirs.isnan())
        difference = (ours - theirs).abs().nan_to_num(math.inf).masked_fill(same, 0.0)
        worst = max(worst, float(difference.max()))
    return worst


def _weights(scores: Scores, batch: int, heads: list[int], rows: Tensor, keys: int) -> Tensor:
    """(heads, rows, keys): the weights of some queries on the first keys, in float32 (float64 for float64)."""
    q, k, _, bias, scale, causal = scores
    dtype = wide(q)
    group = q.shape[1] // k.shape[1]
    ours = q[batch, heads][:, rows].to(dtype)
    theirs = k[batch, [head // group for head in heads], :keys].to(dtype)
    logits = (ours @ theirs.transpose(-1, -2)) * scale
    if bias is not None:
        one = bias[batch if bias.shape[0] > 1 else 0]
        logits = logits + (one[heads] if one.shape[0] > 1 else one)[:, rows, :keys].to(dtype)
    if causal:  # as torch aligns it: query i sees keys 0 … i
        plain = int(rows[0]) + 1  # keys that each of these queries sees
        key = torch.arange(plain, keys, device=q.device)
        logits[..., plain:].masked_fill_(key[None] > rows[:, None], -math.inf)
    weights = logits.softmax(-1)
    return weights.nan_to_num(0.0) if bias is not None else weights  # a query that may see nothing gives zeros


def _pool(weights: Tensor, block: tuple[int, int], reduce: str) -> Tensor:
    if block == (1, 1):
        return weights.float()
    heads, rows, keys = weights.shape
    tall, broad = block
    if reduce == "mean":
        return functional.avg_pool2d(
            weights[None].float(), block, ceil_mode=True, count_include_pad=False
        )[0]  # fmt: skip
    padded = functional.pad(weights.float(), (0, -keys % broad, 0, -rows % tall))
    return padded.view(heads, padded.shape[1] // tall, tall, padded.shape[2] // broad, broad).amax((2, 4))
