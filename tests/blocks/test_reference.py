"""Every block against a formula written from its definition, in float64 numpy and without the kernel it calls."""

from __future__ import annotations

import math

import einops
import numpy as np
import pytest
import torch

from blocks import catalogue

erf = np.vectorize(math.erf)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


def gelu_tanh(x):
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x):
    return np.where(x > 0, x, 0)


def softmax(x, axis=-1):
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


ACTIVATIONS = {"gelu": gelu, "gelu_tanh": gelu_tanh, "relu": relu, "silu": silu}


def affine(x, state, name):
    y = np.einsum("...i,oi->...o", x, state[f"{name}weight"])
    return y + state.get(f"{name}bias", 0)


def normalised(x, axes, eps, center=True):
    mean = x.mean(axes, keepdims=True) if center else 0
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)


def per_channel(vector, x):
    return vector.reshape(1, -1, *[1] * (x.ndim - 2))


def turned(x, theta, interleaved):
    """Rotary positions by complex numbers: each pair of features is multiplied by e^(i · position · speed)."""
    *_, length, head_dim = x.shape
    half = head_dim // 2
    pairs = [(2 * i, 2 * i + 1) if interleaved else (i, i + half) for i in range(half)]
    y = np.empty_like(x)
    for i, (real, imaginary) in enumerate(pairs):
        angle = np.arange(length) * theta ** (-2 * i / head_dim)
        number = (x[..., real] + 1j * x[..., imaginary]) * np.exp(1j * angle)
        y[..., real], y[..., imaginary] = number.real, number.imag
    return y


