"""The bench: the compiled model to the bit, every value seen, weights that outlive edits."""

import numpy as np
import pytest
import torch

from graph.commands import AddNode, Connect, SetNode, SetParam
from graph.compile import compile_plan
from graph.document import Node, Wire
from graph.passes import run_passes
from graph.places import places
from graph.plan import PlanError, plan_document
from graph.room import RunError
from graph.running import Workbench
from graph.samples import make_inputs

NAMES = ("gpt", "llama", "unet", "diffusion_unet")


@pytest.fixture
def bench():
    return Workbench("cpu")


def _pairs(left, right):
    return zip(left.state_dict().values(), right.state_dict().values(), strict=True)


def plan_of(document):
    return run_passes(plan_document(document))[0]


def ran(bench, document, **options):
    plan = bench.prepare_document(document)
    return bench.run(make_inputs(plan, **options))


@pytest.mark.parametrize("name", NAMES)
def test_what_runs_is_the_compiled_model_to_the_bit(bench, tiny, name):
    plan = bench.prepare_document(tiny(name))
    inputs = make_inputs(plan)
    model = compile_plan(plan)
    with torch.no_grad():
        expected = model(*inputs.tensors)
    result = bench.run(inputs)
    assert torch.equal(next(iter(result.outputs.values())), expected)
    assert list(bench.model.state_dict()) == list(model.state_dict())
    assert all(torch.equal(a, b) for a, b in _pairs(bench.model, model))
    assert result.data["device"] == "cpu" and result.data["seconds"] > 0
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in bench.model.modules())


@pytest.mark.parametrize("name", NAMES)
def test_every_value_is_seen(bench, tiny, name):
    result = ran(bench, tiny(name))
    seen = result.data["activations"]
    assert {place.address for place in places(bench.plan)} <= seen.keys()
    assert {entry.id for entry in bench.plan.entries} <= seen.keys()
    for address, data in seen.items():
        assert data["shape"] and data["title"], address
        assert data["nan"] == data["inf"] == 0
        assert len(data["histogram"]["edges"]) == 65 and data["histogram"]["counts"].sum() > 0
    called = [data["milliseconds"] for address, data in seen.items() if "milliseconds" in data]
    assert len(called) >= len(places(bench.plan)) and min(called) >= 0
    assert result.data["memory"]["peak"] > result.data["memory"]["parameters"] > 0


def test_rounds_of_a_group_are_told_apart(bench, tiny):
    seen = ran(bench, tiny("gpt")).data["activations"]
    assert {"decoder.0/attn", "decoder.1/attn", "decoder.2/attn", "decoder.0", "decoder.2"} <= seen.keys()
    assert seen["decoder.0/attn"]["norm"] != seen["decoder.1/attn"]["norm"]
    assert seen["decoder.2"]["norm"] == seen["decoder.2/mlp_add"]["norm"]
    parts = sum(data["milliseconds"] for address, data in seen.items() if address.startswith("decoder.1/"))
    assert parts <= seen["decoder.1"]["milliseconds"] * 1.01


def test_rounds_that_share_weights_are_told_apart_too(bench, tiny):
    document = tiny("gpt")
    document.apply(SetNode((), "decoder", "shared", True))
    result = ran(bench, document)
    seen = result.data["activations"]
    assert seen["decoder.0/attn"]["norm"] != seen["decoder.1/attn"]["norm"] != seen["decoder.2/attn"]["norm"]
    first, last = bench.capture("decoder.0/attn"), bench.capture("decoder.2/attn")
    assert first.norm().item() == pytest.approx(seen["decoder.0/attn"]["norm"], rel=1e-5)
    assert last.norm().item() == pytest.approx(seen["decoder.2/attn"]["norm"], rel=1e-5)
    maps = bench.attention("decoder/attn")
    assert maps["maps"].shape[0] == 3 and maps["addresses"] == [f"decoder.{i}/attn" for i in range(3)]
    assert not np.array_equal(maps["maps"][0], maps["maps"][1])


@pytest.mark.parametrize("name", ("gpt", "diffusion_unet"))
def test_attention_is_fused_and_seen_in_the_profile(bench, tiny, name):
    result = ran(bench, tiny(name))
    assert result.data["attention_kernel"] == "flash"
    assert result.data["kernels"].keys() == {p.address for p in places(bench.plan) if hasattr(p.step.block, "scores")}


