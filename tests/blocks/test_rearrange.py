"""Rearrange: einops' language, checked against einops, with sizes that may be names."""

from __future__ import annotations

import einops
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from blocks import catalogue
from blocks.dimensions import named
from blocks.functional import read_axis_order, read_sizes
from blocks.shapes import Needs, ShapeClash

B, H, W = named("batch"), named("height"), named("width")


def infer(shapes, pattern, sizes="", need=None):
    block = catalogue()["Rearrange"]
    return block.infer(shapes, {"pattern": pattern, "sizes": sizes}, need or Needs())["y"]


def conflicts(pattern, sizes=""):
    return list(catalogue()["Rearrange"].conflicts({"pattern": pattern, "sizes": sizes}))


def test_patches_ask_for_multiples():
    need = Needs()
    shape = infer({"x": (B, 3, H, W)}, "b c (h p) (w q) -> b (h w) (p q c)", "p=16, q=8", need)
    assert shape == (B, (H // 16) * (W // 8), 16 * 8 * 3)
    assert need.divisors == {"height": 16, "width": 8}


def test_the_way_back_reads_sizes_off_the_picture():
    need = Needs()
    picture = (B, 3, H, W)
    patches = infer({"x": picture}, "b c (h p) (w q) -> b (h w) (p q c)", "p=16, q=16", need)
    back = infer({"x": patches, "like": picture}, "b (h w) (p q c) -> b c (h p) (w q)", "p=16, q=16", need)
    assert need.divisors == {"height": 16, "width": 16}
    assert back == (B, 3, 16 * (H // 16), 16 * (W // 16))
    with pytest.raises(ShapeClash, match="give `h` or `w` in `sizes`, or wire `like`"):
        infer({"x": (B, 64, 9)}, "b (h w) c -> b c h w")
    with pytest.raises(ShapeClash, match=r"input like: found batch × 3 \(2 axes\); the pattern gives `b c h w`"):
        infer({"x": (B, 64, 9), "like": (B, 3)}, "b (h w) c -> b c h w")
    with pytest.raises(ShapeClash, match=r"found a size of 60; `\(h w\)` is 64 in the pattern"):
        infer({"x": (B, 60, 9), "like": (B, 3, 8, 8)}, "b (h w) c -> b c h w")


def test_clashes_in_words():
    with pytest.raises(ShapeClash, match=r"found batch × 3 \(2 axes\); the pattern takes `b c h w`"):
        infer({"x": (B, 3)}, "b c h w -> b (h w) c")
    with pytest.raises(ShapeClash, match=r"found a size of 30; `\(heads d\)` makes it a multiple of 4"):
        infer({"x": (B, 7, 30)}, "b s (heads d) -> b heads s d", "heads=4")
    with pytest.raises(ShapeClash, match="found a size of 3; `1` is 1 in the pattern"):
        infer({"x": (B, 3)}, "b 1 -> b")
    with pytest.raises(ShapeClash, match="found a size of 3; `c` is 4 in the pattern"):
        infer({"x": (B, 3)}, "b c -> c b", "c=4")
    with pytest.raises(ShapeClash, match=r"the pattern takes `b ... c`"):
        infer({"x": (B,)}, "b ... c -> b c ...")
    with pytest.raises(ShapeClash, match="the pattern cannot be read"):
        infer({"x": (B,)}, "b c")


@pytest.mark.parametrize(
    "pattern, why",
    [
        ("b c h w", "exactly one '->'"),
        ("a -> b -> c", "exactly one '->'"),
        ("", "exactly one '->'"),
        ("a b -> a", "`b` stands before the arrow and not after it"),
        ("a -> a b", "`b` stands after the arrow and not before it"),
        ("a a -> a", "`a` stands more than once before the arrow"),
        ("a -> a a", "`a` stands more than once after the arrow"),
        ("a (b -> a b", "a parenthesis is not closed"),
        ("a b) -> a b", "a parenthesis is closed that was not opened"),
        ("a ((b c)) -> a b c", "a parenthesis stands inside another"),
        ("a 2 -> a", "`2` is no axis name"),
        ("a b+c -> a", "`b\\+c` is no axis name"),
        ("... a -> a", "`...` stands before the arrow and not after it"),
        ("(... a) -> a ...", "before the arrow '...' cannot stand in parentheses"),
        ("(...) -> ...", "before the arrow '...' cannot stand in parentheses"),
        ("... ... -> ...", "`...` stands more than once before the arrow"),
    ],
)
def test_patterns_that_are_none(pattern, why):
    (conflict,) = conflicts(pattern)
    assert conflict.param == "pattern"
    with pytest.raises(ValueError, match=why.replace("...", r"\.\.\.")) as fault:
        read_axis_order(pattern)
    assert str(fault.value) in conflict.found
    with pytest.raises(ValueError):
        catalogue()["Rearrange"](pattern=pattern)
    assert catalogue()["Rearrange"].ports({"pattern": pattern, "sizes": ""})[1]


@pytest.mark.parametrize("sizes", ["p", "p=", "p=0", "p=-1", "p=1.5", "p=x", "=3", "p=2 q=3", "p=2, p=3", "2=p"])
def test_sizes_that_are_none(sizes):
    (conflict,) = conflicts("b (h p) -> b h p", sizes)
    assert conflict.param == "sizes"
    with pytest.raises(ValueError):
        read_sizes(sizes)


def test_sizes_belong_to_the_pattern():
    assert read_sizes(" heads=12 ,p = 3, ") == {"heads": 12, "p": 3}
    assert not conflicts("b (h p) -> b h p", "p=3")
    (conflict,) = conflicts("b c -> c b", "q=3")
    assert conflict.found == "a size of `q`, which the pattern does not have"


def test_kinds_follow_the_axes():
    block = catalogue()["Rearrange"]

    def kind(pattern):
        return block.ports({"pattern": pattern, "sizes": ""})[1]["y"].kind

    assert kind("b c h w -> b (h w) c") == "features"
    assert kind("b (h w) c -> b c h w") == "image"
    assert kind("b s (h d) -> b h s d") is None
    assert kind("nonsense") is None


def test_same_axes_change_nothing():
    block = catalogue()["Rearrange"]
    assert block.is_identity({"pattern": "b  (c) ->  b c", "sizes": ""})
    assert not block.is_identity({"pattern": "b c -> c b", "sizes": ""})
    assert not block.is_identity({"pattern": "b 1 -> b", "sizes": ""})


def test_the_same_order_costs_nothing():
    x = torch.randn(2, 3)
    assert catalogue()["Rearrange"](pattern="b c -> b c")(x) is x
    assert catalogue()["Rearrange"](pattern="b c -> c b")(x).data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    "pattern",
    ["b ... -> b (...)", "b ... -> (...) b", "b c ... -> b 1 (... c)", "... -> (...)", "b c h w ... -> w (...) b h c"],
)
def test_any_axes_can_be_laid_into_one(pattern):
    x = torch.randn(2, 3, 4, 5)
    expected = einops.rearrange(x, pattern)
    module = catalogue()["Rearrange"](pattern=pattern)
    assert not module.is_identity({"pattern": pattern, "sizes": ""})
    assert torch.equal(module(x), expected)
    assert infer({"x": (2, 3, 4, 5)}, pattern) == expected.shape


@st.composite
def patterns(draw):
    """A pattern on two to six parts that are grouped at random on either side, with units strewn in."""
    names = draw(st.permutations("abcdef"))[: draw(st.integers(2, 6))]
    sizes = {name: draw(st.integers(1, 4)) for name in names}

    def side(order):
        axes, rest = [], list(order)
        while rest:
            count = draw(st.integers(1, min(3, len(rest))))
            axes.append(rest[:count])
            rest = rest[count:]
        text = [axis[0] if len(axis) == 1 else f"({' '.join(axis)})" for axis in axes]
        for _ in range(draw(st.integers(0, 2))):
            text.insert(draw(st.integers(0, len(text))), "1")
        return axes, " ".join(text)

    axes, left = side(names)
    _, right = side(draw(st.permutations(names)))
    shape = []
    for word in left.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            shape.append(1)
            inside = True
        elif word == ")":
            inside = False
        elif word == "1":
            shape.append(1)
            inside = False
        else:
            grouped = any(word in axis and len(axis) > 1 for axis in axes)
            if grouped and inside:
                shape[-1] *= sizes[word]
            else:
                shape.append(sizes[word])
                inside = False
    given = {name: sizes[name] for axis in axes for name in axis[1:]}
    return f"{left} -> {right}", tuple(shape), given


@settings(max_examples=60, deadline=None)
@given(patterns())
def test_equals_einops(case):
    pattern, shape, sizes = case
    text = ", ".join(f"{name}={size}" for name, size in sizes.items())
    x = torch.arange(torch.Size(shape).numel()).reshape(shape)
    expected = einops.rearrange(x, pattern, **sizes)
    assert torch.equal(catalogue()["Rearrange"](pattern=pattern, sizes=text)(x), expected)
    assert infer({"x": shape}, pattern, text) == tuple(expected.shape)
