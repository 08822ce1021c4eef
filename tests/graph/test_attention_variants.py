"""What panels and estimates make of attention with windows, sinks, positions and whole layers."""

from __future__ import annotations

import math

import pytest

from graph.commands import AddNode, Connect
from graph.document import Document, Level, Node, Wire
from graph.estimate import estimate
from graph.passes import run_passes
from graph.plan import Plan, plan_document
from graph.room import RunError
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


def between(block: str, **params) -> Workbench:
    """A block that reads one text and looks at another, in a group of two rounds, as it has run."""
    words = {"kind": "text", "tokenizer": "bytes"}
    document = Document("attention")
    for name, text in (("tokens", "four"), ("source", "sources")):
        node = Node(name, "TokenInput", {"vocab": 256, "sequence": f"{name}_seq"}, sample={**words, "text": text})
        AddNode((), node).apply(document)
        AddNode((), Node(f"{name}_embedding", "Embedding", {"vocab": 256, "dim": 24})).apply(document)
        Connect((), Wire(name, "tokens", f"{name}_embedding", "tokens")).apply(document)
    AddNode((), Node("layers", "Group", level=Level(), repeat=2)).apply(document)
    inside = [Node(port, "GroupInput", {"port": port}) for port in ("x", "context")]
    inside += [Node("layer", block, {"num_heads": 4, "dim": 24} | params), Node("y", "GroupOutput", {"port": "x"})]
    for node in inside:
        AddNode(("layers",), node).apply(document)
    for wire in (("x", "x", "layer", "x"), ("context", "x", "layer", "context"), ("layer", "y", "y", "x")):
        Connect(("layers",), Wire(*wire)).apply(document)
    AddNode((), Node("y", "Output")).apply(document)
    for wire in (
        ("tokens_embedding", "y", "layers", "x"),
        ("source_embedding", "y", "layers", "context"),
        ("layers", "x", "y", "x"),
    ):
        Connect((), Wire(*wire)).apply(document)
    bench = Workbench("cpu")
    bench.prepare(run_passes(plan_document(document))[0], seed=0)
    return bench


@pytest.mark.parametrize("block", ("DecoderBlock", "ConditionedTransformerBlock"))
def test_a_layer_that_attends_twice_shows_both(block):
    bench = between(block, context_dim=24)
    kernels = bench.run(make_inputs(bench.plan)).data["kernels"]
    assert kernels == {f"layers.{i}/layer/{part}": "flash" for i in (0, 1) for part in ("attn", "cross")}
    own, across = (bench.attention(f"layers/layer/{part}", size=None) for part in ("attn", "cross"))
    assert own["maps"].shape == (2, 4, 4, 4) and across["maps"].shape == (2, 4, 4, 7)
    assert own["labels"] == own["key_labels"] == across["labels"] == list("four")
    assert across["key_labels"] == list("sources")
    assert max(own["self_check"], across["self_check"]) < 1e-5
    assert own["layers"] == [0, 1] and own["addresses"] == ["layers.0/layer/attn", "layers.1/layer/attn"]
    assert not (own["maps"][:, :, 0, 1:].any() if block == "DecoderBlock" else False), "it hides what comes later"
    one = bench.attention("layers.1/layer/cross", size=None)
    assert one["maps"].tolist() == across["maps"][1:].tolist()
    with pytest.raises(RunError, match="attends more than once: attention is in layers/layer/attn, layers"):
        bench.attention("layers/layer")


def test_a_picture_looks_at_itself_by_rows_and_columns_and_at_a_text():
    document = Document("attention")
    for node in (
        Node("image", "ImageInput", {"channels": 8}),
        Node("text", "FeatureInput", {"dim": 12, "axes": "batch text_seq"}),
        Node("look", "SpatialTransformer", {"channels": 8, "num_heads": 2, "context_dim": 12, "groups": 4}),
        Node("y", "Output"),
    ):
        AddNode((), node).apply(document)
    for wire in (("image", "image", "look", "x"), ("text", "features", "look", "context"), ("look", "y", "y", "x")):
        Connect((), Wire(*wire)).apply(document)
    bench = Workbench("cpu")
    bench.prepare(run_passes(plan_document(document))[0], seed=0)
    bench.run(make_inputs(bench.plan, {"height": 3, "width": 4, "text_seq": 5}))
    own, across = (bench.attention(f"look/layers/0/{part}", size=None) for part in ("attn", "cross"))
    places = [f"({row}, {column})" for row in range(3) for column in range(4)]
    assert own["labels"] == own["key_labels"] == across["labels"] == places
    assert across["key_labels"] == [] and across["maps"].shape == (1, 2, 12, 5)
    assert max(own["self_check"], across["self_check"]) < 1e-5


def test_a_sink_is_a_last_key_with_a_name():
    seen = looked_at(planned("MultiHeadAttention", sink=True, causal=True))
    assert seen["maps"].shape == (1, 4, 9, 10) and seen["self_check"] < 1e-5
    assert seen["key_labels"][-1] == "(sink)" and len(seen["key_labels"]) == 10
    assert seen["maps"][0, :, 0, 9].tolist() == pytest.approx((1 - seen["maps"][0, :, 0, 0]).tolist(), abs=1e-6)
    assert all(math.isnan(value) for value in seen["distance"].ravel())
