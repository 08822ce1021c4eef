"""Attention: what the maps see is what the kernel does, and what does not fit is said in words."""

from __future__ import annotations

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from blocks import catalogue
from blocks.dimensions import named
from blocks.functional import attend, weigh
from blocks.remainders import Remainders
from blocks.shapes import Needs, ShapeClash

ATTENTION = ("MultiHeadAttention", "MultiHeadLatentAttention", "CrossAttention", "ScaledDotProductAttention")
B, S = named("batch"), named("seq")


def attend_by_hand(scores):
    """softmax(q kᵀ · scale + bias) v with each key head repeated for the heads that share it."""
    shared = scores.q.shape[1] // scores.k.shape[1]
    k, v = (x.repeat_interleave(shared, 1) for x in (scores.k, scores.v))
    weights = scores.q @ k.mT * scores.scale
    if scores.bias is not None:
        weights = weights + scores.bias
    if scores.causal:
        hidden = torch.ones(weights.shape[-2:], dtype=torch.bool).triu(1)
        weights = weights.masked_fill(hidden, -torch.inf)
    return weights.softmax(-1).nan_to_num(0.0) @ v


def finished(module, heads, x):
    """What a block makes of what its heads found: cut back, gated, merged."""
    if width := getattr(module, "value_dim", None) or getattr(module, "head_dim", None):
        heads = heads[..., :width]
    if getattr(module, "gate_proj", None) is not None:
        batch, count, seq, _ = heads.shape
        gate = module.gate_proj(x).sigmoid().view(batch, seq, count, -1).transpose(1, 2)
        heads = heads * gate
    return module.o_proj(heads.transpose(1, 2).flatten(-2)) if hasattr(module, "o_proj") else heads


def test_scores_give_the_output(call):
    """What the maps are made of, multiplied by hand, is what the kernel gave: of every variant."""
    module = call.build()
    arguments = call.tensors()
    with torch.no_grad():
        scores = module.scores(*arguments)
        heads = attend_by_hand(scores)
        assert (heads - attend(scores)).abs().max() < 1e-5
        assert (finished(module, heads, arguments[0]) - module(*arguments)).abs().max() < 1e-5
    batch, seq = arguments[0].shape[0], scores.q.shape[2]
    assert scores.bias is None or scores.bias.shape[-2:] == (seq, scores.k.shape[2])
    assert scores.bias is None or (scores.bias.dim() == 4 and not scores.causal)
    assert scores.q.shape[0] == scores.k.shape[0] == scores.v.shape[0] == batch
    assert isinstance(scores.scale, float)


test_scores_give_the_output.only = ATTENTION


def test_the_kernel_is_fused(call):
    assert_fused(call.build(), call.tensors())


test_the_kernel_is_fused.only = ATTENTION[:3]


def test_the_raw_kernel_is_fused(make_call):
    shapes = {"q": "batch 6 seq 8", "k": "batch 2 source_seq 8", "v": "batch 2 source_seq 8", "mask": "seq 1"}
    call = make_call("ScaledDotProductAttention", shapes)
    assert_fused(call.build(), call.tensors())


def assert_fused(module, arguments):
    with torch.no_grad():
        module(*arguments)
        with profile(activities=[ProfilerActivity.CPU]) as seen:
            module(*arguments)
    names = {event.key for event in seen.key_averages()}
    assert "aten::_scaled_dot_product_flash_attention_for_cpu" in names
    assert not any("softmax" in name for name in names)


def test_a_query_that_may_see_nothing_gives_zeros(make_call):
    call = make_call("ScaledDotProductAttention", dict.fromkeys("qkv", "batch 2 seq 4") | {"mask": "seq 1"})
    module = call.build()
    q, k, v, *_ = call.tensors()
    mask = torch.ones(7, 1, dtype=torch.bool)
    mask[3] = False
    y = module(q, k, v, mask)
    assert (y[:, :, 3] == 0).all()
    assert torch.allclose(y[:, :, 4], module(q, k, v)[:, :, 4], atol=1e-6)


