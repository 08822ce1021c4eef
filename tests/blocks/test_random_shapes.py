"""Declared shapes are torch's at random sizes and parameters: both give the same, or both refuse."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from blocks import catalogue
from blocks.dimensions import evaluate
from blocks.shapes import Needs, ShapeClash

AXES = ("batch", "seq", "source_seq", "height", "width", "frames")
small = st.integers(1, 6)
flags = st.booleans()
PICTURE = "batch 6 height width"


def params(**choices):
    return st.fixed_dictionaries(choices)


@st.composite
def pointwise(draw):
    rank = draw(st.integers(0, 4))
    return {}, {"x": " ".join(AXES[:rank])}


def over_last(name, width=6, **choices):
    """Any axes, then the features that parameter `name` counts."""
    return st.tuples(params(**choices), st.integers(0, 4)).map(
        lambda drawn: ({name: width} | drawn[0], {"x": " ".join((*AXES[: drawn[1]], str(width)))})
    )


def fixed(shapes, **choices):
    return params(**choices).map(lambda drawn: (drawn, dict(shapes)))


@st.composite
def channels_first(draw, name, **choices):
    rest = " ".join(AXES[1 : 1 + draw(st.integers(0, 3))])
    return {name: 6} | draw(params(**choices)), {"x": f"batch 6 {rest}"}


@st.composite
def softmax(draw):
    rank = draw(st.integers(1, 4))
    return {"axis": draw(st.integers(-5, 4))}, {"x": " ".join(AXES[:rank])}


@st.composite
def flatten(draw):
    rank = draw(st.integers(0, 4))
    return {"start_axis": draw(st.integers(0, 4))}, {"x": " ".join(AXES[:rank])}


@st.composite
def stretched(draw):
    """Several tensors, each the end of one shape, here and there with a 1."""
    axes = [*AXES[: draw(st.integers(0, 3))], "5"]

    def one():
        end = axes[draw(st.integers(0, len(axes))) :]
        return " ".join(draw(st.sampled_from([axis, "1"])) for axis in end)

    return {}, {"x": tuple(one() for _ in range(draw(st.integers(1, 4))))}


@st.composite
def concat(draw):
    rank = draw(st.integers(1, 4))
    axis = draw(st.integers(-rank, rank - 1))
    shapes = []
    for _ in range(draw(st.integers(1, 4))):
        axes = list(AXES[:rank])
        axes[axis] = draw(st.sampled_from(["3", "frames", "2*seq"]))
        shapes.append(" ".join(axes))
    return {"axis": axis}, {"x": tuple(shapes)}


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


@st.composite
def rearrange(draw):
    p, q, heads = draw(small), draw(small), draw(small)
    return draw(
        st.sampled_from(
            [
                ({"pattern": "b c (h p) (w q) -> b (h w) (p q c)", "sizes": f"p={p}, q={q}"}, {"x": PICTURE}),
                ({"pattern": "b s (heads d) -> b heads s d", "sizes": f"heads={heads}"}, {"x": "batch seq 12"}),
                ({"pattern": "... (a b) -> a ... b", "sizes": f"a={p}"}, {"x": "batch seq height"}),
                ({"pattern": "b (s p) ... -> (b p) s ...", "sizes": f"s={p}"}, {"x": "batch seq height"}),
                ({"pattern": "b ... -> (b ...) 1"}, {"x": "batch seq height"}),
                (
                    {"pattern": "b (h w) c -> b c h w"},
                    {"x": "batch height*width 6", "like": "batch 2 height width"},
                ),
                (
                    {"pattern": "b (h w) (p q c) -> b c (h p) (w q)", "sizes": f"p={p}, q={q}"},
                    {"x": f"batch height*width {6 * p * q}", "like": f"batch 3 {p}*height {q}*width"},
                ),
            ]
        )
    )


window = {"kernel_size": small, "stride": st.integers(1, 4), "padding": st.integers(0, 4)}
groups = st.sampled_from([1, 2, 3, 6])
STRATEGIES = {
    "Linear": over_last("in_features", out_features=small, bias=flags),
    "Embedding": pointwise().map(lambda drawn: ({"vocab": 5, "dim": 3}, {"tokens": drawn[1]["x"]})),
    # A table of one row would stretch over a longer sequence, where any other is refused.
    "LearnedPosition": fixed({"x": "batch seq 6"}, dim=st.just(6), context=st.integers(2, 30)),
    "SinusoidalPosition": small.map(lambda dim: ({"dim": dim}, {"x": f"batch seq {dim}"})),
    "TimestepEmbedding": fixed({"t": "batch"}, dim=st.integers(1, 8).map(lambda half: 2 * half)),
    "LayerNorm": over_last("dim", bias=flags),
    "RMSNorm": over_last("dim"),
    "GroupNorm": channels_first("num_channels", num_groups=groups),
    "BatchNorm": channels_first("num_features"),
    "ReLU": pointwise(),
    "GELU": pointwise(),
    "SiLU": pointwise(),
    "Sigmoid": pointwise(),
    "Tanh": pointwise(),
    "Softmax": softmax(),
    "MultiHeadAttention": attention("MultiHeadAttention"),
    "CrossAttention": attention("CrossAttention"),
    "ScaledDotProductAttention": raw_attention(),
    "FeedForward": over_last("dim", hidden=st.none() | small, bias=flags),
    "SwiGLU": over_last("dim", hidden=st.none() | small, multiple_of=small, bias=flags),
    "Conv2d": fixed(
        {"x": PICTURE},
        in_channels=st.just(6),
        out_channels=st.sampled_from([6, 12]),
        groups=groups,
        dilation=st.integers(1, 3),
        bias=flags,
        padding_mode=st.sampled_from(["zeros", "reflect", "replicate", "circular"]),
        **window,
    ),
    "ConvTranspose2d": fixed(
        {"x": PICTURE},
        in_channels=st.just(6),
        out_channels=st.sampled_from([6, 12]),
        groups=groups,
        dilation=st.integers(1, 3),
        output_padding=st.integers(0, 3),
        bias=flags,
        **window,
    ),
    "UpSample": fixed({"x": PICTURE}, factor=st.integers(1, 4), mode=st.sampled_from(["nearest", "bilinear"])),
    "MaxPool2d": fixed({"x": PICTURE}, **window | {"stride": st.none() | small}),
    "AvgPool2d": fixed({"x": PICTURE}, **window | {"stride": st.none() | small}),
    "GlobalAvgPool": fixed({"x": PICTURE}),
    "Add": stretched(),
    "Multiply": stretched(),
    "Concat": concat(),
    "Flatten": flatten(),
    "Rearrange": rearrange(),
    "Dropout": pointwise(),
    "Output": pointwise(),
}


def test_every_block_has_a_strategy(block):
    assert block.role not in ("module", "output") or block.__name__ in STRATEGIES


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", STRATEGIES)
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_declared_shapes_are_torchs_at_random(name, make_call, data):
    drawn, shapes = data.draw(STRATEGIES[name])
    sizes = data.draw(st.fixed_dictionaries({axis: st.integers(1, 17) for axis in AXES}))
    call = make_call(name, shapes, drawn, sizes)
    assume(not list(call.cls.conflicts(call.full)))

    need = Needs()
    try:
        symbolic = call.cls.infer(call.symbolic, call.full, need)
    except ShapeClash:
        with pytest.raises(ShapeClash):  # no size at all would do, so this one does not either
            call.cls.infer(call.concrete(), call.full, Needs())
        return
    kept = all(sizes[axis] % divisor == 0 for axis, divisor in need.divisors.items())
    for limit in need.limits:
        size = evaluate(limit.size, sizes)
        kept &= (limit.low is None or size >= limit.low) and (limit.high is None or size <= limit.high)
    expected = [tuple(evaluate(size, sizes) for size in shape) for shape in symbolic.values()]
    try:
        concrete = list(call.cls.infer(call.concrete(), call.full, Needs()).values())
    except ShapeClash:
        assert not kept
        for device in ("cpu", "meta"):
            assert refuses(call, device)
        return
    if name == "Output":
        expected = concrete = [call.concrete()["x"]]
    if kept:
        assert concrete == expected
    assert [run(call, "cpu")] == [run(call, "meta")] == concrete


def refuses(call, device):
    """Torch raises, or gives a tensor without a value, which is of no use either."""
    try:
        return 0 in run(call, device)
    except (RuntimeError, ValueError, IndexError):
        return True


def run(call, device):
    arguments = [x if x is None else x.to(device) for x in call.tensors()]
    with torch.no_grad():
        return tuple(call.build(device=device)(*arguments).shape)


def test_the_whole_catalogue_is_drawn():
    assert set(STRATEGIES) <= set(catalogue())
