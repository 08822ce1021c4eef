"""The badge of the attention panel: for every variant of attention, weights times values is what the kernel gives."""

from __future__ import annotations

import pytest
import torch
from cases.attention import CALLS

from graph.probes.attention_maps import attention_maps, self_check

SEEN = [pytest.param(call, id=f"{call.block}-{place}") for place, call in enumerate(CALLS)]


@pytest.mark.parametrize("call", SEEN)
def test_the_maps_are_the_kernels(call):
    with torch.no_grad():
        scores = call.build().scores(*call.tensors())
        assert self_check(scores) < 1e-5
        maps = attention_maps(scores, batch=1, size=None).maps
    sums = maps.sum(-1)
    assert maps.shape == (scores.q.shape[1], scores.q.shape[2], scores.k.shape[2])
    assert torch.all(((sums - 1).abs() < 1e-5) | (sums == 0))
