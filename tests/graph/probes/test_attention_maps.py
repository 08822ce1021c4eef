"""Maps equal those of an independent computation in float64, and weights times values equal the kernel."""

import math

import numpy as np
import pytest
import torch

from blocks.functional import Scores, attend, weigh
from graph.passes import run_passes
from graph.plan import plan_document
from graph.probes import attention_maps as probe
from graph.probes.attention_maps import attention_maps, self_check
from graph.probes.memory import LiveBytes
from graph.room import RunError
from graph.running import Workbench
from graph.samples import make_inputs


def reference(scores):
    """Softmax over everything at once, in float64."""
    q, k, _, bias, scale, causal = scores
    q, k = q.double(), k.double().repeat_interleave(q.shape[1] // k.shape[1], 1)
    logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * scale
    if bias is not None:
        logits = logits + bias.double()
    if causal:
        logits = logits.masked_fill(torch.ones(logits.shape[-2:]).triu(1).bool(), -math.inf)
    return logits.softmax(-1)


def scores_of(kind, queries=37, keys=37, heads=6, kv_heads=6, batch=2):
    generator = torch.Generator().manual_seed(3)

    def random(*shape):
        return torch.randn(*shape, generator=generator) * 1.5

    q, k, v = random(batch, heads, queries, 8), random(batch, kv_heads, keys, 8), random(batch, kv_heads, keys, 8)
    mask = bias = None
    if "mask" in kind:
        mask = torch.rand(batch, 1, queries, keys, generator=generator) < 0.7
        mask[..., 0] = True
    if "bias" in kind:
        bias = random(1, heads, queries, keys)
    return weigh(q, k, v, mask, bias, causal="causal" in kind)


VARIANTS = {
    "full": {},
    "causal": {},
    "causal GQA": {"kv_heads": 2},
    "causal MQA": {"kv_heads": 1},
    "mask": {},
    "bias": {},
    "causal mask bias GQA": {"kv_heads": 3},
    "cross": {"keys": 21},
    "cross mask": {"keys": 50},
}


@pytest.mark.parametrize("kind", VARIANTS)
@pytest.mark.parametrize("chunk", (1, 1 << 22))
def test_maps_equal_softmax_in_float64(kind, chunk, monkeypatch):
    monkeypatch.setattr(probe, "CHUNK", chunk)
    scores = scores_of(kind, **VARIANTS[kind])
    expected = reference(scores)
    for batch in range(2):
        found = attention_maps(scores, batch=batch)
        assert found.maps.dtype == torch.float32
        assert (found.maps.double() - expected[batch]).abs().max() < 1e-6
        entropy = -torch.special.xlogy(expected[batch], expected[batch]).sum(-1).mean(-1)
        assert torch.allclose(found.entropy, entropy, atol=1e-5)
        assert torch.allclose(found.first, expected[batch, :, :, 0].mean(-1), atol=1e-6)
        if expected.shape[-1] == 37:
            i, j = torch.arange(37)[:, None], torch.arange(37)[None]
            assert torch.allclose(found.distance, (expected[batch] * (i - j).abs()).sum(-1).mean(-1), atol=1e-4)
            previous = expected[batch].diagonal(-1, 1, 2).mean(-1)
            assert torch.allclose(found.previous, previous, atol=1e-6)
    one = attention_maps(scores, heads=[4])
    assert torch.allclose(one.maps[0].double(), expected[0, 4], atol=1e-6)


@pytest.mark.parametrize("kind", VARIANTS)
def test_weights_times_values_equal_the_kernel(kind):
    assert self_check(scores_of(kind, **VARIANTS[kind])) < 1e-5


def test_the_check_notices_a_map_that_is_not_the_kernels(monkeypatch):
    scores = scores_of("causal")
    monkeypatch.setattr(probe, "attend", lambda s: attend(s._replace(causal=False)))
    assert self_check(scores) > 0.1


@pytest.mark.parametrize(("at", "difference"), [("q", 0.0), ("v", 0.0), ("kernel", math.inf)])
def test_nan_here_and_not_there_is_a_difference(at, difference, monkeypatch):
    scores = scores_of("full")
    if at == "kernel":
        monkeypatch.setattr(probe, "attend", lambda given: attend(given).index_fill(2, torch.tensor(0), math.nan))
    else:
        getattr(scores, at)[0, 0, 3] = math.nan
    assert self_check(scores) == pytest.approx(difference, abs=1e-5)


def test_a_query_that_may_see_nothing_has_an_empty_map():
    q = torch.randn(1, 2, 3, 4)
    mask = torch.tensor([[True, True, True], [False, False, False], [True, False, False]])
    scores = weigh(q, q, q, mask[None, None], None, causal=False)
    found = attention_maps(scores)
    assert (found.maps[:, 1] == 0).all() and torch.allclose(found.maps[:, [0, 2]].sum(-1), torch.ones(2, 2))
    assert self_check(scores) < 1e-5


@pytest.mark.parametrize("reduce", ("max", "mean"))
@pytest.mark.parametrize("queries,keys,size", ((64, 64, 16), (50, 50, 16), (33, 70, 32), (17, 17, 17)))
def test_long_maps_are_given_in_blocks(reduce, queries, keys, size, monkeypatch):
    monkeypatch.setattr(probe, "CHUNK", 6 * 70 * 4)
    scores = scores_of("full", queries, keys)
    expected = reference(scores)[0].numpy()
    found = attention_maps(scores, size=size, reduce=reduce, itself=queries == keys)
    tall, broad = found.block
    assert found.maps.shape[-2] <= size and found.maps.shape[-1] <= size
    for row in range(found.maps.shape[1]):
        for column in range(found.maps.shape[2]):
            part = expected[:, row * tall : (row + 1) * tall, column * broad : (column + 1) * broad]
            wanted = part.max((1, 2)) if reduce == "max" else part.mean((1, 2))
            assert np.allclose(found.maps[:, row, column].numpy(), wanted, atol=1e-6)
    if queries != keys:
        assert torch.isnan(found.distance).all() and torch.isnan(found.previous).all()


def test_a_long_map_never_exists_in_full():
    """4,096 tokens and 4 heads: in full 256 MiB."""
    q = torch.randn(1, 4, 4096, 16)
    scores = Scores(q, q, q, None, 0.25, True)
    live = LiveBytes()
    with live:
        found = attention_maps(scores, size=256)
    assert live.peak < 128 * 2**20
    assert found.maps.shape == (4, 256, 256) and found.block == (16, 16)
    row = (q[0, 1, 4000] @ q[0, 1, :4001].T * 0.25).softmax(-1)
    assert torch.isclose(found.maps[1, 250, 10], row_block(q, 1, 250, 10), atol=1e-6)
    assert row.sum() == pytest.approx(1.0, abs=1e-5)


def row_block(q, head, row, column):
    """The largest weight in one block, row by row."""
    best = torch.tensor(0.0)
    for query in range(row * 16, row * 16 + 16):
        weights = (q[0, head, query] @ q[0, head, : query + 1].T * 0.25).softmax(-1)
        best = torch.maximum(best, weights[column * 16 : column * 16 + 16].max())
    return best


# on the bench


@pytest.fixture
def bench(tiny):
    bench = Workbench("cpu")

    def run(name, sizes=None, **values):
        plan = bench.prepare(run_passes(plan_document(tiny(name, **values)))[0])
        assert plan is not None and bench.plan is not None
        bench.run(make_inputs(bench.plan, sizes))
        return bench

    return run


@pytest.mark.parametrize("name,node", (("gpt", "decoder/attn"), ("llama", "decoder/attn")))
def test_maps_of_a_language_model(bench, name, node):
    ready = bench(name, {"batch": 2, "seq": 32})
    data = ready.attention(node)
    layers = 3 if name == "gpt" else 2
    assert data["maps"].shape == (layers, 4, 32, 32)
    assert data["self_check"] < 1e-5 and data["kernel"] == "flash"
    assert np.allclose(data["maps"].sum(-1), 1, atol=1e-5) and np.triu(data["maps"], 1).max() == 0
    assert data["labels"] == data["key_labels"] == list("To be, or not to be, that is the question"[:32])
    assert data["layers"] == list(range(layers)) and data["heads"] == [0, 1, 2, 3]
    assert data["entropy"].shape == data["first"].shape == data["distance"].shape == (layers, 4)
    one = ready.attention(node, layer=1, head=2, batch=1)
    assert one["maps"].shape == (1, 1, 32, 32) and one["addresses"] == ["decoder.1/attn"]
    assert np.array_equal(one["maps"][0, 0], ready.attention("decoder.1/attn", batch=1)["maps"][0, 2])
    # weights · values, through the output projection, are what the block gave
    module = ready.model.get_submodule("decoder.1.attn")
    given = ready.capture("decoder.1/attn_norm")
    with torch.no_grad():
        v = module.scores(given).v.repeat_interleave(4 // module.kv_heads, 1)
        all_heads = torch.from_numpy(ready.attention(node, layer=1, batch=1)["maps"][0])
        again = module.o_proj((all_heads @ v[1]).transpose(0, 1).flatten(-2))
    assert (again - ready.capture("decoder.1/attn")[1]).abs().max() < 1e-5


def test_maps_of_cross_attention(bench):
    ready = bench("diffusion_unet", {"text_seq": 5})
    node = next(a for a in ready.run(ready.inputs).data["kernels"] if "cross" in a)
    data = ready.attention(node)
    assert data["maps"].shape[-1] == data["key"] == 5 and data["query"] == data["maps"].shape[-2]
    assert np.isnan(data["distance"]).all() and data["self_check"] < 1e-5
    assert data["labels"][0] == "(0, 0)" and data["key_labels"] == []


def test_an_atlas_is_one_picture_of_bytes(bench):
    ready = bench("gpt")
    maps = ready.attention("decoder/attn")["maps"]
    data = ready.attention("decoder/attn", atlas=True, thumbnail=32)
    assert data["maps"].dtype == np.uint8 and data["maps"].shape == (3 * 33 - 1, 4 * 33 - 1)
    assert data["tile"] == [32, 32] and np.array_equal(data["highs"], maps.max((2, 3)))
    tile = data["maps"][33:65, 66:98] / 255 * data["highs"][1, 2]
    assert np.abs(tile - maps[1, 2]).max() <= data["highs"][1, 2] / 255


def test_what_is_not_there_is_named(bench):
    ready = bench("gpt")
    for options, words in (
        ({"node": "decoder/mlp"}, r"Feed-forward \(decoder/mlp\) is no attention block: attention is in decoder/attn"),
        ({"node": "attn"}, "There is no attn in what runs: attention is in decoder/attn"),
        ({"node": "decoder.1/attn", "layer": 0}, "There is no layer 0: decoder.1/attn runs once, as layer 1"),
        ({"node": "decoder/attn", "layer": 3}, "There is no layer 3: decoder/attn runs 3 times, counted from 0"),
        ({"node": "decoder/attn", "head": 4}, "There is no head 4: there are 4, counted from 0"),
        ({"node": "decoder/attn", "batch": 1}, "There is no sample 1: the batch has 1"),
    ):
        with pytest.raises(RunError, match=words):
            ready.attention(**options)
    assert ready.attention("decoder.1/attn", layer=1)["addresses"] == ["decoder.1/attn"]
    with pytest.raises(RunError, match="nothing in this drawing is attention"):
        bench("unet").attention("attn")


@pytest.mark.parametrize(
    ("node", "found"),
    [
        ("outer/middle/attn", ["0.0", "0.1", "1.0", "1.1", "2.0", "2.1"]),
        ("outer.1/middle/attn", ["1.0", "1.1"]),
        ("outer/middle.1/attn", ["0.1", "1.1", "2.1"]),
        ("outer.2/middle.0/attn", ["2.0"]),
    ],
)
def test_rounds_of_groups_within_groups_are_named_or_left_out(node, found, nested):
    bench = Workbench("cpu")
    plan = bench.prepare_document(nested([3, 2], ("attn", "MultiHeadAttention", {"num_heads": 2})))
    bench.take(make_inputs(plan, {"seq": 4}))
    addresses = ["outer.{}/middle.{}/attn".format(*rounds.split(".")) for rounds in found]
    assert bench.attention(node)["addresses"] == addresses
    if len(found) > 1:
        assert bench.attention(node, layer=1)["addresses"] == addresses[1:2]