def test_a_mask_hides_what_it_hides(make_call):
    shapes = {"x": "batch seq 24", "mask": "batch 1 1 seq"}
    call = make_call("MultiHeadAttention", shapes, {"dim": 24, "num_heads": 4})
    module, (x, *_) = call.build(), call.tensors()
    mask = torch.ones(3, 1, 1, 7, dtype=torch.bool)
    mask[..., 5:] = False
    other = x.clone()
    other[:, 5:] += 1
    assert torch.allclose(module(x, mask)[:, :5], module(other, mask)[:, :5], atol=1e-6)
    assert torch.allclose(module(x, mask)[:, :5], module(x[:, :5])[:, :5], atol=1e-5)


def test_causal_looks_back_only(make_call):
    call = make_call("MultiHeadAttention", {"x": "batch seq 24"}, {"dim": 24, "num_heads": 4, "causal": True})
    module, (x, *_) = call.build(), call.tensors()
    other = x.clone()
    other[:, 4:] += 1
    assert torch.allclose(module(x)[:, :4], module(other)[:, :4], atol=1e-6)
    assert not torch.allclose(module(x)[:, 4:], module(other)[:, 4:], atol=1e-3)


def test_state_dict_names():
    module = catalogue()["MultiHeadAttention"](dim=24, num_heads=6, kv_heads=2, bias=False)
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    assert shapes == {
        "q_proj.weight": (24, 24),
        "k_proj.weight": (8, 24),
        "v_proj.weight": (8, 24),
        "o_proj.weight": (24, 24),
    }


def test_cached_values_are_a_key_and_a_value():
    for name, looked_at in (("MultiHeadAttention", "x"), ("CrossAttention", "context")):
        block = catalogue()[name]
        for given in ({}, {"kv_heads": 2}, {"kv_heads": 1, "head_dim": 10}):
            params = {param.name: param.default for param in block.params()} | given
            module = block(**params)
            kept = module.k_proj.out_features + module.v_proj.out_features
            assert block.cached_values(params) == {looked_at: kept}
    block = catalogue()["MultiHeadLatentAttention"]
    params = {param.name: param.default for param in block.params()} | {"kv_rank": 12, "rope_dim": 6}
    assert block.cached_values(params) == {"x": block(**params).kv_down.out_features} == {"x": 18}
    assert catalogue()["Linear"].cached_values({}) == {}


@pytest.mark.parametrize(
    "given, param, found, repair",
    [
        ({"dim": 100, "num_heads": 12}, "num_heads", "12 heads do not divide 100 features", {"num_heads": 10}),
        ({"num_heads": 8, "kv_heads": 6}, "kv_heads", "6 key heads do not divide 8 heads", {"kv_heads": 8}),
        ({"dim": 15, "num_heads": 5, "rope": True}, "head_dim", "each head has 3 features", {"head_dim": 4}),
        ({"head_dim": 7, "rope": True}, "head_dim", "each head has 7 features", {"head_dim": 8}),
        (
            {"head_dim": 7, "rope": True, "rope_dim": 8},
            "rope_dim",
            "8 features are to turn, but each head has 7",
            {"rope_dim": 6},
        ),
        ({"rope": True, "rope_dim": 5}, "rope_dim", "5 features are to turn", {"rope_dim": 4}),
        (
            {"rope": True, "rope_dim": 2, "rope_scaling": "ntk"},
            "rope_scaling",
            "2 features turn",
            {"rope_scaling": "linear"},
        ),
        (
            {"rope": True, "rope_theta": 1.0, "rope_scaling": "yarn"},
            "rope_theta",
            "all pairs turn at one speed",
            {"rope_theta": 10000.0},
        ),
        ({"rope": True, "alibi": True}, "alibi", "both RoPE and ALiBi are on", {"alibi": False}),
    ],
)
def test_heads_that_do_not_fit(given, param, found, repair):
    refused("MultiHeadAttention", given, param, found, repair)