def test_without_attention_there_is_no_kernel(bench, tiny):
    assert ran(bench, tiny("unet")).data["attention_kernel"] == "none"


def test_dropout_and_the_like_are_off(bench, tiny):
    document = tiny("gpt")
    document.apply(SetParam(("decoder",), "attn", "dropout", 0.5))
    plan = bench.prepare_document(document)
    inputs = make_inputs(plan)
    a, b = (bench.run(inputs).outputs["logits"] for _ in range(2))
    assert torch.equal(a, b)


def test_progress_names_each_block(bench, tiny):
    plan = bench.prepare_document(tiny("gpt"))
    told = []
    bench.run(make_inputs(plan), progress=lambda *report: told.append(report))
    assert [done for done, *_ in told] == list(range(22))
    assert {total for _, total, *_ in told} == {22}
    assert ("Multi-head attention (decoder.1/attn)", "decoder.1/attn") in [(text, place) for *_, text, place in told]


def test_an_error_in_a_block_leaves_the_model_as_it_was(bench, tiny):
    plan = bench.prepare_document(tiny("gpt"))
    inputs = make_inputs(plan)
    broken = type(inputs)({"tokens": inputs.named["tokens"] + 1000}, {}, inputs.sizes)
    with pytest.raises(RunError, match=r"Token embedding \(token_embedding\) receives whole numbers from 10"):
        bench.run(broken)
    assert bench.run(inputs).data["attention_kernel"] == "flash"


def test_numbers_without_an_entry_are_told_with_the_block(bench, chain):
    document = chain(
        ("tokens", "TokenInput", {}),
        ("place", "PrefixPosition", {}),
        ("embedding", "Embedding", {"vocab": 10}),
        ("out", "Output", {}),
    )
    document.apply(AddNode((), Node("prefix", "IntegerInput", {"below": 64}, sample={"kind": "value", "value": 20})))
    document.apply(Connect((), Wire("prefix", "numbers", "place", "prefix")))
    with pytest.raises(RunError) as refused:
        ran(bench, document, sizes={"seq": 32})
    assert str(refused.value) == (
        "Embedding (embedding) receives whole numbers from 0 to 19, not all of which it can look up: "
        "its size and that of the input must agree."
    )
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in bench.model.modules())


def test_a_broken_drawing_is_refused_by_its_first_issue(bench, tiny):
    document = tiny("gpt")
    document.apply(SetParam((), "head", "in_features", 33))
    with pytest.raises(PlanError, match="33"):
        bench.prepare_document(document)
    with pytest.raises(RunError, match="Nothing has run yet"):
        bench.inspect("head")
    with pytest.raises(RunError, match="no device cuda:7"):
        Workbench("cuda:7")
    with pytest.raises(RunError, match="no number type 'int4'"):
        Workbench("cpu", "int4")


def test_what_cannot_fit_is_refused_before_it_is_allocated(bench, tiny, monkeypatch):
    huge = tiny("llama", dim=8192, layers=80, num_heads=64, kv_heads=8, hidden=28672, vocab=128256)
    monkeypatch.setattr("graph.room.available_memory", lambda device: 2**33)
    with pytest.raises(RunError) as caught:
        bench.prepare_document(huge)
    assert str(caught.value) == (
        "The weights need 263 GiB (70,553,706,496 parameters in float32), but 8 GiB of memory are free on CPU: "
        "fewer or narrower layers or bfloat16 would fit."
    )
    long = tiny("gpt", context=2**20, dim=8, num_heads=2)
    plan = bench.prepare_document(long)
    monkeypatch.setattr("graph.room.available_memory", lambda device: 2**25)
    inputs = make_inputs(plan, {"seq": 2**18, "batch": 1})
    with pytest.raises(RunError, match=r"This run needs \d+.* MiB beside its weights, .*32 MiB of memory are free"):
        bench.run(inputs)


