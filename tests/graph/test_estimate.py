"""Predictions against what is measured, and against published counts."""

import pytest
import torch
from torch.nn import functional

import graph.estimate as estimating
from graph import templates
from graph.compile import compile_plan
from graph.estimate import EstimateError, count_parameters, default_sizes, estimate
from graph.passes import run_passes
from graph.plan import plan_document
from graph.probes.memory import LiveBytes
from graph.running import Workbench
from graph.samples import make_inputs
from graph.sizes import SizeError

LLAMA_7B = {"dim": 4096, "layers": 32, "num_heads": 32, "kv_heads": 32, "hidden": 11008, "vocab": 32000}
LLAMA_70B = {"dim": 8192, "layers": 80, "num_heads": 64, "kv_heads": 8, "hidden": 28672, "vocab": 32000}


def plan_of(document):
    return run_passes(plan_document(document))[0]


def drawn(name, **values):
    return plan_of(templates.find(name).build(values))


def test_published_counts():
    assert count_parameters(drawn("gpt")) == (163_037_184, 124_439_808)
    assert count_parameters(drawn("gpt", tied=False)) == (163_037_184, 163_037_184)
    assert count_parameters(drawn("llama", **LLAMA_7B))[1] == 6_738_415_616
    assert count_parameters(drawn("llama", **LLAMA_70B))[1] == 68_976_648_192


@pytest.mark.parametrize("name", ("gpt", "llama", "unet", "diffusion_unet"))
def test_counts_equal_the_compiled_model(tiny, name):
    plan = plan_of(tiny(name))
    unique = sum(parameter.numel() for parameter in compile_plan(plan).parameters())
    assert count_parameters(plan)[1] == unique
    found = estimate(plan)
    assert found.parameters_unique == unique and found.parameters >= unique
    assert sum(node["parameters"] for node in found.nodes) == found.parameters
    assert sum(node["flops"] for node in found.nodes) == found.flops > 0
    assert found.notes == ()


def test_rounds_that_share_weights_count_once(tiny):
    from graph.commands import SetNode

    document = tiny("llama", layers=7)
    document.apply(SetNode((), "decoder", "shared", True))
    plan = plan_of(document)
    used, unique = count_parameters(plan)
    outside = sum(p.numel() for n, p in compile_plan(plan).named_parameters() if not n.startswith("decoder"))
    assert used - outside == 7 * (unique - outside)
    assert estimate(plan).memory["parameters"] == 4 * unique


@pytest.mark.parametrize("dtype", ("float32", "bfloat16"))
@pytest.mark.parametrize("name", ("gpt", "llama", "unet", "diffusion_unet"))
def test_the_peak_of_a_run_is_what_is_measured(tiny, name, dtype):
    bench = Workbench("cpu", dtype)
    plan = bench.prepare(plan_of(tiny(name, **({"layers": 7} if name in ("gpt", "llama") else {})))) and bench.plan
    inputs = make_inputs(plan, {"batch": 2})
    found = estimate(plan, inputs.sizes, dtype=dtype)
    measured = bench.run(inputs).data["memory"]
    assert found.memory["peak"] == measured["peak"]
    assert found.memory["activations"] == measured["activations"]
    assert sum(found.at_peak.values()) == found.memory["peak"]
    assert found.peak_at["phase"] == "forward" and found.peak_at["title"]


def trained(plan, inputs):
    """The most memory of a second step with AdamW, its states being there."""
    model = compile_plan(plan).train()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    live = LiveBytes()
    live.hold([*model.parameters(), *model.buffers(), *inputs.tensors])
    with live:
        for step in range(2):
            if step:
                live.peak = live.live
            output = model(*inputs.tensors)
            if inputs.named.keys() == {"tokens"}:
                loss = functional.cross_entropy(output.flatten(0, -2), output.new_zeros(output[..., 0].numel()).long())
            else:
                loss = output.square().mean()
            loss.backward()
            del output, loss
            optimizer.step()
            optimizer.zero_grad()
    return live.peak


@pytest.mark.parametrize("name", ("gpt", "llama", "unet", "diffusion_unet"))
@pytest.mark.parametrize("batch", (1, pytest.param(8, marks=pytest.mark.exhaustive)))
def test_the_peak_of_training_is_what_is_measured(tiny, name, batch):
    plan = plan_of(tiny(name, **({"layers": 6, "vocab": 500} if name in ("gpt", "llama") else {})))
    inputs = make_inputs(plan, {"batch": batch})
    found = estimate(plan, inputs.sizes, training=True)
    measured = trained(plan, inputs)
    assert found.memory["peak"] == pytest.approx(measured, rel=0.02)
    assert found.memory["gradients"] == found.memory["parameters"] == 4 * found.parameters_unique
    assert found.memory["optimizer"] == 2 * found.memory["parameters"]
    assert sum(found.at_peak.values()) == found.memory["peak"]
    assert found.flops > 2.5 * estimate(plan, inputs.sizes).flops


@pytest.mark.parametrize("training", (False, True))
@pytest.mark.parametrize("name", ("gpt", "llama"))
@pytest.mark.parametrize("layers", (5, pytest.param(13, marks=pytest.mark.exhaustive)))
@pytest.mark.parametrize(
    "sizes", ({"batch": 16, "seq": 32}, pytest.param({"batch": 1, "seq": 4}, marks=pytest.mark.exhaustive))
)
def test_two_small_depths_tell_the_large_one_to_the_byte(tiny, monkeypatch, training, name, layers, sizes):
    plan = plan_of(tiny(name, layers=layers))
    shallow = estimate(plan, sizes, training=training)
    monkeypatch.setattr(estimating, "DEEP", 10**6)
    full = estimate(plan, sizes, training=training)
    assert shallow == full


