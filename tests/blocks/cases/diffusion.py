from __future__ import annotations

import math

import numpy as np
from cases.attention import heads_of, looked_up
from cases.call import Call
from cases.drawing import AXES, PICTURE, fixed, flags, small
from cases.numbers import affine, gelu, normalised, per_channel, silu
from hypothesis import strategies as st


def part(s, name):
    """The tensors of one part of a block."""
    return {key.removeprefix(f"{name}."): tensor for key, tensor in s.items() if key.startswith(f"{name}.")}


def group_norm(x, s, groups, eps):
    flat = normalised(x.reshape(len(x), groups, -1), -1, eps).reshape(x.shape)
    return flat * per_channel(s["weight"], x) + per_channel(s["bias"], x)


def conv(x, s, stride=1):
    """A convolution whose padding keeps the size at stride 1, one place at a time."""
    side = s["weight"].shape[2]
    padded = np.pad(x, ((0, 0), (0, 0), (side // 2,) * 2, (side // 2,) * 2))
    height, width = ((size - 1) // stride + 1 for size in x.shape[2:])
    y = np.zeros((len(x), len(s["weight"]), height, width))
    for r in range(height):
        for c in range(width):
            window = padded[:, :, r * stride : r * stride + side, c * stride : c * stride + side]
            y[:, :, r, c] = np.einsum("bihw,oihw->bo", window, s["weight"]) + s["bias"]
    return y


def residual(p, s, x, time):
    eps = p.get("eps", 1e-5)
    h = conv(silu(group_norm(x, part(s, "norm1"), p["groups"], eps)), part(s, "conv1"))
    told = affine(silu(time), s, "time_proj.")[:, :, None, None]
    if p["injection"] == "add":
        h = group_norm(h + told, part(s, "norm2"), p["groups"], eps)
    else:
        scale, shift = np.split(told, 2, 1)
        h = (1 + scale) * group_norm(h, part(s, "norm2"), p["groups"], eps) + shift
    kept = conv(x, part(s, "shortcut")) if "shortcut.weight" in s else x
    return kept + conv(silu(h), part(s, "conv2"))


def down(p, s, x, time):
    for layer in range(p["layers"]):
        x = residual(p, part(s, f"blocks.{layer}"), x, time)
    return (conv(x, part(s, "downsample"), 2) if p["halve"] else x), x


def up(p, s, x, skip, time):
    if p["double"]:
        x = conv(x.repeat(2, 2).repeat(2, 3), part(s, "smooth"))
    x = np.concatenate((x, skip), 1)
    for layer in range(p["layers"]):
        x = residual(p, part(s, f"blocks.{layer}"), x, time)
    return x


def attention(s, heads, x, context, mask):
    q, k, v = (
        heads_of(affine(given, s, f"{name}_proj."), heads) for name, given in (("q", x), ("k", context), ("v", context))
    )
    y = looked_up(q, k, v, mask, None, True, 1 / math.sqrt(q.shape[-1]))
    return affine(y.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1), s, "o_proj.")


def layer_norm(x, s, eps):
    return normalised(x, -1, eps) * s["weight"] + s["bias"]


def conditioned(p, s, x, context, mask):
    heads, eps = p["num_heads"], p.get("eps", 1e-5)
    own = layer_norm(x, part(s, "attn_norm"), eps)
    x = x + attention(part(s, "attn"), heads, own, own, None)
    x = x + attention(part(s, "cross"), heads, layer_norm(x, part(s, "cross_norm"), eps), context, mask)
    inside, mlp = layer_norm(x, part(s, "mlp_norm"), eps), part(s, "mlp")
    return x + affine(gelu(affine(inside, mlp, "gate.")) * affine(inside, mlp, "up."), mlp, "down.")


def spatial(p, s, x, context, mask):
    h = conv(group_norm(x, part(s, "norm"), p["groups"], p["eps"]), part(s, "conv_in"))
    row = h.reshape(*h.shape[:2], -1).transpose(0, 2, 1)
    for layer in range(p["layers"]):
        row = conditioned({"num_heads": p["num_heads"]}, part(s, f"layers.{layer}"), row, context, mask)
    return x + conv(row.transpose(0, 2, 1).reshape(h.shape), part(s, "conv_out"))


def patches(p, x):
    side = p["patch_size"]
    rows = []
    for r in range(0, x.shape[2], side):
        for c in range(0, x.shape[3], side):
            patch = x[:, :, r : r + side, c : c + side]
            patch = patch if p["order"] == "channel pixel" else patch.transpose(0, 2, 3, 1)
            rows.append(patch.reshape(len(x), -1))
    return np.stack(rows, 1)


def unpatched(p, x, like):
    side, (height, width) = p["patch_size"], like.shape[2:]
    y = np.zeros((len(x), x.shape[2] // side**2, height, width))
    for place in range(x.shape[1]):
        r, c = divmod(place, width // side)
        if p["order"] == "channel pixel":
            patch = x[:, place].reshape(len(x), -1, side, side)
        else:
            patch = x[:, place].reshape(len(x), side, side, -1).transpose(0, 3, 1, 2)
        y[:, :, r * side : (r + 1) * side, c * side : (c + 1) * side] = patch
    return y


def schedule(p, t):
    steps, kind = p["steps"], p["schedule"]
    if kind == "flow":
        return 1 - t / steps, t / steps
    kept, logs = 1.0, []
    for step in range(steps):
        along = step / (steps - 1)
        if kind == "cosine":
            now, then = (math.cos(((at / steps) + 0.008) / 1.008 * math.pi / 2) ** 2 for at in (step, step + 1))
            beta = min(1 - then / now, 0.999)
        elif kind == "linear":
            beta = p["beta_start"] + along * (p["beta_end"] - p["beta_start"])
        else:
            beta = (math.sqrt(p["beta_start"]) + along * (math.sqrt(p["beta_end"]) - math.sqrt(p["beta_start"]))) ** 2
        kept *= 1 - beta
        logs.append(math.log(kept))
    left = np.exp(np.interp(t, np.arange(steps), logs))
    return np.sqrt(left), np.sqrt(1 - left)


def mixed(p, s, x, noise, signal, spread):
    return np.stack([a * one + b * other for one, other, a, b in zip(x, noise, signal, spread, strict=True)])


picture, time = {"x": "batch 6 height width"}, {"time": "batch 5"}
block = {"in_channels": 6, "out_channels": 4, "time_dim": 5, "groups": 2}
shift = {"injection": "scale_shift"}
level = {"x": "batch 4 height width", "skip": "batch 2 2*height 2*width"} | time
up_base = {"in_channels": 4, "skip_channels": 2, "out_channels": 6, "time_dim": 5, "groups": 3, "layers": 1}
prompt = {"context": "batch source_seq 7"}
conditioned_base = {"dim": 6, "context_dim": 7, "num_heads": 3}
spatial_base = {"channels": 6, "context_dim": 7, "num_heads": 2, "groups": 3}
tiny = {"height": 8, "width": 9}
CALLS = [
    Call("ResidualTimeBlock", picture | time, block),
    Call("ResidualTimeBlock", picture | time, block | shift | {"eps": 0.1}),
    Call("ResidualTimeBlock", picture | time, block | {"out_channels": 6, "groups": 3}),
    Call("DownBlock", picture | time, block),
    Call("DownBlock", picture | time, block | shift | {"layers": 1}),
    Call("DownBlock", picture | time, block | {"halve": False, "layers": 1}),
    Call("UpBlock", level, up_base, tiny),
    Call("UpBlock", level | {"skip": "batch 2 height width"}, up_base | shift | {"double": False, "layers": 2}),
    Call("ConditionedTransformerBlock", {"x": "batch seq 6"} | prompt, conditioned_base),
    Call(
        "ConditionedTransformerBlock",
        {"x": "batch seq 6", "mask": "batch 1 1 source_seq"} | prompt,
        conditioned_base | {"head_dim": 4, "eps": 0.1},
    ),
    Call("SpatialTransformer", picture | prompt, spatial_base, tiny),
    Call(
        "SpatialTransformer",
        picture | prompt | {"mask": "batch 1 1 source_seq"},
        spatial_base | {"layers": 2, "head_dim": 2},
        tiny,
    ),
    Call("Patchify", {"x": "batch 3 4*height 4*width"}, {"patch_size": 4}),
    Call("Patchify", {"x": "batch 3 2*height 2*width"}, {"patch_size": 2, "order": "pixel channel"}),
    Call("Unpatchify", {"x": "batch height*width 12", "like": "batch 5 2*height 2*width"}, {"patch_size": 2}),
    Call(
        "Unpatchify",
        {"x": "batch height*width 18", "like": "batch 1 3*height 3*width"},
        {"patch_size": 3, "order": "pixel channel"},
    ),
    Call("Reparameterise", {"mean": "batch 5", "log_var": "batch 5", "noise": "batch 5"}),
    *(Call("NoiseSchedule", {"t": "batch"}, {"schedule": kind}) for kind in ("linear", "cosine", "flow")),
    Call("NoiseSchedule", {"t": "batch"}, {"schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012}),
    Call("NoiseSchedule", {"t": "batch"}, {"steps": 1200}),
    *(
        Call("AddNoise", {"x": shape, "noise": shape, "signal": "batch", "spread": "batch"})
        for shape in ("batch 3 height width", "batch 5")
    ),
]

REFERENCES = {
    "ResidualTimeBlock": residual,
    "DownBlock": down,
    "UpBlock": up,
    "ConditionedTransformerBlock": conditioned,
    "SpatialTransformer": spatial,
    "Patchify": lambda p, s, x: patches(p, x),
    "Unpatchify": lambda p, s, x, like: unpatched(p, x, like),
    "Reparameterise": lambda p, s, mean, log_var, noise: mean + np.sqrt(np.exp(log_var)) * noise,
    "NoiseSchedule": lambda p, s, t: schedule(p, t),
    "AddNoise": mixed,
}

injection = st.sampled_from(["add", "scale_shift"])


@st.composite
def residuals(draw, name):
    groups = draw(st.integers(1, 2))
    given = {
        "in_channels": groups * draw(small),
        "out_channels": groups * draw(small),
        "time_dim": draw(small),
        "groups": groups,
        "injection": draw(injection),
    }
    shapes = {"x": f"batch {given['in_channels']} height width", "time": f"batch {given['time_dim']}"}
    if name == "ResidualTimeBlock":
        return given, shapes
    given["layers"] = draw(st.integers(1, 2))
    if name == "DownBlock":
        return given | {"halve": draw(flags)}, shapes
    given |= {"skip_channels": groups * draw(small), "double": draw(flags)}
    side = draw(st.sampled_from(["height width", "2*height 2*width", "2*height 3"]))
    return given, shapes | {"skip": f"batch {given['skip_channels']} {side}"}


@st.composite
def prompted(draw, name):
    heads, head_dim = draw(st.integers(1, 3)), draw(st.none() | small)
    width = heads * draw(small)
    given = {"context_dim": draw(small), "num_heads": heads, "head_dim": head_dim}
    shapes = {"context": f"batch source_seq {given['context_dim']}"}
    if draw(flags):
        places = "height*width" if name == "SpatialTransformer" else "seq"
        shapes["mask"] = draw(st.sampled_from(["batch 1 1 source_seq", "source_seq", f"{places} source_seq"]))
    if name == "SpatialTransformer":
        given |= {"channels": width, "groups": heads, "layers": draw(st.integers(1, 2))}
        return given, {"x": f"batch {width} height width"} | shapes
    return given | {"dim": width}, {"x": f"batch seq {width}"} | shapes


@st.composite
def any_axes(draw, *ports, low=0):
    shape = " ".join(AXES[: draw(st.integers(low, 4))])
    return {}, dict.fromkeys(ports, shape)


order = st.sampled_from(["channel pixel", "pixel channel"])
STRATEGIES = {
    **{name: residuals(name) for name in ("ResidualTimeBlock", "DownBlock", "UpBlock")},
    **{name: prompted(name) for name in ("ConditionedTransformerBlock", "SpatialTransformer")},
    "Patchify": fixed({"x": PICTURE}, patch_size=st.integers(1, 4), order=order),
    "Unpatchify": st.tuples(st.integers(1, 3), small, order).map(
        lambda drawn: (
            {"patch_size": drawn[0], "order": drawn[2]},
            {
                "x": f"batch height*width {drawn[0] ** 2 * drawn[1]}",
                "like": f"batch 2 {drawn[0]}*height {drawn[0]}*width",
            },
        )
    ),
    "Reparameterise": any_axes("mean", "log_var", "noise"),
    "NoiseSchedule": fixed(
        {"t": "batch"}, steps=st.integers(2, 9), schedule=st.sampled_from(["linear", "scaled_linear", "cosine", "flow"])
    ),
    "AddNoise": any_axes("x", "noise", low=1).map(
        lambda drawn: (drawn[0], drawn[1] | {"signal": "batch", "spread": "batch"})
    ),
}
