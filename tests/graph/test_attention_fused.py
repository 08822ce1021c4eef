"""Attention never builds its scores: what torch's kernels cannot take as it is comes to them in another form."""

from __future__ import annotations

import pytest
import torch
from cases.attention import CALLS
from torch.nn import functional

from blocks import catalogue
from blocks.functional import Scores, attend, for_every_head
from graph.probes.kernels import KernelProbe

EVERY = [pytest.param(call, id=f"{call.block}-{place}") for place, call in enumerate(CALLS)]


def kernel_of(block, arguments) -> str:
    probe = KernelProbe()
    probe.start()
    try:
        block(*arguments)
    finally:
        kernel = probe.stop()
    return kernel


@pytest.mark.parametrize("call", EVERY)
def test_every_choice_is_fused_here(call):
    with torch.no_grad():
        assert kernel_of(call.build(), call.tensors()) == "flash"


@pytest.mark.parametrize(("heads", "kv_heads"), ((6, 6), (6, 2), (6, 1)))
def test_keys_that_are_repeated_are_those_that_heads_share(heads, kv_heads):
    generator = torch.Generator().manual_seed(0)
    q, k, v = (
        torch.randn(2, n, length, 8, generator=generator, dtype=torch.float64)
        for n, length in ((heads, 5), (kv_heads, 7), (kv_heads, 7))
    )
    whole = functional.scaled_dot_product_attention(q, for_every_head(k, heads), for_every_head(v, heads))
    shared = functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    torch.testing.assert_close(whole, shared, rtol=0, atol=1e-12)


@pytest.mark.parametrize("value_dim", (3, 5, 9))
def test_features_that_are_added_change_nothing(value_dim):
    q, k, v = (torch.randn(2, 3, 6, size, dtype=torch.float64) for size in (5, 5, value_dim))
    found = attend(Scores(q, k, v, None, 0.4, False))
    torch.testing.assert_close(found, (q @ k.mT * 0.4).softmax(-1) @ v, rtol=0, atol=1e-12)


HEADS = {"dim": 96, "num_heads": 6}
ON_A_GPU = [
    ("MultiHeadAttention", HEADS | {"causal": causal, "kv_heads": kv_heads} | given)
    for given in ({}, {"window": 20}, {"alibi": True}, {"sink": True}, {"rope": True, "gate": "head"})
    for causal in (False, True)
    for kv_heads in (6, 2)
]
ON_A_GPU += [("MultiHeadLatentAttention", HEADS | {"head_dim": 16, "rope_dim": 8}), ("EncoderBlock", HEADS)]
ON_A_GPU += [
    ("MultiHeadAttention", {"dim": 96, "num_heads": 6, "head_dim": 11, "sink": sink}) for sink in (False, True)
]


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", (torch.float32, torch.bfloat16))
@pytest.mark.parametrize(("name", "params"), ON_A_GPU)
def test_every_choice_is_fused_on_a_gpu(name, params, dtype):
    torch.manual_seed(0)
    block, x = catalogue()[name](**params).eval(), torch.randn(2, 70, 96)
    with torch.no_grad():
        wanted = block(x)
        block, x = block.to("cuda", dtype), x.to("cuda", dtype)
        assert kernel_of(block, [x]) in ("flash", "efficient", "cudnn")
        tolerance = 1e-2 if dtype == torch.float32 else 0.1
        torch.testing.assert_close(block(x).float().cpu(), wanted, rtol=tolerance, atol=tolerance)
