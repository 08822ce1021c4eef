from __future__ import annotations

import math
from typing import Any

import numpy as np
from cases.call import Call
from cases.drawing import flags, small
from cases.numbers import affine, normalised, sigmoid, softmax
from hypothesis import strategies as st


def speeds(p, dim):
    """How far each pair turns from one position to the next, one pair at a time."""
    theta, factor = p["rope_theta"], p["rope_factor"]
    if p["rope_scaling"] == "ntk":
        theta *= factor ** (dim / (dim - 2))
    found = [theta ** (-2 * pair / dim) for pair in range(dim // 2)]
    if p["rope_scaling"] == "linear":
        return [speed / factor for speed in found]
    if p["rope_scaling"] == "yarn":
        # the pair that turns n times within the context solves context · theta^(-2 pair / dim) = 2π n
        fast, slow = (
            math.log(p["rope_context"] / (2 * math.pi * turns)) / math.log(theta) * dim / 2 for turns in (32, 1)
        )
        low, high = max(math.floor(fast), 0), min(math.ceil(slow), dim - 1)
        slower = [min(max((pair - low) / max(high - low, 0.001), 0), 1) for pair in range(dim // 2)]
        return [speed * (share / factor + 1 - share) for speed, share in zip(found, slower, strict=True)]
    return found


def turned(x, p, positions=None, dim=None):
    """Rotary positions by complex numbers: each pair of features is multiplied by e^(i · position · speed)."""
    batch, _, length, head_dim = x.shape
    dim = dim or head_dim
    half, together = dim // 2, p["rope_layout"] == "interleaved"
    positions = np.broadcast_to(np.arange(length) if positions is None else positions, (batch, length))
    y = x.copy()
    for i, speed in enumerate(speeds(p, dim)):
        real, imaginary = (2 * i, 2 * i + 1) if together else (i, i + half)
        number = (x[..., real] + 1j * x[..., imaginary]) * np.exp(1j * positions * speed)[:, None]
        y[..., real], y[..., imaginary] = number.real, number.imag
    return y


def looked_up(q, k, v, mask, score_bias, visible, scale, sink=None):
    """Attention, one query of one head of one sample at a time; key head g serves the heads from g·n on."""
    batch, heads, queries, _ = q.shape
    group = heads // k.shape[1]
    shape = (batch, heads, queries, k.shape[2])
    bias = np.zeros(shape) + (0 if score_bias is None else score_bias)
    visible = np.ones(shape, bool) & visible & (True if mask is None else mask)
    y = np.zeros((batch, heads, queries, v.shape[-1]))
    for sample in range(batch):
        for head in range(heads):
            for query in range(queries):
                seen = np.flatnonzero(visible[sample, head, query])
                scores = k[sample, head // group, seen] @ q[sample, head, query] * scale
                scores = scores + bias[sample, head, query, seen]
                if sink is not None:
                    scores = np.append(scores, sink[head])
                if len(seen):
                    y[sample, head, query] = softmax(scores)[: len(seen)] @ v[sample, head // group, seen]
    return y


def pattern(p, batch, length, prefix=None):
    """Who sees whom by place, one pair at a time."""
    seen = np.zeros((batch, 1, length, length), bool)
    for sample, _, query, key in np.ndindex(seen.shape):
        first = 0 if prefix is None else prefix[sample]
        backward = p.get("causal") or prefix is not None
        near = not p.get("window") or abs(query - key) < p["window"]
        seen[sample, 0, query, key] = near and (not backward or key <= query or key < first)
    return seen


def falling(heads, length):
    """ALiBi, slopes as the paper gives them: a geometric series for a power of two, else two of them interleaved."""
    below = 2 ** int(math.log2(heads))
    slopes = [2 ** (-8 * (n + 1) / below) for n in range(below)]
    slopes += [2 ** (-8 * (n + 1) / (2 * below)) for n in range(0, 2 * below, 2)][: heads - below]
    return np.array([[[-s * abs(i - j) for j in range(length)] for i in range(length)] for s in slopes])


def heads_of(x, count):
    batch, length, width = x.shape
    return x.reshape(batch, length, count, width // count).transpose(0, 2, 1, 3)


def multi_head(p, state, x, context, mask, score_bias, prefix=None, positions=None):
    heads, kv_heads = p["num_heads"], p["kv_heads"] or p["num_heads"]
    q = heads_of(affine(x, state, "q_proj."), heads)
    k = heads_of(affine(context, state, "k_proj."), kv_heads)
    v = heads_of(affine(context, state, "v_proj."), kv_heads)
    if p["qk_norm"]:
        q = normalised(q, -1, p["norm_eps"], center=False) * state["q_norm.weight"]
        k = normalised(k, -1, p["norm_eps"], center=False) * state["k_norm.weight"]
    if p.get("rope"):
        q, k = (turned(t, p, positions, p["rope_dim"]) for t in (q, k))
        if p["rope_scaling"] == "yarn":
            share = p["rope_dim"] or q.shape[-1]
            for t in (q, k):
                t[..., :share] *= 1 + math.log(p["rope_factor"]) / 10
    if p.get("alibi"):
        score_bias = falling(heads, x.shape[1]) + (0 if score_bias is None else score_bias)
    visible = pattern(p, *x.shape[:2], prefix) if context is x else True
    y = looked_up(q, k, v, mask, score_bias, visible, 1 / math.sqrt(q.shape[-1]), state.get("sink"))
    if p.get("gate", "none") != "none":
        y = y * sigmoid(heads_of(affine(x, state, "gate_proj."), heads))
    return affine(y.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1), state, "o_proj.")


def latent(p, state, x, mask, score_bias, positions=None):
    heads, size, turning = p["num_heads"], p["head_dim"], p["rope_dim"]
    short = x
    if p["q_rank"]:
        short = normalised(affine(x, state, "q_down."), -1, p["norm_eps"], center=False) * state["q_norm.weight"]
    q = heads_of(affine(short, state, "q_up."), heads)
    c, order = np.split(affine(x, state, "kv_down."), [p["kv_rank"]], -1)
    c = normalised(c, -1, p["norm_eps"], center=False) * state["kv_norm.weight"]
    k, v = np.split(heads_of(affine(c, state, "kv_up."), heads), [size], -1)
    content, q_order = np.split(q, [size], -1)
    scores = content @ k.swapaxes(-1, -2)  # two products, since q and k are two parts each
    if turning:
        scores = scores + turned(q_order, p, positions) @ turned(order[:, None], p, positions).swapaxes(-1, -2)
    growth = 1 + p["rope_growth"] / 10 * math.log(p["rope_factor"]) if p["rope_scaling"] == "yarn" else 1
    scores = scores * growth**2 / math.sqrt(size + turning) + (0 if score_bias is None else score_bias)
    visible = pattern(p, *x.shape[:2]) & (True if mask is None else mask)
    y = softmax(np.where(visible, scores, -1e300)) @ v
    y = np.where(np.any(visible & np.ones(scores.shape, bool), -1, keepdims=True), y, 0)
    return affine(y.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1), state, "o_proj.")


def calls() -> list[Call]:
    base = {"dim": 24, "num_heads": 6}
    rope = {"rope": True, "head_dim": 8}
    scaled = {"rope_factor": 3.0, "rope_context": 40, "rope_theta": 50.0}
    variants: list[dict[str, Any]] = [
        {"kv_heads": 2, "causal": True, "rope": True},
        {},
        {"causal": True},
        {"kv_heads": 1, "bias": False},
        {"head_dim": 6, "rope": True, "rope_layout": "interleaved", "rope_theta": 500.0},
        {"dim": 5, "num_heads": 2, "head_dim": 3, "causal": True, "init_std": 0.02},
        {"bias": False, "qkv_bias": True, "kv_heads": 3},
        {"bias": False, "out_bias": True},
        {"window": 3},
        {"window": 2, "causal": True, "kv_heads": 2},
        {"alibi": True, "causal": True},
        {"alibi": True, "dim": 20, "num_heads": 5},
        {"qk_norm": True, "norm_eps": 0.01, "kv_heads": 2},
        {"qk_norm": True, "rope": True, "causal": True, "bias": False},
        {"sink": True},
        {"sink": True, "causal": True, "kv_heads": 2, "window": 4, "qkv_bias": True},
        {"gate": "head", "kv_heads": 3},
        {"gate": "element", "causal": True, "sink": True, "head_dim": 5},
        rope | {"rope_dim": 6, "kv_heads": 2},
        rope | {"rope_dim": 4, "rope_layout": "interleaved", "causal": True},
        *(rope | scaled | {"rope_scaling": scaling} for scaling in ("linear", "ntk", "yarn")),
        rope | {"rope_scaling": "yarn", "rope_dim": 6, "rope_context": 4096, "rope_layout": "interleaved"},
    ]
    extras: list[dict[str, str]] = [
        {"mask": "batch 1 1 seq"},
        {"score_bias": "6 seq seq"},
        {"mask": "seq seq", "score_bias": "batch 1 seq seq"},
        {"mask": "seq"},
    ]
    calls = [
        Call("MultiHeadAttention", {"x": f"batch seq {(base | variant)['dim']}"}, base | variant)
        for variant in variants
    ]
    calls += [
        Call("MultiHeadAttention", {"x": "batch seq 24"} | extra, base | {"causal": causal, "kv_heads": 3})
        for extra in extras
        for causal in (False, True)
    ]
    further: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({"mask": "batch 1 1 seq"}, {"sink": True}),
        ({"score_bias": "6 seq seq"}, {"alibi": True, "sink": True, "window": 3}),
        ({"prefix": "batch"}, {"kv_heads": 2}),
        ({"prefix": "batch"}, {"causal": True, "window": 4, "rope": True}),
        ({"prefix": "batch", "mask": "batch 1 1 seq"}, {"causal": True, "sink": True}),
        ({"positions": "batch seq"}, rope | {"causal": True}),
        ({"positions": "seq"}, rope | scaled | {"rope_scaling": "yarn", "rope_dim": 4}),
    ]
    calls += [Call("MultiHeadAttention", {"x": "batch seq 24"} | wired, base | given) for wired, given in further]
    both = {"x": "batch seq 24", "context": "batch source_seq 10"}
    calls += [
        Call("CrossAttention", both, base | {"context_dim": 10}),
        Call("CrossAttention", both, base | {"context_dim": 10, "kv_heads": 2, "head_dim": 5, "bias": False}),
        Call("CrossAttention", both | {"mask": "batch 1 1 source_seq"}, base | {"context_dim": 10, "kv_heads": 1}),
        Call("CrossAttention", both | {"score_bias": "seq source_seq"}, base | {"context_dim": 10}),
        Call("CrossAttention", both, base | {"context_dim": 10, "bias": False, "out_bias": True, "qk_norm": True}),
    ]
    small = {"dim": 20, "num_heads": 4, "head_dim": 6, "kv_rank": 9, "rope_dim": 4}
    name = "MultiHeadLatentAttention"
    calls += [
        Call(name, {"x": "batch seq 20"}, small),
        Call(name, {"x": "batch seq 20"}, small | {"q_rank": 11, "value_dim": 5, "causal": False, "bias": True}),
        Call(name, {"x": "batch seq 20"}, small | scaled | {"rope_scaling": "yarn", "rope_layout": "half"}),
        Call(name, {"x": "batch seq 20"}, small | {"rope_dim": 0, "init_std": 0.02, "value_dim": 11}),
        Call(name, {"x": "batch seq 20", "mask": "batch 1 1 seq", "positions": "batch seq"}, small | {"value_dim": 9}),
        Call(name, {"x": "batch seq 20", "score_bias": "4 seq seq"}, small | {"causal": False}),
    ]
    raw = {"q": "batch 6 seq 8", "k": "batch 2 source_seq 8", "v": "batch 2 source_seq 5"}
    same = {"q": "batch 4 seq 8", "k": "batch 4 seq 8", "v": "batch 4 seq 8"}
    name = "ScaledDotProductAttention"
    calls += [
        Call(name, raw),
        Call(name, raw | {"mask": "batch 6 seq source_seq", "score_bias": "source_seq"}, {"scale": 0.7}),
        Call(name, same, {"causal": True}),
        Call(name, same | {"mask": "batch 1 1 seq"}, {"causal": True, "scale": 2.0}),
    ]
    return calls


@st.composite
def attention(draw, name):
    heads = draw(small)
    kv_heads = draw(st.sampled_from([None, *(count for count in range(1, heads + 1) if heads % count == 0)]))
    keys = "source_seq" if name == "CrossAttention" else "seq"
    given = {
        "dim": heads * draw(small),
        "num_heads": heads,
        "kv_heads": kv_heads,
        "head_dim": draw(st.sampled_from([None, 2, 3, 4])),
        "bias": draw(flags),
        "qkv_bias": draw(flags),
        "out_bias": draw(flags),
        "qk_norm": draw(flags),
    }
    shapes = {"x": f"batch seq {given['dim']}"}
    if name == "CrossAttention":
        given["context_dim"] = draw(small)
        shapes["context"] = f"batch source_seq {given['context_dim']}"
    else:
        given |= {"causal": draw(flags), "rope": draw(flags)}
        given["rope_layout"] = draw(st.sampled_from(["half", "interleaved"]))
        given["rope_dim"] = draw(st.sampled_from([None, 2, 3, 4]))
        given["rope_scaling"] = draw(st.sampled_from(["none", "linear", "ntk", "yarn"]))
        given["window"] = draw(st.none() | small)
        given |= {"alibi": draw(flags), "sink": draw(flags), "gate": draw(st.sampled_from(["none", "head", "element"]))}
        if draw(flags):
            shapes["prefix"] = "batch"
    return given, shapes | draw(extras(heads, "seq", keys, positions=name != "CrossAttention"))


@st.composite
def latent_attention(draw):
    heads = draw(small)
    given = {
        "dim": draw(small),
        "num_heads": heads,
        "head_dim": draw(small),
        "value_dim": draw(st.none() | small),
        "kv_rank": draw(small),
        "q_rank": draw(st.none() | small),
        "rope_dim": draw(st.integers(0, 4)),
        "causal": draw(flags),
        "rope_scaling": draw(st.sampled_from(["none", "linear", "ntk", "yarn"])),
    }
    return given, {"x": f"batch seq {given['dim']}"} | draw(extras(heads, "seq", "seq", positions=True))


@st.composite
def raw_attention(draw):
    kv_heads = draw(st.integers(1, 3))
    heads = kv_heads * draw(st.integers(1, 3))
    keys = draw(st.sampled_from(["seq", "source_seq"]))
    shapes = {
        "q": f"batch {heads} seq 4",
        "k": f"batch {kv_heads} {keys} 4",
        "v": f"batch {kv_heads} {keys} {draw(small)}",
    }
    given = {"causal": keys == "seq" and draw(flags), "scale": draw(st.sampled_from([None, 0.3]))}
    return given, shapes | draw(extras(heads, "seq", keys))


@st.composite
def extras(draw, heads, query, key, positions=False):
    """Perhaps a mask, perhaps a bias, each the end of (batch, heads, query, key) with ones strewn in."""
    shapes = {}
    whole = ["batch", str(heads), query, key]
    ends = {"mask": whole, "score_bias": whole} | ({"positions": ["batch", query]} if positions else {})
    for port, whole in ends.items():
        if draw(flags):
            axes = whole[draw(st.integers(0, len(whole))) :]
            shapes[port] = " ".join(draw(st.sampled_from([axis, "1"])) for axis in axes)
    return shapes


CALLS = calls()

REFERENCES = {
    "MultiHeadAttention": lambda p, s, x, *given: multi_head(p, s, x, x, *given),
    "MultiHeadLatentAttention": latent,
    "CrossAttention": multi_head,
    "ScaledDotProductAttention": lambda p, s, q, k, v, mask, bias: looked_up(
        q,
        k,
        v,
        mask,
        bias,
        np.tri(q.shape[2], k.shape[2], dtype=bool) if p["causal"] else True,
        p["scale"] or 1 / math.sqrt(q.shape[-1]),
    ),
}

STRATEGIES = {
    "MultiHeadAttention": attention("MultiHeadAttention"),
    "MultiHeadLatentAttention": latent_attention(),
    "CrossAttention": attention("CrossAttention"),
    "ScaledDotProductAttention": raw_attention(),
}
