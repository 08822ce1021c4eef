from __future__ import annotations

import math
from typing import Any

import numpy as np
from cases.call import Call
from cases.drawing import flags, small
from cases.numbers import affine, softmax
from hypothesis import strategies as st


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


def calls() -> list[Call]:
    base = {"dim": 24, "num_heads": 6}
    variants: list[dict[str, Any]] = [
        {"kv_heads": 2, "causal": True, "rope": True},
        {},
        {"causal": True},
        {"kv_heads": 1, "bias": False},
        {"head_dim": 6, "rope": True, "rope_layout": "interleaved", "rope_theta": 500.0},
        {"dim": 5, "num_heads": 2, "head_dim": 3, "causal": True, "init_std": 0.02},
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
    both = {"x": "batch seq 24", "context": "batch source_seq 10"}
    calls += [
        Call("CrossAttention", both, base | {"context_dim": 10}),
        Call("CrossAttention", both, base | {"context_dim": 10, "kv_heads": 2, "head_dim": 5, "bias": False}),
        Call("CrossAttention", both | {"mask": "batch 1 1 source_seq"}, base | {"context_dim": 10, "kv_heads": 1}),
        Call("CrossAttention", both | {"score_bias": "seq source_seq"}, base | {"context_dim": 10}),
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
    }
    shapes = {"x": f"batch seq {given['dim']}"}
    if name == "CrossAttention":
        given["context_dim"] = draw(small)
        shapes["context"] = f"batch source_seq {given['context_dim']}"
    else:
        given |= {"causal": draw(flags), "rope": draw(flags)}
        given["rope_layout"] = draw(st.sampled_from(["half", "interleaved"]))
    return given, shapes | draw(extras(heads, "seq", keys))


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
def extras(draw, heads, query, key):
    """Perhaps a mask, perhaps a bias, each the end of (batch, heads, query, key) with ones strewn in."""
    shapes = {}
    for port in ("mask", "score_bias"):
        if draw(flags):
            axes = ["batch", str(heads), query, key][draw(st.integers(0, 4)) :]
            shapes[port] = " ".join(draw(st.sampled_from([axis, "1"])) for axis in axes)
    return shapes


CALLS = calls()

REFERENCES = {
    "MultiHeadAttention": lambda p, s, x, mask, bias: multi_head(p, s, x, x, mask, bias),
    "CrossAttention": lambda p, s, x, context, mask, bias: multi_head(p, s, x, context, mask, bias),
    "ScaledDotProductAttention": lambda p, s, q, k, v, mask, bias: looked_up(
        q, k, v, mask, bias, p["causal"], p["scale"] or 1 / math.sqrt(q.shape[-1])
    ),
}

STRATEGIES = {
    "MultiHeadAttention": attention("MultiHeadAttention"),
    "CrossAttention": attention("CrossAttention"),
    "ScaledDotProductAttention": raw_attention(),
}
