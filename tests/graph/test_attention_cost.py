"""Exercises 13 and 14 of the chapter on drawings, and memory traffic against algorithms that count what they touch."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

import blocks
from graph import templates
from graph.attention_cost import (
    SRAM,
    Attention,
    SramError,
    attention_costs,
    blocks_of,
    fused_traffic,
    standard_traffic,
)
from graph.commands import SetNode
from graph.document import Document
from graph.estimate import EstimateError, estimate
from graph.parameters import attending_parts
from graph.passes import run_passes
from graph.plan import plan_document
from graph.sizes import default_sizes
from graph.templates.sketch import Sketch

GIB = 2**30


def plan_of(document):
    return run_passes(plan_document(document))[0]


def drawing(block, *, dim=16, repeat=1, inputs=("x",), **params):
    """A drawing in which one block, repeated or not, takes features."""
    document = Document("drawn")
    sketch = Sketch(document)
    for name in inputs:
        sequence = {"context": "source_seq"}.get(name, "seq")
        sketch.add(name, "FeatureInput", dim=dim, axes=f"batch {sequence}")
    if repeat == 1:
        sketch.add("attn", block, *inputs, **params)
        sketch.add("y", "Output", "attn")
        return document
    inside = sketch.group("layers", "Layers", repeat=repeat)
    inside.add("layer_input", "GroupInput", port="x")
    inside.add("attn", block, "layer_input", **params)
    inside.add("layer_output", "GroupOutput", "attn", port="x")
    sketch.wire("x", "layers")
    sketch.add("y", "Output", "layers")
    return document


def costs(document, sizes=None, dtype=torch.float32, sram=SRAM):
    plan = plan_of(document)
    return attention_costs(plan, default_sizes(plan) | (sizes or {}), dtype, sram)


class Memory:
    """Device memory that counts every number that passes."""

    def __init__(self, **arrays):
        self.arrays = arrays
        self.reads = self.writes = 0

    def load(self, name, rows=slice(None)):
        found = self.arrays[name][rows]
        self.reads += found.size
        return found

    def store(self, name, value, rows=slice(None)):
        self.writes += value.size
        self.arrays[name][rows] = value


def three_kernels(memory, scale):
    """Algorithm 0 of arXiv 2205.14135."""
    memory.store("s", memory.load("q") @ memory.load("k").T * scale)
    scores = memory.load("s")
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    memory.store("p", exponentials / exponentials.sum(-1, keepdims=True))
    memory.store("y", memory.load("p") @ memory.load("v"))


def one_kernel(memory, scale, size, sram):
    """Algorithm 3 of the chapter: queries outside, keys inside, what is between them in fast memory."""
    cut = blocks_of(size, sram)
    assert 2 * cut.rows * (size.head_dim + size.value_dim) <= sram
    met = 0
    for i in range(cut.queries):
        rows = slice(i * cut.rows, min((i + 1) * cut.rows, size.queries))
        q = memory.load("q", rows)
        y, most, total = np.zeros((len(q), size.value_dim)), np.full(len(q), -np.inf), np.zeros(len(q))
        for j in range(cut.keys):
            keys = slice(j * cut.rows, min((j + 1) * cut.rows, size.keys))
            scores = q @ memory.load("k", keys).T * scale
            new = np.maximum(most, scores.max(-1))
            shrunk, weights = np.exp(most - new), np.exp(scores - new[:, None])
            y = y * shrunk[:, None] + weights @ memory.load("v", keys)
            total, most = total * shrunk + weights.sum(-1), new
            met += 1
        memory.store("y", y / total[:, None], rows)
    return met


@pytest.mark.parametrize(
    ("queries", "keys", "head_dim", "value_dim", "sram"),
    [(40, 40, 8, 8, 256), (37, 53, 8, 4, 300), (64, 64, 4, 4, 100_000), (5, 9, 3, 6, 18), (128, 16, 16, 16, 1000)],
)
def test_traffic_is_what_the_algorithms_touch(queries, keys, head_dim, value_dim, sram):
    random = np.random.default_rng(0)
    q, k, v = (random.standard_normal(s) for s in ((queries, head_dim), (keys, head_dim), (keys, value_dim)))
    size = Attention(3, 2, queries, keys, head_dim, value_dim)
    room = {"s": np.empty((queries, keys)), "p": np.empty((queries, keys)), "y": np.empty((queries, value_dim))}
    standard, fused = Memory(q=q, k=k, v=v, **room), Memory(q=q, k=k, v=v, y=np.empty((queries, value_dim)))
    three_kernels(standard, head_dim**-0.5)
    met = one_kernel(fused, head_dim**-0.5, size, sram)
    assert np.allclose(standard.arrays["y"], fused.arrays["y"], atol=1e-12)
    assert met == blocks_of(size, sram).pairs
    for memory, traffic in ((standard, standard_traffic(size)), (fused, fused_traffic(size, sram))):
        assert (6 * memory.reads, 6 * memory.writes) == (traffic.reads, traffic.writes)
        assert traffic.total == traffic.reads + traffic.writes


def test_exercise_14():
    """N = 4096, d = 128, M = 100,000."""
    found = costs(drawing("MultiHeadAttention", dim=128, num_heads=1), {"seq": 4096}, sram=100_000)
    (node,) = found["nodes"]
    assert node["scores"] == {"elements": 16_777_216, "bytes": 64 * 2**20}
    assert node["blocks"] == {"rows": 195, "query": 22, "key": 22, "pairs": 484}
    n, d = 4096, 128
    assert node["standard"]["reads"] == 3 * n * d + 2 * n * n == 35_127_296
    assert node["standard"]["writes"] == n * d + 2 * n * n == 34_078_720
    assert node["standard"]["elements"] == 69_206_016
    assert node["fused"]["reads"] == n * d + 22 * 2 * n * d == 23_592_960
    assert node["fused"]["writes"] == n * d == 524_288
    assert node["fused"]["elements"] == 24_117_248
    assert node["standard"]["elements"] / node["fused"]["elements"] == pytest.approx(2.87, abs=0.005)
    assert node["statistics"] == {"elements": 4096, "bytes": 4 * 4096}
    # Θ(N² d² / M): 8 N² d² / M and what is read and written once, but for the rounding of the last block
    assert node["fused"]["elements"] == pytest.approx(8 * n**2 * d**2 / 1e5 + 2 * n * d, rel=0.05)
    assert found["total"]["fused"] == node["fused"]


def test_the_matrix_of_a_long_text():
    """N = 8192 in 32 bits: 256 MiB for each head of each layer."""
    found = costs(drawing("MultiHeadAttention", dim=256, num_heads=2, repeat=3), {"seq": 8192})
    (node,) = found["nodes"]
    assert node["scores"]["bytes"] == 2 * 256 * 2**20
    assert found["total"]["scores"]["bytes"] == 3 * 2 * 256 * 2**20


def test_traffic_grows_as_the_proposition_says():
    small, large = (fused_traffic(Attention(1, 1, n, n, 64, 64), 10_000).total for n in (8192, 16384))
    assert large / small == pytest.approx(4, rel=0.01)
    tight, wide = (fused_traffic(Attention(1, 1, 8192, 8192, 64, 64), m).total for m in (4096, 8192))
    assert tight / wide == pytest.approx(2, rel=0.02)
    everything = Attention(1, 1, 512, 512, 64, 64)
    assert fused_traffic(everything, 4 * 512 * 64).total == 4 * 512 * 64  # as much as reading and writing once


CHAPTER = {"dim": 4096, "layers": 32, "num_heads": 32, "hidden": 64, "vocab": 64, "context": 8192}


@pytest.mark.parametrize(("kv_heads", "expected"), [(32, 4 * GIB), (4, GIB // 2), (1, GIB // 8)])
def test_exercise_13(kv_heads, expected):
    document = templates.find("llama").build({**CHAPTER, "kv_heads": kv_heads})
    found = costs(document, {"seq": 8192}, torch.float16)
    assert found["total"]["kv_cache"]["bytes"] == expected
    (node,) = found["nodes"]
    assert (node["address"], node["rounds"], found["calls"]) == ("decoder/attn", 32, 32)
    assert node["kv_cache"]["bytes"] * 32 == expected


def test_exercise_13_with_a_latent():
    latent = {"num_heads": 32, "head_dim": 128, "kv_rank": 512, "rope_dim": 0}
    document = drawing("MultiHeadLatentAttention", dim=4096, repeat=32, **latent)
    found = costs(document, {"seq": 8192}, torch.float16)
    assert found["total"]["kv_cache"] == {"elements": 32 * 8192 * 512, "bytes": GIB // 4}


@pytest.mark.parametrize(("kv_heads", "gib"), [(64, 10), (8, 1.25)])
def test_the_cache_of_seventy_billion(kv_heads, gib):
    template = templates.find("llama")
    plan = plan_of(template.build({**template.presets["70b"], "kv_heads": kv_heads}))
    found = attention_costs(plan, {"batch": 1, "seq": 4096}, torch.float16)["total"]["kv_cache"]
    assert found["elements"] == 5_368_709_120 * kv_heads // 64
    assert found["bytes"] == gib * GIB
    started = time.perf_counter()
    attention_costs(plan, {"batch": 2, "seq": 2048}, torch.float16)
    assert time.perf_counter() - started < 1


def test_a_window_bounds_the_cache_and_a_batch_multiplies_all():
    document = drawing("MultiHeadAttention", dim=64, num_heads=4, kv_heads=2, causal=True, window=100)
    whole = costs(document, {"seq": 1000, "batch": 1})["nodes"][0]
    assert whole["kv_cache"]["elements"] == 2 * 2 * 16 * 100
    assert costs(document, {"seq": 60, "batch": 1})["nodes"][0]["kv_cache"]["elements"] == 2 * 2 * 16 * 60
    twice = costs(document, {"seq": 1000, "batch": 2})["nodes"][0]
    for what in ("scores", "statistics", "standard", "fused", "kv_cache"):
        assert twice[what]["bytes"] == 2 * whole[what]["bytes"] > 0
    assert whole["scores"]["elements"] == 4 * 1000 * 1000


def test_a_decoder_keeps_its_own_tokens_and_those_of_its_source():
    nodes = costs(drawing("DecoderBlock", inputs=("x", "context"), num_heads=2), {"seq": 24, "source_seq": 10})["nodes"]
    assert [node["kv_cache"]["elements"] for node in nodes] == [2 * 16 * 24 + 2 * 16 * 10, 0]


@pytest.mark.parametrize(
    ("block", "inputs", "expected"),
    [
        ("MultiHeadAttention", ("x",), [("", 2, 24, 24, 8, 8)]),
        ("CrossAttention", ("x", "context"), [("", 2, 24, 10, 8, 8)]),
        ("EncoderBlock", ("x",), [("attn", 2, 24, 24, 8, 8)]),
        ("ModernDecoderBlock", ("x",), [("attn", 2, 24, 24, 8, 8)]),
        ("ParallelBlock", ("x",), [("attn", 2, 24, 24, 8, 8)]),
        ("DecoderBlock", ("x", "context"), [("attn", 2, 24, 24, 8, 8), ("cross", 2, 24, 10, 8, 8)]),
        ("AttentionPooling", ("x",), [("", 2, 1, 24, 8, 8)]),
    ],
)
def test_every_block_that_attends_is_found(block, inputs, expected):
    given = {"seq": 24} | ({"source_seq": 10} if "context" in inputs else {})
    found = costs(drawing(block, inputs=inputs, num_heads=2), given)
    got = [(n["part"], n["heads"], n["query"], n["key"], n["head_dim"], n["value_dim"]) for n in found["nodes"]]
    assert got == expected
    assert found["calls"] == len(expected)
    for node in found["nodes"]:
        assert node["scores"]["elements"] == node["batch"] * node["heads"] * node["query"] * node["key"]


def test_whatever_gives_scores_is_known_to_attend():
    for name, block in blocks.catalogue().items():
        if block.role == "module":
            defaults = {param.name: param.default for param in block.params()}
            parts = attending_parts(block, defaults)
            assert parts if hasattr(block, "scores") else "" not in parts, name
    assert attending_parts(blocks.find("Linear"), {}) == {}


def test_the_kernel_keeps_one_number_for_each_row():
    q = torch.randn(2, 3, 40, 8)
    for dtype in (torch.float32, torch.float64):
        result = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*(q.to(dtype),) * 3)
        statistics = costs(drawing("MultiHeadAttention", dim=24, num_heads=3), {"seq": 40, "batch": 2}, dtype)
        node = statistics["nodes"][0]["statistics"]
        assert node["elements"] == result[1].numel() == Attention(2, 3, 40, 40, 8, 8).statistics
        assert node["bytes"] >= result[1].numel() * 4


def test_rounds_of_different_sizes_are_told_apart():
    document = drawing("MultiHeadAttention", dim=64, repeat=4, num_heads="=2**(1+layer%2)")
    found = costs(document, {"seq": 10})
    assert [(node["heads"], node["rounds"]) for node in found["nodes"]] == [(2, 2), (4, 2)]
    assert found["total"]["scores"]["elements"] == (2 * 2 + 2 * 4) * 100


def test_rounds_that_share_weights_attend_as_often(tiny):
    document = tiny("llama", layers=7)
    document.apply(SetNode((), "decoder", "shared", True))
    assert costs(document)["nodes"][0]["rounds"] == 7


def test_a_drawing_without_attention_has_none(tiny):
    found = costs(tiny("unet"))
    assert found["nodes"] == [] and found["calls"] == 0 and not any(found["total"]["fused"].values())


def test_a_fast_memory_that_holds_no_row_is_refused(tiny):
    with pytest.raises(SramError, match="A fast memory of 100 numbers holds no row of q, k, v and y: 512 are needed"):
        blocks_of(Attention(1, 1, 8, 8, 128, 128), 100)
    with pytest.raises(EstimateError, match="holds no row"):
        estimate(plan_of(tiny("gpt")), sram=1)


def test_the_estimate_carries_it(tiny):
    plan = plan_of(tiny("gpt", layers=7))
    found = estimate(plan, {"seq": 32}, dtype="bfloat16", sram=4096)
    assert found.as_data()["attention"] == attention_costs(plan, dict(found.sizes), torch.bfloat16, 4096)
    assert found.attention["total"]["kv_cache"]["bytes"] == found.memory["kv_cache"]
    assert found.attention["nodes"][0]["scores"]["bytes"] == 2 * 4 * 32 * 32
