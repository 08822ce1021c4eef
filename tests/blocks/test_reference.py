"""Every block against a formula written from its definition, in float64 numpy and without the kernel it calls."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from cases.numbers import normalised, per_channel
from cases.table import references

from blocks import catalogue


def test_every_block_has_a_reference(calls):
    assert {call.block for call in calls} == set(references())


def test_block_equals_its_definition(call):
    module = call.build(torch.float64)
    arguments = call.tensors(torch.float64)
    with torch.no_grad():
        result = module(*arguments)
    state = {name: tensor.numpy() for name, tensor in module.state_dict().items()}
    given = [x if x is None else x.numpy() for x in arguments]
    expected = references()[call.block](call.full, state, *given)
    if not isinstance(result, tuple):
        result, expected = (result,), (expected,)
    for value, wanted in zip(result, expected, strict=True):
        np.testing.assert_allclose(value.detach().numpy(), wanted, rtol=1e-9, atol=1e-10)


def test_dropout_drops_its_share_in_training_only(make_call):
    module = make_call("Dropout", {}, {"p": 0.25}).build().train()
    x = torch.ones(200_000)
    torch.manual_seed(0)
    y = module(x)
    assert set(y.unique().tolist()) == {0.0, 1 / 0.75} or y.max() == pytest.approx(1 / 0.75)
    assert (y == 0).double().mean().item() == pytest.approx(0.25, abs=0.01)
    assert torch.equal(module.eval()(x), x)


@pytest.mark.parametrize("name", ["FeedForward", "MultiHeadAttention", "CrossAttention", "ScaledDotProductAttention"])
def test_inner_dropout_acts_in_training_only(name, calls, make_call):
    first = next(call for call in calls if call.block == name)
    call = make_call(name, first.shapes, {**first.params, "dropout": 0.5})
    module, plain = call.build(torch.float64), first.build(torch.float64)
    arguments = call.tensors(torch.float64)
    with torch.no_grad():
        assert torch.equal(module(*arguments), plain(*arguments))
        torch.manual_seed(0)
        assert not torch.allclose(module.train()(*arguments), plain(*arguments))
        assert torch.equal(plain.train()(*arguments), plain.eval()(*arguments))


def test_batch_norm_learns_its_averages(make_call):
    call = make_call("BatchNorm", {"x": "batch 6 height width"}, {"num_features": 6, "momentum": 0.3})
    module = call.build(torch.float64)
    before = {name: tensor.clone().numpy() for name, tensor in module.state_dict().items()}
    (x,) = call.tensors(torch.float64)
    value = module.train()(x).detach().numpy()
    x = x.numpy()
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    expected = normalised(x, (0, 2, 3), 1e-5) * per_channel(before["weight"], x) + per_channel(before["bias"], x)
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-10)
    count = x.size / 6
    np.testing.assert_allclose(module.running_mean, 0.7 * before["running_mean"] + 0.3 * mean)
    unbiased = variance * count / (count - 1)
    np.testing.assert_allclose(module.running_var, 0.7 * before["running_var"] + 0.3 * unbiased)


def test_sizes_that_parameters_leave_open():
    feed_forward = catalogue()["FeedForward"](dim=6)
    assert feed_forward.up.weight.shape == (24, 6)
    for dim, multiple_of, hidden in ((4096, 256, 11008), (5120, 256, 13824), (6, 4, 16), (3, 1, 8)):
        with torch.device("meta"):
            gated = catalogue()["SwiGLU"](dim=dim, multiple_of=multiple_of)
        assert gated.gate.weight.shape == gated.up.weight.shape == (hidden, dim)


def test_weights_start_as_they_say():
    torch.manual_seed(0)
    linear = catalogue()["Linear"](in_features=400, out_features=300)
    assert linear.weight.abs().max().item() == pytest.approx(0.05, rel=0.01)
    for name, params in (
        ("Linear", {"in_features": 400, "out_features": 300}),
        ("Embedding", {"vocab": 400, "dim": 300}),
        ("LearnedPosition", {"context": 400, "dim": 300}),
        ("MultiHeadAttention", {"dim": 240}),
        ("CrossAttention", {"dim": 240}),
        ("FeedForward", {"dim": 200}),
        ("SwiGLU", {"dim": 200}),
        ("Conv2d", {"in_channels": 40, "out_channels": 100}),
        ("ConvTranspose2d", {"in_channels": 100, "out_channels": 100}),
    ):
        for parameter in catalogue()[name](**params, init_std=0.02).parameters():
            if parameter.dim() == 1:
                assert (parameter == 0).all()
            else:
                assert parameter.std().item() == pytest.approx(0.02, rel=0.05), name


@pytest.mark.parametrize("name", ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d"])
@pytest.mark.parametrize("groups", [1, 4])
def test_convolutions_start_as_torchs(name, groups):
    torch.manual_seed(0)
    params = {"in_channels": 32, "out_channels": 64, "kernel_size": 3, "groups": groups}
    theirs, ours = getattr(torch.nn, name)(**params), catalogue()[name](**params)
    assert theirs.weight.shape == ours.weight.shape
    assert ours.weight.abs().max().item() == pytest.approx(theirs.weight.abs().max().item(), rel=0.01)
    assert ours.bias.abs().max().item() == pytest.approx(theirs.bias.abs().max().item(), rel=0.2)
