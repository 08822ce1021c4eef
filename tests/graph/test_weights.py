"""Weights: they outlive edits, are saved once, and fit or are refused."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from graph import commands
from graph.commands import AddNode, Connect, Disconnect, RemoveNode, SetNode, SetParam, SetVariable
from graph.compile import compile_plan
from graph.document import Node, Wire
from graph.files import document_to_data
from graph.history import History
from graph.passes import run_passes
from graph.plan import plan_document
from graph.running import Workbench
from graph.weights import WeightsError


@pytest.fixture
def bench():
    return Workbench("cpu")


def _pairs(left, right):
    return zip(left.state_dict().values(), right.state_dict().values(), strict=True)


def plan_of(document):
    return run_passes(plan_document(document))[0]


def test_an_edit_keeps_loaded_weights_and_undo_brings_them_back(bench, tiny, tmp_path):
    document = tiny("gpt")
    history = History(document)
    bench.prepare_document(document)
    for parameter in bench.model.parameters():
        torch.nn.init.normal_(parameter)
    bench.save_weights(tmp_path / "w.safetensors")
    bench.prepare(plan_of(document), weights=tmp_path / "w.safetensors")
    before = {name: tensor.clone() for name, tensor in bench.model.state_dict().items()}

    def after():
        bench.prepare_document(document)
        return bench.model.state_dict()

    history.do(SetParam(("decoder",), "mlp", "hidden", 48))
    now = after()
    changed = {name for name in before if name not in now or not torch.equal(now[name], before[name])}
    assert changed == {f"decoder.{i}.mlp.{name}" for i in range(3) for name in of_hidden_size(now)}
    history.undo()
    assert all(torch.equal(after()[name], tensor) for name, tensor in before.items())
    history.do(SetVariable("layers", 2))
    assert all(torch.equal(tensor, before[name]) for name, tensor in after().items())
    history.undo()
    assert all(torch.equal(after()[name], tensor) for name, tensor in before.items())
    history.do(SetNode((), "head", "title", "Another title"))
    assert all(torch.equal(after()[name], tensor) for name, tensor in before.items())


def of_hidden_size(state):
    """Tensors of the feed-forward whose shape mentions its hidden size."""
    return [
        name.removeprefix("decoder.0.mlp.")
        for name, tensor in state.items()
        if name.startswith("decoder.0.mlp.") and 48 in tensor.shape
    ]


def test_a_deleted_node_finds_its_weights_again(bench, chain, tmp_path):
    document = chain(
        ("x", "FeatureInput", {"dim": 4}),
        ("a", "Linear", {"in_features": 4, "out_features": 4}),
        ("b", "Linear", {"in_features": 4, "out_features": 4}),
        ("out", "Output", {}),
    )
    history = History(document)
    bench.prepare_document(document)
    with torch.no_grad():
        bench.model.b.weight.fill_(7.0)
    bench.save_weights(tmp_path / "w.safetensors")
    bench.load_weights(tmp_path / "w.safetensors")
    a = bench.model.a.weight.clone()
    history.do(commands.Sequence((RemoveNode((), "b"), Connect((), Wire("a", "y", "out", "x")))))
    bench.prepare_document(document)
    assert torch.equal(bench.model.a.weight, a)
    history.undo()
    bench.prepare_document(document)
    assert (bench.model.b.weight == 7.0).all() and torch.equal(bench.model.a.weight, a)


def test_weights_from_the_seed_follow_the_drawing_alone(bench, tiny):
    """An edit and its undo, in whatever order, give what a new session gives."""
    document = tiny("gpt")
    first = {name: tensor.clone() for name, tensor in bench.prepare(plan_of(document)).state_dict().items()}
    document.apply(SetParam((), "token_embedding", "init_std", 0.5))
    edited = bench.prepare(plan_of(document)).state_dict()
    fresh = Workbench("cpu").prepare(plan_of(document)).state_dict()
    assert all(torch.equal(edited[name], fresh[name]) for name in fresh)
    assert edited["token_embedding.weight"].std() > 5 * first["token_embedding.weight"].std()
    document.apply(AddNode((), Node("extra", "GELU")))
    document.apply(Disconnect((), Wire("final_norm", "y", "head", "x")))
    document.apply(Connect((), Wire("final_norm", "y", "extra", "x")))
    document.apply(Connect((), Wire("extra", "y", "head", "x")))
    assert all(torch.equal(bench.prepare(plan_of(document)).state_dict()[name], fresh[name]) for name in fresh)


def test_tying_and_untying(bench, tiny):
    document = tiny("gpt")
    bench.prepare_document(document)
    assert bench.model.head.weight is bench.model.token_embedding.weight
    document.apply(SetVariable("tied", False))
    bench.prepare_document(document)
    assert bench.model.head.weight is not bench.model.token_embedding.weight
    assert not torch.equal(bench.model.head.weight, bench.model.token_embedding.weight)
    expected = compile_plan(bench.plan).state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in bench.model.state_dict().items())
    document.apply(SetVariable("tied", True))
    bench.prepare_document(document)
    assert bench.model.head.weight is bench.model.token_embedding.weight


def test_weights_are_saved_once_with_their_other_names(bench, tiny, tmp_path):
    document = tiny("gpt")
    bench.prepare_document(document)
    digest = bench.save_weights(tmp_path / "w.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["w.safetensors"]
    assert digest == bench.save_weights(tmp_path / "again.safetensors")
    stored = load_file(tmp_path / "w.safetensors")
    assert "head.weight" not in stored and stored.keys() | {"head.weight"} == bench.model.state_dict().keys()
    other = Workbench("cpu")
    other.prepare(plan_of(document), seed=9)
    assert not torch.equal(other.model.head.weight, bench.model.head.weight)
    other.load_weights(tmp_path / "w.safetensors")
    assert all(torch.equal(a, b) for a, b in _pairs(other.model, bench.model))
    assert other.model.head.weight is other.model.token_embedding.weight
    untied = tiny("gpt", tied=False)
    other.prepare(plan_of(untied), weights=tmp_path / "w.safetensors")  # an alias serves two tensors as well
    assert torch.equal(other.model.head.weight, bench.model.head.weight)


def test_weights_that_do_not_fit_change_nothing(bench, tiny, tmp_path):
    document = tiny("gpt")
    bench.prepare_document(document)
    file = tmp_path / "w.safetensors"
    bench.save_weights(file)
    stored = load_file(file)
    before = {name: tensor.clone() for name, tensor in bench.model.state_dict().items()}
    good = {name: tensor + 1 for name, tensor in stored.items()}
    missing = {name: tensor for name, tensor in good.items() if "attn_norm" not in name}
    begin = "w.safetensors does not fit this drawing: "
    for tensors, words in (
        (
            missing,
            "it lacks decoder.0.attn_norm.weight, decoder.0.attn_norm.bias, decoder.1.attn_norm.weight and 3 more.",
        ),
        ({**good, "foreign": torch.zeros(1)}, "nothing here is called foreign."),
        ({**good, "final_norm.bias": torch.zeros(3)}, "final_norm.bias is 3 there and 32 here."),
        (
            {**good, "final_norm.bias": good["final_norm.bias"].to(torch.complex64)},
            "final_norm.bias holds complex numbers there and real numbers here.",
        ),
        (
            {**good, "final_norm.bias": good["final_norm.bias"].to(torch.int8)},
            "final_norm.bias holds whole numbers there and real numbers here.",
        ),
        (
            {**good, "head.weight": good["token_embedding.weight"] + 1},
            "token_embedding.weight and head.weight are one tensor here, but differ there.",
        ),
    ):
        save_file(tensors, file)
        with pytest.raises(WeightsError) as caught:
            bench.load_weights(file)
        assert str(caught.value) == begin + words
    for data, words in ((b"no weights", "it is no safetensors file"), (None, "There is no file")):
        if data is None:
            file.unlink()
        else:
            file.write_bytes(data)
        with pytest.raises(WeightsError, match=words):
            bench.load_weights(file)
    with pytest.raises(WeightsError, match="cannot be written: No such file or directory"):
        bench.save_weights(tmp_path / "none" / "w.safetensors")
    assert all(torch.equal(tensor, before[name]) for name, tensor in bench.model.state_dict().items())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, torch.float8_e4m3fn])
def test_real_numbers_of_any_width_are_cast(dtype, bench, tiny, tmp_path):
    bench.prepare_document(tiny("unet"))
    file = tmp_path / "w.safetensors"
    state = bench.model.state_dict()
    save_file(
        {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in state.items()}, file
    )
    bench.load_weights(file)
    now = bench.model.state_dict()
    assert all(torch.equal(now[name], state[name].to(dtype).to(state[name].dtype)) for name in state)


def test_a_drawing_that_names_its_weights_gets_what_fits(bench, tiny, tmp_path):
    document = tiny("gpt")
    bench.prepare(plan_of(document), seed=3)
    digest = bench.save_weights(tmp_path / "w.safetensors")
    expected = {name: tensor.clone() for name, tensor in bench.model.state_dict().items()}
    document.apply(commands.SetDocument("weights", {"path": "w.safetensors", "hash": digest}))
    data = json.loads(json.dumps(document_to_data(document)))
    other = Workbench("cpu")
    other.prepare_document(data, folder=tmp_path)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in other.model.state_dict().items())
    assert other.notes == ()
    document.apply(SetParam((), "final_norm", "bias", False))
    other.prepare_document(document_to_data(document), folder=tmp_path)
    assert torch.equal(other.model.head.weight, expected["head.weight"])
    late = Workbench("cpu")
    late.prepare_document(document_to_data(document), folder=tmp_path)
    assert torch.equal(late.model.head.weight, expected["head.weight"])
    assert late.notes == ("w.safetensors: nothing here is called final_norm.bias.",)
