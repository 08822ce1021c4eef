from __future__ import annotations

from cases.attention import extras, multi_head
from cases.call import Call
from cases.drawing import flags, over_last, small
from cases.numbers import affine, gelu, gelu_tanh, normalised, relu, silu
from hypothesis import strategies as st

from blocks import catalogue

ACTIVATIONS = {"gelu": gelu, "gelu_tanh": gelu_tanh, "relu": relu, "silu": silu}


def inside(state, name):
    """The state of a part."""
    return {key.removeprefix(f"{name}."): value for key, value in state.items() if key.startswith(f"{name}.")}


def attended(p, state, name, x, context, mask, block="MultiHeadAttention", positions=None):
    own = {param.name: param.default for param in catalogue()[block].params()} | p
    return multi_head(own, inside(state, name), x, context, mask, None, None, positions)


def normed(x, state, name, eps, center=True):
    return normalised(x, -1, eps, center=center) * state[f"{name}.weight"] + state.get(f"{name}.bias", 0)


def thought(x, state, activation):
    return affine(ACTIVATIONS[activation](affine(x, state, "up.")), state, "down.")


def gated(x, state, act):
    return affine(act(affine(x, state, "gate.")) * affine(x, state, "up."), state, "down.")


def layered(p, s, x, *steps):
    """Each step is the name of its norm and what it adds; norms stand before it or after the sum."""
    for name, step in steps:
        if p["norm_first"]:
            x = x + step(normed(x, s, name, p["eps"]))
        else:
            x = normed(x + step(x), s, name, p["eps"])
    return x


def encoder(p, s, x, mask):
    return layered(
        p,
        s,
        x,
        ("attn_norm", lambda h: attended(p, s, "attn", h, h, mask)),
        ("mlp_norm", lambda h: thought(h, inside(s, "mlp"), p["activation"])),
    )


def decoder(p, s, x, context, mask, context_mask):
    return layered(
        p,
        s,
        x,
        ("attn_norm", lambda h: attended(p, s, "attn", h, h, mask)),
        ("cross_norm", lambda h: attended(p, s, "cross", h, context, context_mask, "CrossAttention")),
        ("mlp_norm", lambda h: thought(h, inside(s, "mlp"), p["activation"])),
    )


def modern(p, s, x, mask, positions):
    own = p | {"rope": True, "bias": False, "norm_eps": p["eps"]}
    normed_x = normed(x, s, "attn_norm", p["eps"], center=False)
    x = x + attended(own, s, "attn", normed_x, normed_x, mask, positions=positions)
    return x + gated(normed(x, s, "mlp_norm", p["eps"], center=False), inside(s, "mlp"), silu)


def parallel(p, s, x, mask):
    h = normed(x, s, "norm", p["eps"], center=p["norm"] == "layer")
    own = p | {"rope": True, "bias": p["attn_bias"]}
    mlp = inside(s, "mlp")
    wide = gated(h, mlp, silu) if p["feed_forward"] == "swiglu" else thought(h, mlp, p["feed_forward"])
    return x + attended(own, s, "attn", h, h, mask) + wide


X, SMALL = {"x": "batch seq 12"}, {"dim": 12, "num_heads": 2}
BOTH = X | {"context": "batch source_seq 10"}