@pytest.mark.parametrize(
    "given, param, found, repair",
    [
        ({"rope_dim": 5}, "rope_dim", "5 features carry the order", {"rope_dim": 6}),
        ({"rope_dim": 2, "rope_scaling": "ntk"}, "rope_scaling", "2 features turn", {"rope_scaling": "linear"}),
    ],
)
def test_latents_that_do_not_fit(given, param, found, repair):
    refused("MultiHeadLatentAttention", given, param, found, repair)


def refused(name, given, param, found, repair):
    block = catalogue()[name]
    params = {param.name: param.default for param in block.params()} | given
    (conflict,) = block.conflicts(params)
    assert (conflict.param, conflict.found, conflict.repair) == (param, found, repair)
    assert not list(block.conflicts(params | conflict.repair))
    x = torch.zeros(1, 3, params["dim"])
    block(**params | conflict.repair)(x)


def infer(name, shapes, **given):
    block = catalogue()[name]
    params = {param.name: param.default for param in block.params()} | given
    return block.infer(shapes, params, Needs())


def test_clashes_of_masks_and_biases():
    x = {"x": (B, S, 24)}
    with pytest.raises(ShapeClash, match=r"^input mask: found batch × seq \(2 axes\); it must stretch to "):
        infer("MultiHeadAttention", x | {"mask": (B, S)}, dim=24, num_heads=4)
    with pytest.raises(ShapeClash, match=r"batch × heads × query × key, here batch × 4 × seq × seq"):
        infer("MultiHeadAttention", x | {"score_bias": (3, S, S)}, dim=24, num_heads=4)
    with pytest.raises(ShapeClash, match=r"5 axes"):
        infer("MultiHeadAttention", x | {"score_bias": (1, 1, 1, S, S)}, dim=24, num_heads=4)
    assert infer("MultiHeadAttention", x | {"mask": (S,)}, dim=24, num_heads=4) == {"y": (B, S, 24)}


def test_clashes_of_queries_and_keys():
    name = "ScaledDotProductAttention"
    q, k = (B, 6, S, 8), (B, 4, S, 8)
    with pytest.raises(ShapeClash, match="found 4 heads; that must divide the 6 heads of input q") as clash:
        infer(name, {"q": q, "k": k, "v": k})
    assert clash.value.peers == ("q",)
    with pytest.raises(ShapeClash, match="head_dim = 9; input q has head_dim = 8"):
        infer(name, {"q": q, "k": (B, 6, S, 9), "v": (B, 6, S, 9)})
    long = (B, 6, named("source_seq"), 8)
    assert infer(name, {"q": q, "k": long, "v": long}) == {"y": q}
    with pytest.raises(ShapeClash, match="found source_seq positions; input q has seq, and causal attention"):
        infer(name, {"q": q, "k": long, "v": long}, causal=True)
    free = (B, named("heads"), S, 8)
    assert infer(name, {"q": free, "k": free, "v": free}) == {"y": free}
    with pytest.raises(ShapeClash, match="found heads heads"):
        infer(name, {"q": q, "k": free, "v": free})


def test_needs_of_free_heads_travel_back():
    need = Needs()
    heads = named("width") * 2
    block = catalogue()["ScaledDotProductAttention"]
    params = {param.name: param.default for param in block.params()}
    shapes = {"q": (B, heads, S, 8), "k": (B, 4, S, 8), "v": (B, 4, S, 8)}
    with pytest.raises(ShapeClash, match="the 4 of k must divide them"):
        block.infer(shapes | {"q": (B, named("width") * 2 + 1, S, 8)}, params, Needs())
    block.infer(shapes | {"q": (B, named("width") // 2 * 2, S, 8)}, params, need)
    assert need.remainders == {"width": Remainders(4, (0, 1))}, "half of it, rounded down, is even"


def test_weigh_leaves_plain_attention_to_the_kernel():
    q, k, v = torch.randn(3, 2, 4, 5, 6).unbind(0)
    for causal in (False, True):
        scores = weigh(q, k, v, None, None, causal=causal)
        assert scores.bias is None and scores.causal is causal
    scores = weigh(q, k, v, None, torch.zeros(5), causal=True)
    assert scores.bias is not None and scores.causal is False