@pytest.mark.parametrize("dtype", ("bfloat16", "float64"))
def test_other_number_types(tiny, dtype):
    bench = Workbench("cpu", dtype)
    result = ran(bench, tiny("gpt"))
    assert str(result.outputs["logits"].dtype) == f"torch.{dtype}"
    exact = ran(Workbench("cpu"), tiny("gpt"))  # other uids, other weights: only the form is compared
    assert result.data["activations"].keys() == exact.data["activations"].keys()
    document = tiny("gpt")
    wide, other = ran(Workbench("cpu"), document), ran(Workbench("cpu", dtype), document)
    difference = (wide.outputs["logits"].double() - other.outputs["logits"].double()).abs().max()
    assert 0 < difference < (0.1 if dtype == "bfloat16" else 1e-5)


def test_a_seed_in_place_of_the_drawings_own(bench, tiny):
    document = tiny("gpt")
    plan = plan_of(document)
    own = bench.prepare(plan).state_dict()["head.weight"].clone()
    other = bench.prepare(plan, seed=5).state_dict()["head.weight"].clone()
    assert not torch.equal(own, other)
    assert torch.equal(bench.prepare(plan).state_dict()["head.weight"], own)


# inspect


def test_a_slice_is_a_picture_with_its_values(bench, tiny):
    result = ran(bench, tiny("gpt"), sizes={"batch": 2})
    tensor = bench.capture("decoder.1/mlp")
    part = bench.inspect("decoder.1/mlp", index=[1])
    assert part["shape"] == [2, 32, 32] and part["index"] == [1] and part["block"] == [1, 1]
    assert np.array_equal(part["values"], tensor[1].numpy())
    assert part["low"] == float(tensor[1].min()) and part["high"] == float(tensor[1].max())
    again = part["low"] + part["image"].astype(np.float64) / 255 * (part["high"] - part["low"])
    assert np.abs(again - part["values"]).max() <= (part["high"] - part["low"]) / 255
    assert part["statistics"]["norm"] == pytest.approx(result.data["activations"]["decoder.1/mlp"]["norm"])
    assert part["statistics"]["histogram"]["counts"].sum() == tensor.numel()
    exact = bench.inspect("decoder.1/mlp", index=[1, 3, 7], what="value")
    assert exact["value"] == tensor[1, 3, 7].item() and exact["index"] == [1, 3, 7]
    assert part["axes"] == ["batch", "seq", "32"]


def test_inputs_outputs_and_groups_are_inspected_too(bench, tiny):
    document = tiny("gpt")
    result = ran(bench, document)
    assert bench.inspect("tokens")["values"].tolist() == [bench.inputs.named["tokens"][0].tolist()]
    assert np.array_equal(bench.inspect("head")["values"], result.outputs["logits"][0].numpy())
    assert np.array_equal(bench.inspect("decoder")["values"], bench.inspect("decoder.2/mlp_add")["values"])
    assert np.array_equal(bench.inspect("decoder/attn")["values"], bench.inspect("decoder.0/attn")["values"])
    with pytest.raises(RunError, match="There is no nothing in what runs"):
        bench.inspect("nothing")
    with pytest.raises(ValueError, match="There is no place 5 on an axis of 1"):
        bench.inspect("head", index=[5])


def test_channels_lie_side_by_side(bench, tiny):
    ran(bench, tiny("unet"))
    tensor = bench.capture("encoder_1/conv_1")
    sheet = bench.inspect("encoder_1/conv_1", what="channels")
    rows, columns = sheet["grid"]
    height, width = sheet["tile"]
    assert (rows * columns, height, width) == (4, 16, 16)
    assert sheet["values"].shape == (rows * 17 - 1, columns * 17 - 1)
    for channel in range(4):
        row, column = divmod(channel, columns)
        tile = sheet["values"][row * 17 : row * 17 + 16, column * 17 : column * 17 + 16]
        assert np.array_equal(tile, tensor[0, channel].numpy())


def test_long_sides_are_averaged(bench, tiny):
    ran(bench, tiny("gpt", vocab=1000))
    whole = bench.capture("head")[0]
    part = bench.inspect("head", limit=100)
    assert part["block"] == [1, 10] and part["values"].shape == (32, 100)
    assert np.allclose(part["values"], whole.view(32, 100, 10).mean(-1).numpy(), atol=1e-6)