CALLS = [
    Call("FeedForward", {"x": "batch seq 6"}, {"dim": 6}),
    *(
        Call("FeedForward", {"x": "batch height width 6"}, {"dim": 6, "hidden": 5, "bias": bias, "activation": act})
        for act, bias in (("gelu_tanh", True), ("relu", False), ("silu", True))
    ),
    Call("SwiGLU", {"x": "batch seq 6"}, {"dim": 6, "multiple_of": 4}),
    Call("SwiGLU", {"x": "6"}, {"dim": 6, "hidden": 7, "bias": True}),
    Call("GeGLU", {"x": "batch seq 6"}, {"dim": 6, "multiple_of": 4}),
    Call("GeGLU", {"x": "6"}, {"dim": 6, "hidden": 7, "bias": True, "approximate": "tanh"}),
    Call("EncoderBlock", X, SMALL),
    Call("EncoderBlock", X | {"mask": "batch 1 1 seq"}, SMALL | {"norm_first": False, "hidden": 7, "eps": 0.1}),
    Call("EncoderBlock", X, SMALL | {"bias": False, "activation": "relu", "init_std": 0.02}),
    Call("DecoderBlock", BOTH, SMALL | {"context_dim": 10}),
    Call("DecoderBlock", BOTH, SMALL | {"context_dim": 10, "norm_first": False, "activation": "gelu", "hidden": 5}),
    Call(
        "DecoderBlock",
        BOTH | {"mask": "batch 1 1 seq", "context_mask": "batch 1 1 source_seq"},
        SMALL | {"context_dim": 10, "causal": False, "bias": False},
    ),
    Call("ModernDecoderBlock", X, {"dim": 12, "num_heads": 6, "multiple_of": 4}),
    Call(
        "ModernDecoderBlock",
        X | {"mask": "batch 1 1 seq", "positions": "batch seq"},
        {"dim": 12, "num_heads": 4, "kv_heads": None, "head_dim": 6, "hidden": 9, "qkv_bias": True, "window": 3},
    ),
    Call("ModernDecoderBlock", X, SMALL | {"kv_heads": 1, "qk_norm": True, "hidden": 5, "rope_scaling": "yarn"}),
    Call("ParallelBlock", X, SMALL | {"rope_dim": 4}),
    Call("ParallelBlock", X, SMALL | {"feed_forward": "swiglu", "kv_heads": 1, "bias": False, "hidden": 7}),
    Call("ParallelBlock", X | {"mask": "seq"}, SMALL | {"norm": "rms", "attn_bias": True, "rope_layout": "half"}),
]

REFERENCES = {
    "FeedForward": lambda p, s, x: affine(ACTIVATIONS[p["activation"]](affine(x, s, "up.")), s, "down."),
    "SwiGLU": lambda p, s, x: gated(x, s, silu),
    "GeGLU": lambda p, s, x: gated(x, s, gelu if p["approximate"] == "none" else gelu_tanh),
    "EncoderBlock": encoder,
    "DecoderBlock": decoder,
    "ModernDecoderBlock": modern,
    "ParallelBlock": parallel,
}


@st.composite
def layer(draw, *ports, **choices):
    """A layer at random, with the ports that may be wired."""
    heads, dim = draw(small), draw(st.integers(1, 12))
    given = {"dim": dim, "num_heads": heads} | {name: draw(choice) for name, choice in choices.items()}
    shapes = {"x": f"batch seq {dim}"}
    if "context" in ports:
        given["context_dim"] = draw(small)
        shapes["context"] = f"batch source_seq {given['context_dim']}"
        across = draw(extras(heads, "seq", "source_seq"))
        shapes |= {"context_mask": across["mask"]} if "mask" in across else {}
    wired = draw(extras(heads, "seq", "seq", positions=True))
    return given, shapes | {name: shape for name, shape in wired.items() if name in ports}


SIZES = {"hidden": st.none() | small, "activation": st.sampled_from(list(ACTIVATIONS)), "bias": flags}
HEADS = {"kv_heads": st.none() | small, "head_dim": st.none() | small, "hidden": st.none() | small}

STRATEGIES = {
    "FeedForward": over_last("dim", hidden=st.none() | small, bias=flags),
    "SwiGLU": over_last("dim", hidden=st.none() | small, multiple_of=small, bias=flags),
    "GeGLU": over_last("dim", hidden=st.none() | small, multiple_of=small, bias=flags),
    "EncoderBlock": layer("mask", norm_first=flags, **SIZES),
    "DecoderBlock": layer("mask", "context", norm_first=flags, causal=flags, **SIZES),
    "ModernDecoderBlock": layer("mask", "positions", causal=flags, qkv_bias=flags, qk_norm=flags, **HEADS),
    "ParallelBlock": layer(
        "mask", feed_forward=st.sampled_from(["gelu", "swiglu"]), norm=st.sampled_from(["layer", "rms"]), **HEADS
    ),
}
