"""What panels and estimates make of attention with windows, sinks, positions and whole layers."""

from __future__ import annotations

import math

import pytest

from graph.commands import AddNode, Connect
from graph.document import Document, Node, Wire
from graph.estimate import estimate
from graph.passes import run_passes
from graph.plan import Plan, plan_document
from graph.running import Workbench
from graph.samples import make_inputs


def planned(block: str, **params) -> Plan:
    document = Document("attention")
    for node in (
        Node("tokens", "TokenInput", {"vocab": 19}),
        Node("embedding", "Embedding", {"vocab": 19, "dim": 24}),
        Node("attn", block, {"num_heads": 4} | params),
        Node("y", "Output"),
    ):
        AddNode((), node).apply(document)
    for wire in (("tokens", "tokens", "embedding", "tokens"), ("embedding", "y", "attn", "x"), ("attn", "y", "y", "x")):
        Connect((), Wire(*wire)).apply(document)
    return run_passes(plan_document(document))[0]


@pytest.mark.parametrize(
    "block, params, kept",
    [
        ("MultiHeadAttention", {"causal": True}, 2 * 24 * 50),
        ("MultiHeadAttention", {"causal": True, "window": 8}, 2 * 24 * 8),
        ("MultiHeadAttention", {"causal": True, "window": 80, "kv_heads": 1}, 2 * 6 * 50),
        ("MultiHeadLatentAttention", {"kv_rank": 10, "rope_dim": 4}, 14 * 50),
        ("ModernDecoderBlock", {"kv_heads": 2}, 2 * 12 * 50),
        ("EncoderBlock", {}, 0),
    ],
)
def test_what_decoding_keeps(block, params, kept):
    assert estimate(planned(block, **params), {"batch": 3, "seq": 50}).memory["kv_cache"] == 3 * kept * 4


def looked_at(plan: Plan) -> dict:
    bench = Workbench("cpu")
    bench.prepare(plan, seed=0)
    bench.run(make_inputs(plan, {"seq": 9}))
    return bench.attention("attn", size=None)


@pytest.mark.parametrize("block", ["MultiHeadAttention", "ModernDecoderBlock", "EncoderBlock", "ParallelBlock"])
def test_layers_show_their_maps(block):
    seen = looked_at(planned(block))
    assert seen["maps"].shape == (1, 4, 9, 9) and seen["self_check"] < 1e-5
    assert len(seen["key_labels"]) == 9


def test_a_sink_is_a_last_key_with_a_name():
    seen = looked_at(planned("MultiHeadAttention", sink=True, causal=True))
    assert seen["maps"].shape == (1, 4, 9, 10) and seen["self_check"] < 1e-5
    assert seen["key_labels"][-1] == "(sink)" and len(seen["key_labels"]) == 10
    assert seen["maps"][0, :, 0, 9].tolist() == pytest.approx((1 - seen["maps"][0, :, 0, 0]).tolist(), abs=1e-6)
    assert all(math.isnan(value) for value in seen["distance"].ravel())