def looked_up(q, k, v, mask, score_bias, causal, scale):
    """Attention, one head of one sample at a time; key head g serves the heads from g·n on."""
    batch, heads, queries, _ = q.shape
    group = heads // k.shape[1]
    shape = (batch, heads, queries, k.shape[2])
    bias = np.zeros(shape) + (0 if score_bias is None else score_bias)
    visible = np.ones(shape, bool) & (True if mask is None else mask)
    if causal:
        visible &= np.tril(np.ones(shape[2:], bool))
    y = np.zeros((batch, heads, queries, v.shape[-1]))
    for sample in range(batch):
        for head in range(heads):
            for query in range(queries):
                seen = np.flatnonzero(visible[sample, head, query])
                if not len(seen):
                    continue
                scores = k[sample, head // group, seen] @ q[sample, head, query] * scale
                y[sample, head, query] = (
                    softmax(scores + bias[sample, head, query, seen]) @ v[sample, head // group, seen]
                )
    return y


def heads_of(x, count):
    batch, length, width = x.shape
    return x.reshape(batch, length, count, width // count).transpose(0, 2, 1, 3)


def multi_head(p, state, x, context, mask, score_bias):
    heads, kv_heads = p["num_heads"], p["kv_heads"] or p["num_heads"]
    q = heads_of(affine(x, state, "q_proj."), heads)
    k = heads_of(affine(context, state, "k_proj."), kv_heads)
    v = heads_of(affine(context, state, "v_proj."), kv_heads)
    if p.get("rope"):
        q, k = (turned(t, p["rope_theta"], p["rope_layout"] == "interleaved") for t in (q, k))
    y = looked_up(q, k, v, mask, score_bias, p.get("causal", False), 1 / math.sqrt(q.shape[-1]))
    return affine(y.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1), state, "o_proj.")


def conv2d(p, state, x):
    weight, pad, step, gap = state["weight"], p["padding"], p["stride"], p["dilation"]
    mode = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[p["padding_mode"]]
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode=mode)
    span = gap * (p["kernel_size"] - 1) + 1
    height, width = ((size - span) // step + 1 for size in x.shape[2:])
    outputs, inside = weight.shape[:2]
    y = np.zeros((len(x), outputs, height, width))
    for o in range(outputs):
        start = o // (outputs // p["groups"]) * inside
        for r in range(height):
            for c in range(width):
                window = x[
                    :, start : start + inside, r * step : r * step + span : gap, c * step : c * step + span : gap
                ]
                y[:, o, r, c] = (window * weight[o]).sum((1, 2, 3))
    return y + per_channel(state["bias"], y) if "bias" in state else y


def conv_transpose2d(p, state, x):
    weight, pad, step, gap, groups = state["weight"], p["padding"], p["stride"], p["dilation"], p["groups"]
    batch, inputs, height, width = x.shape
    inside = weight.shape[1]
    span = gap * (p["kernel_size"] - 1) + 1
    full = [(size - 1) * step + span + p["output_padding"] for size in (height, width)]
    y = np.zeros((batch, inside * groups, *full))
    for i in range(inputs):
        out = i // (inputs // groups) * inside
        for r in range(height):
            for c in range(width):
                stamp = x[:, i, r, c, None, None, None] * weight[i]
                y[:, out : out + inside, r * step : r * step + span : gap, c * step : c * step + span : gap] += stamp
    y = y[:, :, pad : full[0] - pad, pad : full[1] - pad]
    return y + per_channel(state["bias"], y) if "bias" in state else y


def windows(p, x, fill):
    kernel, pad = p["kernel_size"], p["padding"]
    step = p["stride"] or kernel
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    height, width = ((size - kernel) // step + 1 for size in x.shape[2:])
    rows = [
        np.stack([x[:, :, r * step : r * step + kernel, c * step : c * step + kernel] for c in range(width)], 2)
        for r in range(height)
    ]
    return np.stack(rows, 2)


def up_sample(p, x):
    factor, (height, width) = p["factor"], x.shape[2:]
    if p["mode"] == "nearest":
        return x[:, :, np.arange(height * factor) // factor][..., np.arange(width * factor) // factor]

    def blend(length):
        """A matrix that reads each new pixel's centre between the two old ones around it."""
        matrix = np.zeros((length * factor, length))
        for new in range(length * factor):
            place = min(max((new + 0.5) / factor - 0.5, 0), length - 1)
            low = min(int(place), length - 1)
            matrix[new, low] += 1 - (place - low)
            matrix[new, min(low + 1, length - 1)] += place - low
        return matrix

    return np.einsum("ah,bchw,dw->bcad", blend(height), x, blend(width))


def waves(p, x):
    position, feature = np.meshgrid(np.arange(x.shape[1]), np.arange(x.shape[2]), indexing="ij")
    angle = position / p["max_period"] ** (feature // 2 * 2 / x.shape[2])
    return x + np.where(feature % 2, np.cos(angle), np.sin(angle))


def time_waves(p, t):
    half = p["dim"] // 2
    angle = t[:, None] * p["max_period"] ** (-np.arange(half) / half)
    return np.concatenate([np.cos(angle), np.sin(angle)], 1)


def rearranged(p, x, like):
    sizes = {name.strip(): int(size) for name, size in (part.split("=") for part in p["sizes"].split(",") if part)}
    if like is not None:
        sizes |= {"h": like.shape[2] // sizes.get("p", 1), "w": like.shape[3] // sizes.get("q", 1)}
    return einops.rearrange(x, p["pattern"], **sizes)


REFERENCES = {
    "Linear": lambda p, s, x: affine(x, s, ""),
    "Embedding": lambda p, s, tokens: np.eye(p["vocab"])[tokens] @ s["weight"],
    "LearnedPosition": lambda p, s, x: np.stack([row + s["weight"][: len(row)] for row in x]),
    "SinusoidalPosition": lambda p, s, x: waves(p, x),
    "TimestepEmbedding": lambda p, s, t: time_waves(p, t),
    "LayerNorm": lambda p, s, x: normalised(x, -1, p["eps"]) * s["weight"] + s.get("bias", 0),
    "RMSNorm": lambda p, s, x: normalised(x, -1, p["eps"], center=False) * s["weight"],
    "GroupNorm": lambda p, s, x: (
        normalised(x.reshape(len(x), p["num_groups"], -1), -1, p["eps"]).reshape(x.shape) * per_channel(s["weight"], x)
        + per_channel(s["bias"], x)
    ),
    "BatchNorm": lambda p, s, x: (
        (x - per_channel(s["running_mean"], x))
        / np.sqrt(per_channel(s["running_var"], x) + p["eps"])
        * per_channel(s["weight"], x)
        + per_channel(s["bias"], x)
    ),
    "ReLU": lambda p, s, x: relu(x),
    "GELU": lambda p, s, x: (gelu if p["approximate"] == "none" else gelu_tanh)(x),
    "SiLU": lambda p, s, x: silu(x),
    "Sigmoid": lambda p, s, x: sigmoid(x),
    "Tanh": lambda p, s, x: 1 - 2 / (np.exp(2 * x) + 1),
    "Softmax": lambda p, s, x: softmax(x, p["axis"]),
    "MultiHeadAttention": lambda p, s, x, mask, bias: multi_head(p, s, x, x, mask, bias),
    "CrossAttention": lambda p, s, x, context, mask, bias: multi_head(p, s, x, context, mask, bias),
    "ScaledDotProductAttention": lambda p, s, q, k, v, mask, bias: looked_up(
        q, k, v, mask, bias, p["causal"], p["scale"] or 1 / math.sqrt(q.shape[-1])
    ),
    "FeedForward": lambda p, s, x: affine(ACTIVATIONS[p["activation"]](affine(x, s, "up.")), s, "down."),
    "SwiGLU": lambda p, s, x: affine(silu(affine(x, s, "gate.")) * affine(x, s, "up."), s, "down."),
    "Conv2d": conv2d,
    "ConvTranspose2d": conv_transpose2d,
    "UpSample": lambda p, s, x: up_sample(p, x),
    "MaxPool2d": lambda p, s, x: windows(p, x, -np.inf).max((-2, -1)),
    "AvgPool2d": lambda p, s, x: windows(p, x, 0).mean((-2, -1)),
    "GlobalAvgPool": lambda p, s, x: x.reshape(*x.shape[:2], -1).mean(-1),
    "Add": lambda p, s, *x: sum(x),
    "Multiply": lambda p, s, *x: math.prod(x, start=1),
    "Concat": lambda p, s, *x: np.concatenate(x, p["axis"]),
    "Flatten": lambda p, s, x: x.reshape(*x.shape[: p["start_axis"]], -1),
    "Rearrange": lambda p, s, x, like: rearranged(p, x, like),
    "Dropout": lambda p, s, x: x,
    "Output": lambda p, s, x: x,
}


def test_every_block_has_a_reference(calls):
    assert {call.block for call in calls} == set(REFERENCES)


def test_block_equals_its_definition(call):
    module = call.build(torch.float64)
    arguments = call.tensors(torch.float64)
    with torch.no_grad():
        value = module(*arguments).numpy()
    state = {name: tensor.numpy() for name, tensor in module.state_dict().items()}
    given = [x if x is None else x.numpy() for x in arguments]
    expected = REFERENCES[call.block](call.full, state, *given)
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-10)


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
    ):
        for parameter in catalogue()[name](**params, init_std=0.02).parameters():
            if parameter.dim() == 1:
                assert (parameter == 0).all()
            else:
                assert parameter.std().item() == pytest.approx(0.02, rel=0.05), name


@pytest.mark.parametrize("name", ["Conv2d", "ConvTranspose2d"])
@pytest.mark.parametrize("groups", [1, 4])
def test_convolutions_start_as_torchs(name, groups):
    torch.manual_seed(0)
    params = {"in_channels": 32, "out_channels": 64, "kernel_size": 3, "groups": groups}
    theirs, ours = getattr(torch.nn, name)(**params), catalogue()[name](**params)
    assert theirs.weight.shape == ours.weight.shape
    assert ours.weight.abs().max().item() == pytest.approx(theirs.weight.abs().max().item(), rel=0.01)
    assert ours.bias.abs().max().item() == pytest.approx(theirs.bias.abs().max().item(), rel=0.2)