def test_operations_of_a_gpt_by_hand():
    layers, dim, hidden, vocab, seq = 12, 768, 3072, 50257, 128
    layer = 2 * seq * (4 * dim * dim + 2 * dim * hidden) + 2 * 2 * seq * seq * dim
    found = estimate(drawn("gpt"), {"seq": seq})
    assert found.flops == layers * layer + 2 * seq * dim * vocab
    attention = next(node for node in found.nodes if node["address"] == "decoder/attn")
    assert attention["flops"] == layers * (2 * seq * 4 * dim * dim + 4 * seq * seq * dim)
    assert attention["rounds"] == 12 and attention["shape"] == ["batch", "seq", 768]
    assert attention["activations"] == 12 * seq * dim * 4


def test_the_cache_of_a_language_model():
    plan = drawn("llama", **{**LLAMA_70B, "layers": 5})
    found = estimate(plan, {"batch": 3, "seq": 50}, dtype="bfloat16")
    assert found.memory["kv_cache"] == 2 * 5 * 3 * 50 * 8 * 128 * 2
    assert estimate(drawn("unet")).memory["kv_cache"] == 0
    assert estimate(drawn("diffusion_unet")).memory["kv_cache"] == 0
    sizes = {"dim": 32, "layers": 3, "num_heads": 4, "vocab": 61}
    found = estimate(drawn("transformer", **sizes), {"batch": 2, "seq": 5, "source_seq": 7})
    assert found.memory["kv_cache"] == 2 * 3 * 2 * (5 + 7) * 32 * 4, "an encoder keeps nothing"


def test_seventy_billion_parameters_are_never_allocated():
    import resource

    plan = drawn("llama", **LLAMA_70B)
    estimate(drawn("gpt", layers=1))  # the imports
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count_parameters(plan)
    found = estimate(plan, {"seq": 8192}, dtype="bfloat16")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 200_000  # KiB
    assert found.memory["parameters"] == 2 * 68_976_648_192
    assert 0 < found.memory["activations"] < 3 * 2**30  # a kernel that were not fused would take 35 GB


def test_what_cannot_be_estimated_is_said(tiny):
    plan = plan_of(tiny("gpt"))
    with pytest.raises(SizeError, match="at most 32"):
        estimate(plan, {"seq": 64})
    with pytest.raises(EstimateError, match="no number type 'int4'"):
        estimate(plan, dtype="int4")
    assert default_sizes(plan) == {"batch": 1, "seq": 32}
    data = estimate(plan).as_data()
    assert data["memory"]["peak"] > 0 and data["nodes"][0]["address"] == "token_embedding"


@pytest.mark.parametrize(
    ("name", "values", "sizes", "words"),
    [
        ("gpt", {}, {"batch": 2**20, "seq": 1024}, None),
        ("gpt", {"context": 2**31 - 1}, {"batch": 2**31 - 1, "seq": 2**31 - 1}, "Token input would be batch × seq"),
        ("unet", {}, {"batch": 2**31 - 1, "height": 2**30, "width": 2**30}, "more than any machine can address"),
        ("unet", {"channels": 2**27}, {}, "The weights of Conv 2D"),
        ("gpt", {"vocab": 2**31 - 1, "dim": 2**31 - 8, "hidden": 8}, {}, "The weights of Token embedding"),
    ],
)
def test_absurd_sizes_are_told_in_words(name, values, sizes, words):
    plan = drawn(name, **values)
    assert count_parameters(plan)[1] > 0
    if words is None:
        assert estimate(plan, sizes).memory["peak"] > 2**46
    else:
        with pytest.raises(SizeError, match=words):
            estimate(plan, sizes)


def test_a_table_that_does_not_learn_is_held_but_has_no_gradient(chain):
    document = chain(
        ("patches", "FeatureInput", {"dim": 32}),
        ("position", "SinusoidalPosition2d", {"dim": 32, "rows": 8, "columns": 8}),
        ("head", "Linear", {"in_features": 32, "out_features": 8}),
        ("scores", "Output", {}),
    )
    plan = plan_of(document)
    assert count_parameters(plan) == (64 * 32 + 33 * 8, 64 * 32 + 33 * 8)
    inputs = make_inputs(plan, {"batch": 4, "seq": 50})
    found = estimate(plan, inputs.sizes, training=True)
    assert found.memory["parameters"] == 4 * (64 * 32 + 33 * 8)
    assert found.memory["gradients"] == 4 * 33 * 8 and found.memory["optimizer"] == 8 * 33 * 8
    assert found.memory["peak"] == pytest.approx(trained(plan, inputs), rel=0.02)
    assert estimate(plan, inputs.sizes, training=True, dtype="bfloat16").memory["gradients"] == 2 * 33 * 8


def test_exercise_7_attention_grows_with_the_square_of_the_length(chain):
    """Two products of n × n × d numbers, 2 FLOPs each; the projections grow with n alone."""
    dim = 32
    plan = plan_of(
        chain(
            ("x", "FeatureInput", {"dim": dim}),
            ("attn", "MultiHeadAttention", {"dim": dim, "num_heads": 4}),
            ("y", "Output", {}),
        )
    )
    flops = {length: estimate(plan, {"batch": 1, "seq": length}).flops for length in (64, 128, 256)}
    for length in (64, 128):
        square = flops[2 * length] - 2 * flops[length]  # what does not grow with n drops out
        assert square == 2 * (4 * dim * length**2)
    scores = [
        entry["scores"]["elements"]
        for entry in estimate(plan, {"batch": 1, "seq": 256}).as_data()["attention"]["nodes"]
    ]
    assert scores == [4 * 256**2]
