"""Port patterns: what they bind, what they demand, and how a clash reads."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from blocks.dimensions import evaluate, named
from blocks.shapes import Limit, Needs, ShapeClash, axes_of, axis_at, broadcast, fill, spell, stretch, unify

B, S, H = named("batch"), named("seq"), named("height")


def bind(*triples, params=None, need=None, words=None):
    return unify(triples, params or {}, need or Needs(), words)


def test_patterns_are_read():
    assert axes_of("batch 3 ... dim") == ("batch", 3, "...", "dim")
    assert axes_of("") == ()
    with pytest.raises(ValueError, match="'a-b' in the pattern 'a-b c' is no axis name, number or '...'"):
        axes_of("a-b c")
    with pytest.raises(ValueError, match="has '...' more than once"):
        axes_of("... a ...")


def test_free_axes_are_bound():
    assert bind(("x", "batch seq dim", (B, S, 8))) == {"batch": B, "seq": S, "dim": 8}
    assert bind(("x", "... dim", (B, S, 8))) == {"...": (B, S), "dim": 8}
    assert bind(("x", "batch ... dim", (B, 8))) == {"batch": B, "...": (), "dim": 8}
    assert bind(("x", "batch num ...", (B, 6, H, 7))) == {"batch": B, "num": 6, "...": (H, 7)}
    assert bind(("x", "batch 3", (B, 3))) == {"batch": B}


def test_parameters_bind_and_clash():
    words = {"dim": "features per token"}
    assert bind(("x", "batch dim", (B, 8)), params={"dim": 8})["dim"] == 8
    assert bind(("x", "batch dim", (B, 8)), params={"dim": None})["dim"] == 8
    with pytest.raises(ShapeClash) as clash:
        bind(("x", "batch dim", (B, 512)), params={"dim": 256}, words=words)
    assert str(clash.value) == "input x: found 512 features per token; its `dim` is 256"
    assert (clash.value.port, clash.value.repair, clash.value.peers) == ("x", {"dim": 512}, ())
    with pytest.raises(ShapeClash, match="found 512 along dim; its `dim` is 256"):
        bind(("x", "batch dim", (B, 512)), params={"dim": 256})
    with pytest.raises(ShapeClash, match="found batch × seq; its `dim` is 256, where this has seq") as clash:
        bind(("x", "batch dim", (B, S)), params={"dim": 256})
    assert clash.value.repair == {}


def test_numbers_and_ranks_clash():
    with pytest.raises(ShapeClash, match="input x: found a size of 4; it needs 3 there"):
        bind(("x", "batch 3", (B, 4)))
    with pytest.raises(ShapeClash, match=r"found batch × 4 \(2 axes\); it needs 3 axes: batch × seq × dim"):
        bind(("x", "batch seq dim", (B, 4)))
    with pytest.raises(ShapeClash, match=r"found batch \(one axis\); it needs at least 2 axes: batch × ... × dim"):
        bind(("x", "batch ... dim", (B,)))
    with pytest.raises(ShapeClash, match=r"found a single number \(no axes\); it needs one axis: batch"):
        bind(("x", "batch", ()))


def test_peers_disagree_as_equals():
    with pytest.raises(ShapeClash) as clash:
        bind(("x", "batch seq dim", (B, S, 8)), ("context", "batch keys dim", (B, 5, 9)))
    assert str(clash.value) == "input context: found dim = 9; input x has dim = 8"
    assert clash.value.peers == ("x",)
    with pytest.raises(ShapeClash, match="found side = 4; side is 3 too"):
        bind(("x", "side side", (3, 4)))


def test_any_axes_are_one_for_all_inputs():
    same = (("x", "... dim", (B, S, 8)), ("y", "... rank", (B, S, 2)))
    assert bind(*same)["..."] == (B, S)
    with pytest.raises(ShapeClash, match=r"input y: found batch \(one axis\); input x has batch × seq \(2 axes\)"):
        bind(("x", "... dim", (B, S, 8)), ("y", "... dim", (B, 8)))
    with pytest.raises(ShapeClash, match="input y: found batch × 3; input x has batch × seq") as clash:
        bind(("x", "... dim", (B, S, 8)), ("y", "... dim", (B, 3, 8)))
    assert clash.value.peers == ("x",)


def test_demands_travel_back_to_names():
    need = Needs()
    halved = (H - 1) // 2 + 1
    axes = bind(("x", "batch height", (B, H)), ("y", "batch height", (B, halved * 2)), need=need)
    assert need.divisors == {"height": 2}
    assert axes["height"] == H, "the shorter of two equal sizes is kept"
    need.multiple(H, 3, port="x", found="", needed="")
    assert need.divisors == {"height": 6}
    assert need.multiple(H * 8, 4, port="x", found="", needed="") == H * 2
    with pytest.raises(ShapeClash, match="input x: found 9 rows; they come in fours"):
        need.multiple(9, 4, port="x", found="9 rows", needed="they come in fours")


def test_bounds():
    need = Needs()
    need.between(5, low=3, high=5, port="x", because="")
    need.between(S, high=1024, port="x", because="the table holds 1024 positions")
    assert need.limits == [Limit(S, None, 1024, "the table holds 1024 positions")]
    with pytest.raises(ShapeClash, match="found a size of 2000; at most 1024 is possible: the table holds 1024"):
        need.between(2000, high=1024, port="x", because="the table holds 1024 positions")
    with pytest.raises(ShapeClash, match="found a size of 2; at least 3 is needed: the window spans 3 pixels"):
        need.between(2, low=3, port="x", because="the window spans 3 pixels")


def test_fill_and_spell():
    axes = {"batch": B, "...": (S, 4)}
    assert fill("batch ... dim 7", axes, {"dim": 8}) == (B, S, 4, 8, 7)
    assert fill("... dim", {}, {"dim": 8}) == (8,)
    assert spell((B, S, 768)) == "batch × seq × 768"
    assert spell("batch ... dim") == "batch × ... × dim"
    assert spell(()) == "a single number"


def test_axis_at():
    assert axis_at((B, S, 8), -1, port="x") == 2 and axis_at((B, S, 8), 0, port="x") == 0
    for axis in (3, -4):
        with pytest.raises(ShapeClash, match=rf"\(3 axes\); it has no axis {axis}") as clash:
            axis_at((B, S, 8), axis, port="x")
        assert clash.value.repair == {"axis": -1}
    with pytest.raises(ShapeClash) as clash:
        axis_at((), -1, port="x")
    assert clash.value.repair == {}


def test_stretch():
    need = Needs()
    target = (B, 4, S, S)
    for shape in ((), (S,), (S, S), (1, S), (4, S, S), (B, 1, 1, S), target):
        stretch("mask", shape, target, "batch heads query key", need)
    for shape in ((B,), (3, S), (4,), (1, *target)):
        with pytest.raises(ShapeClash, match="input mask: .* must stretch to batch × heads × query × key, here batch"):
            stretch("mask", shape, target, "batch heads query key", need)


small = st.lists(st.integers(1, 3), max_size=4).map(tuple)


@given(st.lists(small, min_size=1, max_size=4))
def test_broadcast_is_torchs(shapes):
    try:
        expected = tuple(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        with pytest.raises(ShapeClash) as clash:
            broadcast([("x", shape) for shape in shapes], Needs())
        assert clash.value.peers == ("x",)
        return
    assert broadcast([("x", shape) for shape in shapes], Needs()) == expected


@given(small, small)
def test_stretch_is_torchs(shape, target):
    try:
        fits = tuple(torch.broadcast_shapes(shape, target)) == target
    except RuntimeError:
        fits = False
    if fits:
        stretch("x", shape, target, "a", Needs())
    else:
        with pytest.raises(ShapeClash):
            stretch("x", shape, target, "a", Needs())


def test_broadcast_of_names():
    need = Needs()
    assert broadcast({"x": (B, S, 8), "y": (8,), "z": (1, S, 1)}, need) == (B, S, 8)
    skip = (B, 4, H // 2 * 2)
    assert broadcast([("x", (B, 4, H)), ("x", skip)], need) == (B, 4, H)
    assert need.divisors == {"height": 2}
    assert evaluate(skip[2], {"height": 6}) == 6
    with pytest.raises(ShapeClash) as clash:
        broadcast([("x", (B, S, 8)), ("x", (B, S, 9))], need)
    assert str(clash.value) == "input x: found batch × seq × 9; another input has 8 where this one has 9"
