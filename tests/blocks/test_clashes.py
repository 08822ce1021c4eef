"""What the blocks say when sizes or parameters do not fit, and that what they offer mends it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocks import catalogue
from blocks.conflicts import nearest_divisor
from blocks.dimensions import evaluate, named
from blocks.shapes import Needs, ShapeClash
from blocks.sliding import slid, spread

B, S, H, W = (named(name) for name in ("batch", "seq", "height", "width"))
PICTURE = (B, 6, H, W)


def infer(name, shapes, need=None, **given):
    block = catalogue()[name]
    params = {param.name: param.default for param in block.params()} | given
    return block.infer(shapes, params, need or Needs())


@pytest.mark.parametrize(
    "name, changes, param, found, repair",
    [
        ("GroupNorm", {"num_groups": 32, "num_channels": 48}, "num_groups", "48 channels do not fall into 32", 24),
        ("GroupNorm", {"num_groups": 2**31 - 1, "num_channels": 48}, "num_groups", "48 channels do not fall", 48),
        ("Conv2d", {"in_channels": 6, "out_channels": 9, "groups": 2}, "groups", "9 channels do not fall into 2", 3),
        ("Conv2d", {"in_channels": 6, "out_channels": 12, "groups": 4}, "groups", "6 channels do not fall into 4", 3),
        ("ConvTranspose2d", {"in_channels": 9, "out_channels": 9, "groups": 6}, "groups", "9 channels do not", 9),
        (
            "ConvTranspose2d",
            {"stride": 2, "output_padding": 2},
            "output_padding",
            "2 pixels at the far edge, where stride and dilation are at most 2",
            1,
        ),
        ("ConvTranspose2d", {"stride": 1, "dilation": 3, "output_padding": 5}, "output_padding", "5 pixels at", 2),
        ("MaxPool2d", {"kernel_size": 3, "padding": 2}, "padding", "2 pixels at each edge under a window of 3", 1),
        ("AvgPool2d", {"kernel_size": 1, "padding": 1}, "padding", "1 pixels at each edge under a window of 1", 0),
        ("TimestepEmbedding", {"dim": 7}, "dim", "7 features do not fall into two halves", 8),
    ],
)
def test_parameters_that_do_not_go_together(name, changes, param, found, repair):
    block = catalogue()[name]
    params = {param.name: param.default for param in block.params()} | changes
    (conflict,) = block.conflicts(params)
    assert conflict.param == param
    assert conflict.found.startswith(found)
    assert conflict.needed
    assert conflict.repair == {param: repair}
    mended = params | conflict.repair
    assert not list(block.conflicts(mended))
    block(**mended)


@pytest.mark.parametrize(
    "value, near, nearest", [(100, 12, 10), (8, 6, 8), (48, 32, 24), (7, 2**31 - 1, 7), (2**31 - 1, 2**30, 2**31 - 1)]
)
def test_nearest_divisor(value, near, nearest):
    assert nearest_divisor(value, near) == nearest


@given(st.integers(1, 300), st.integers(1, 300))
def test_nearest_divisor_is_the_nearest(value, near):
    found = nearest_divisor(value, near)
    assert value % found == 0
    assert all(value % other or abs(other - near) >= abs(found - near) for other in range(1, value + 1))


def test_torch_refuses_what_is_called_a_conflict(make_call):
    """A conflict is only what torch cannot do."""
    for name, changes in (
        ("GroupNorm", {"num_groups": 4, "num_channels": 6}),
        ("Conv2d", {"in_channels": 6, "out_channels": 9, "groups": 2}),
        ("ConvTranspose2d", {"in_channels": 6, "output_padding": 2}),
        ("MaxPool2d", {"kernel_size": 3, "padding": 2}),
    ):
        call = make_call(name, {"x": "batch 6 height width"}, changes)
        assert list(call.cls.conflicts(call.full))
        with pytest.raises((RuntimeError, ValueError)):
            call.build()(*call.tensors())


def test_a_table_of_positions_ends():
    need = Needs()
    assert infer("LearnedPosition", {"x": (B, S, 8)}, need, dim=8, context=64) == {"y": (B, S, 8)}
    ((size, low, high, because),) = [(x.size, x.low, x.high, x.because) for x in need.limits]
    assert (size, low, high, because) == (S, None, 64, "the table holds 64 positions")
    with pytest.raises(ShapeClash, match="found a size of 65; at most 64 is possible: the table holds 64 positions"):
        infer("LearnedPosition", {"x": (B, 65, 8)}, dim=8, context=64)


def test_axes_that_are_not_there():
    with pytest.raises(ShapeClash, match=r"found batch × seq \(2 axes\); it has no axis 2") as clash:
        infer("Softmax", {"x": (B, S)}, axis=2)
    assert clash.value.repair == {"axis": -1}
    with pytest.raises(ShapeClash, match="it has no axis -3"):
        infer("Concat", {"x": ((B, S), (B, S))}, axis=-3)
    with pytest.raises(ShapeClash, match="found batch × seq; it has no axis 2; the first is 0") as clash:
        infer("Flatten", {"x": (B, S)}, start_axis=2)
    assert clash.value.repair == {"start_axis": 1}
    with pytest.raises(ShapeClash) as clash:
        infer("Flatten", {"x": ()}, start_axis=0)
    assert clash.value.repair == {}


def test_concat():
    need = Needs()
    skip, up = (B, 4, H, W), (B, 8, (H // 2) * 2, (W // 2) * 2)
    assert infer("Concat", {"x": (skip, up)}, need, axis=1) == {"y": (B, 12, H, W)}
    assert need.divisors == {"height": 2, "width": 2}
    assert infer("Concat", {"x": ((B, S, 3), (B, named("source_seq"), 3))}, axis=1) == {
        "y": (B, S + named("source_seq"), 3)
    }
    with pytest.raises(ShapeClash) as clash:
        infer("Concat", {"x": ((B, S, 3), (B, S))})
    assert str(clash.value) == (
        "input x: found batch × seq; another input has batch × seq × 3, and all must have as many axes"
    )
    assert clash.value.peers == ("x",)
    with pytest.raises(ShapeClash) as clash:
        infer("Concat", {"x": ((B, S, 3), (B, 5, 3))})
    assert str(clash.value) == "input x: found batch × 5 × 3; another input has seq where this one has 5"
    assert clash.value.peers == ("x",)


def test_a_chain_of_halvings_asks_for_sixteen():
    need = Needs()
    shape, skips = (B, 3, H, W), []
    for level in range(4):
        shape = infer("Conv2d", {"x": shape}, need, in_channels=shape[1], out_channels=8 * 2**level)["y"]
        skips.append(shape)
        shape = infer("MaxPool2d", {"x": shape}, need)["y"]
    for skip in reversed(skips):
        up = infer("ConvTranspose2d", {"x": shape}, need, in_channels=shape[1], out_channels=skip[1])["y"]
        shape = infer("Concat", {"x": (skip, up)}, need, axis=1)["y"]
    assert shape == (B, 16, H, W)
    assert need.divisors == {"height": 16, "width": 16}


def test_windows_must_fit():
    need = Needs()
    out = infer("Conv2d", {"x": PICTURE}, need, in_channels=6, kernel_size=5, padding=0)["y"]
    assert out == (B, 64, H - 4, W - 4)
    assert {(limit.size, limit.low) for limit in need.limits} == {(H, 5), (W, 5)}
    assert need.limits[0].because == "the window spans 5 pixels"
    with pytest.raises(ShapeClash) as clash:
        infer("Conv2d", {"x": (B, 6, 6, W)}, in_channels=6, kernel_size=5, padding=1, dilation=2)
    assert str(clash.value) == (
        "input x: found a size of 6; at least 7 is needed: the window spans 9 pixels and padding adds 2"
    )
    with pytest.raises(ShapeClash, match="at least 4 is needed: reflect padding takes its 3 pixels from what comes in"):
        infer("Conv2d", {"x": (B, 6, 3, W)}, in_channels=6, padding=3, padding_mode="reflect")
    assert infer("Conv2d", {"x": (B, 6, 3, 3)}, in_channels=6, padding=3, padding_mode="circular")["y"][2:] == (7, 7)
    with pytest.raises(ShapeClash, match="at least 3 is needed: circular padding"):
        infer("Conv2d", {"x": (B, 6, 2, 3)}, in_channels=6, padding=3, padding_mode="circular")
    with pytest.raises(ShapeClash, match="at least 2 is needed: padding takes 4 pixels off the result"):
        infer("ConvTranspose2d", {"x": (B, 6, 1, W)}, in_channels=6, padding=2, kernel_size=3)


def test_limits_are_just_right():
    """At the limit something comes out, below it nothing does."""
    for kernel in range(1, 5):
        for stride in range(1, 4):
            for padding in range(4):
                for dilation in range(1, 3):
                    window = (kernel, stride, padding, dilation)
                    need = Needs()
                    out = slid(H, *window, need)
                    low = max([limit.low for limit in need.limits], default=1)
                    assert evaluate(out, {"height": low}) >= 1
                    assert low == 1 or low - 1 + 2 * padding < dilation * (kernel - 1) + 1
                    for extra in range(max(stride, dilation)):
                        need = Needs()
                        out = spread(H, *window, extra, need)
                        low = max([limit.low for limit in need.limits], default=1)
                        assert evaluate(out, {"height": low}) >= 1
                        assert low == 1 or evaluate(out, {"height": low - 1}) < 1


def test_parameters_read_off_the_wire_clash_in_their_own_words():
    for name, param, noun, shape in (
        ("Linear", "in_features", "features", (B, 512)),
        ("LayerNorm", "dim", "features", (B, 512)),
        ("MultiHeadAttention", "dim", "features per token", (B, S, 512)),
        ("FeedForward", "dim", "features per token", (B, S, 512)),
        ("Conv2d", "in_channels", "channels", (B, 512, H, W)),
        ("GroupNorm", "num_channels", "channels", (B, 512)),
        ("BatchNorm", "num_features", "channels", (B, 512, S)),
    ):
        with pytest.raises(ShapeClash) as clash:
            infer(name, {"x": shape}, **{param: 96})
        assert str(clash.value) == f"input x: found 512 {noun}; its `{param}` is 96"
        assert clash.value.repair == {param: 512}
        assert infer(name, {"x": shape}, **{param: 512})


def test_sources_name_their_axes():
    assert infer("TokenInput", {}, sequence="source_seq") == {"tokens": (B, named("source_seq"))}
    assert infer("ImageInput", {}, channels=1) == {"image": (B, 1, H, W)}
    assert infer("ImageInput", {}, image_size=28, fixed=True) == {"image": (B, 3, 28, 28)}
    other = infer("ImageInput", {}, height_axis="rows", width_axis="columns")
    assert other == {"image": (B, 3, named("rows"), named("columns"))}
    assert infer("FeatureInput", {}, dim=7, axes=" batch  frames ") == {"features": (B, named("frames"), 7)}
    assert infer("MaskInput", {}) == {"mask": (B, 1, 1, S)}
    assert infer("TimeStepInput", {}) == {"t": (B,)}
    feature = {param.name: param for param in catalogue()["FeatureInput"].params()}
    for bad in ("", "Batch", "batch,seq", "2d"):
        assert feature["axes"].fault(bad) == f"must be lower-case names with spaces between, not {bad!r}"


def test_what_changes_nothing_says_so():
    assert catalogue()["Dropout"].is_identity({"p": 0.0}) and not catalogue()["Dropout"].is_identity({"p": 0.1})
    assert catalogue()["UpSample"].is_identity({"factor": 1}) and not catalogue()["UpSample"].is_identity({"factor": 2})


def test_a_thousand_blocks_are_inferred_in_a_blink():
    """Validation has 50 ms for 1,000 nodes; inference itself must leave most of it."""
    from time import perf_counter

    x = {"x": (B, S, 768)}
    chain = [
        (catalogue()[name], {param.name: param.default for param in catalogue()[name].params()} | given)
        for name, given in (
            ("LayerNorm", {"dim": 768}),
            ("MultiHeadAttention", {"dim": 768, "num_heads": 12}),
            ("FeedForward", {"dim": 768}),
        )
    ]
    add = catalogue()["Add"]

    def run():
        start = perf_counter()
        for _ in range(250):
            for block, params in chain:
                block.infer(x, params, Needs())
                list(block.conflicts(params))
            add.infer({"x": (x["x"], x["x"])}, {}, Needs())
        return perf_counter() - start

    best = min((run() for _ in range(5)), default=math.inf)
    assert best < 0.05, f"{best * 1000:.1f} ms"
