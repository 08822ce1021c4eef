"""Patterns, pieces and slices: what they refuse, in which words, and what the tracer of sizes learns from them."""

from __future__ import annotations

import pytest
import torch

from blocks import catalogue
from blocks.dimensions import named
from blocks.patterns import equation
from blocks.shapes import Needs, ShapeClash

B, S = named("batch"), named("seq")


def full(name, params):
    return {param.name: param.default for param in catalogue()[name].params()} | params


def infer(name, shapes, need=None, **params):
    return catalogue()[name].infer(shapes, full(name, params), need or Needs())


def conflicts(name, **params):
    return list(catalogue()[name].conflicts(full(name, params)))


@pytest.mark.parametrize(
    ("name", "params", "shapes", "found"),
    [
        ("Split", {"parts": 3}, {"x": (B, 8)}, "8 along axis 1; its `parts` is 3, which must divide it"),
        ("Split", {"sizes": "2, 4"}, {"x": (B, 8)}, "8 along axis 1; its `sizes` are 2 + 4 = 6"),
        ("Reshape", {"shape": "0, -1, 5"}, {"x": (B, 12)}, "12 values beside what is kept; `shape` has 5 for the rest"),
        ("Reshape", {"shape": "0, 3"}, {"x": (B, 12)}, "12 values beside what is kept; `shape` has room for 3"),
        ("Reshape", {"shape": "0, 0, 0"}, {"x": (B, 12)}, "`shape` keeps axis 2, and the first is 0"),
        ("Slice", {"start": 2, "stop": 5}, {"x": (B, 4)}, "at least 5 is needed: positions from 2 up to"),
        ("Slice", {"start": -2, "stop": 3}, {"x": (B, 5)}, "at most 4 is possible"),
        ("Select", {"index": -3}, {"x": (B, 2)}, "at least 3 is needed: `index` -3 is taken from it"),
        ("Pad", {"mode": "reflect", "before": 4}, {"x": (B, 4)}, "at least 5 is needed: reflect padding takes 4"),
        ("Stack", {"axis": 4}, {"x": ((B, 4), (B, 4))}, "the result has no axis 4"),
        ("Stack", {}, {"x": ((B, 4), (B, 5))}, "another input has 4 where this one has 5"),
        ("Reduce", {"pattern": "b (s p) -> b s", "sizes": ""}, {"x": (B, 4)}, "give `s` or `p` in `sizes`$"),
        ("Reduce", {"pattern": "b (s p) -> b s", "sizes": "p=3"}, {"x": (B, 4)}, "makes it a multiple of 3"),
        ("Reduce", {"pattern": "b s d -> b d"}, {"x": (B, 4)}, "the pattern takes `b s d`"),
        ("Repeat", {"pattern": "b d -> b r d", "sizes": ""}, {"x": (B, 4)}, "give its size in `sizes`, or wire `like`"),
        (
            "Repeat",
            {"pattern": "b d -> b r d", "sizes": ""},
            {"x": (B, 4), "like": (B, 4)},
            "the pattern gives `b r d`",
        ),
        ("Einsum", {}, {"x": ((B, S, 4),)}, "one wire; the pattern has 2 factors"),
        ("Einsum", {}, {"x": ((B, S, 4), (B, 4))}, "the pattern has `b j d` for it"),
        ("Einsum", {}, {"x": ((B, S, 4), (B, S, 5))}, "d = 5; elsewhere d is 4"),
        ("MatMul", {}, {"a": (B, S, 4), "b": (B, 5, 3)}, "5 along its rows; the last axis of input a has 4"),
        ("MatMul", {}, {"a": (B, S, 4), "b": (4,)}, "a matrix has at least 2 axes"),
        ("ApplyMask", {}, {"x": (B, 4), "mask": (S, B, 4)}, "it must stretch to batch × 4"),
        ("GatedActivation", {}, {"x": (B, 5)}, "a size of 5 along axis 1; half of it is the gate"),
        ("PixelShuffle", {}, {"x": (B, 6, S, S)}, "6 channels; `factor` 2 makes one of each 4"),
    ],
)
def test_clashes_say_what_is_wrong(name, params, shapes, found):
    with pytest.raises(ShapeClash, match=found.replace("(", r"\(").replace(")", r"\)").replace("+", r"\+")):
        infer(name, shapes, **params)


@pytest.mark.parametrize(
    ("name", "params", "found"),
    [
        ("Reduce", {"pattern": "b s -> b s"}, "no axis is left out after the arrow"),
        ("Reduce", {"pattern": "b s -> b d"}, "`d` stands after the arrow and not before it"),
        ("Reduce", {"sizes": "q=2"}, "a size of `q`, which the pattern does not have"),
        ("Repeat", {"pattern": "b s -> s b", "sizes": ""}, "no axis is new after the arrow"),
        ("Repeat", {"pattern": "b s -> b r", "sizes": "r=2"}, "`s` stands before the arrow and not after it"),
        ("Repeat", {"pattern": "b -> b ...", "sizes": ""}, "'...' stands after the arrow and not before it"),
        ("Einsum", {"pattern": "b i"}, "it needs exactly one '->'"),
        ("Einsum", {"pattern": "b i -> b j"}, "`j` stands after the arrow and not before it"),
        ("Einsum", {"pattern": "b 3 -> b"}, "`3` is no axis name"),
        ("Split", {"sizes": "4"}, "one size makes one piece"),
        ("Reshape", {"shape": "-1, -1"}, "more than one size is -1"),
        ("Slice", {"start": 3, "stop": 3}, "nothing lies from 3 up to, not including, 3"),
        ("Slice", {"start": -2, "stop": 0}, "nothing lies from -2 up to, not including, 0"),
        ("Clamp", {"low": 2.0, "high": 1.0}, "the lower end 2 lies above the upper end 1"),
        ("HardTanh", {"low": 2.0, "high": 1.0}, "the lower end 2 lies above the upper end 1"),
    ],
)
def test_parameters_that_do_not_go_together(name, params, found):
    (conflict,) = conflicts(name, **params)
    assert conflict.fatal and found in conflict.found
    if conflict.repair:
        assert not conflicts(name, **params | conflict.repair)


def test_symbolic_sizes_learn_what_they_must_be():
    need = Needs()
    assert infer("Split", {"x": (B, S)}, need, parts=3)["y1"] == (B, S // 3)
    assert infer("Reduce", {"x": (B, S)}, need, pattern="b (s p) -> b s", sizes="p=4")["y"] == (B, S // 4)
    assert need.divisors == {"seq": 12}
    need = Needs()
    assert infer("Slice", {"x": (B, S)}, need, start=2, stop=-3)["y"] == (B, S - 5)
    assert [(limit.size, limit.low, limit.high) for limit in need.limits] == [(S, 6, None)]
    assert infer("Reshape", {"x": (B, S, 24)}, Needs(), shape="0, -1, 8")["y"] == (B, 3 * S, 8)
    assert infer("Repeat", {"x": (1, 1, 5), "like": (B, S, 5)}, pattern="1 1 d -> b 1 d", sizes="")["y"] == (B, 1, 5)


def test_names_become_letters_of_their_own():
    assert equation("b i d, b j d -> b i j") == "bid,bjd->bij"
    assert equation("batch bias, bias -> batch") == "ba,a->b"
    assert equation("a -> ") == "a->"


def test_pieces_follow_the_parameters():
    split = catalogue()["Split"]
    assert list(split.ports(full("Split", {"parts": 4}))[1]) == ["y1", "y2", "y3", "y4"]
    assert list(split.ports(full("Split", {"sizes": "1, 2, 3"}))[1]) == ["y1", "y2", "y3"]
    assert list(catalogue()["HingeGAN"].ports(full("HingeGAN", {"player": "generator"}))[0]) == ["fake"]
    assert list(catalogue()["AdaptiveLayerNorm"].ports(full("AdaptiveLayerNorm", {"gate": False}))[1]) == ["y"]


def test_an_adaptive_norm_starts_as_the_plain_one_with_a_closed_gate():
    block = catalogue()["AdaptiveLayerNorm"](dim=6, condition_dim=4)
    x, condition = torch.randn(2, 3, 6), torch.randn(2, 4)
    y, gate = block(x, condition)
    torch.testing.assert_close(y, torch.nn.functional.layer_norm(x, (6,), eps=1e-6))
    assert gate.shape == (2, 1, 6) and (gate == 0).all()


def test_attention_pooling_does_not_mind_the_order():
    torch.manual_seed(0)
    block = catalogue()["AttentionPooling"](dim=8, num_heads=2).double()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    torch.testing.assert_close(block(x), block(x[:, torch.tensor([3, 0, 4, 1, 2])]))
    mask = torch.tensor([[True, True, True, False, False]]).expand(2, -1)
    torch.testing.assert_close(block(x, mask), block(x[:, :3]))


def test_learned_constants_start_around_their_value():
    torch.manual_seed(0)
    tokens = catalogue()["Constant"](shape="100, 50", value=3.0, learned=True, init_std=0.5)
    assert tokens().mean().item() == pytest.approx(3, abs=0.05)
    assert tokens().std().item() == pytest.approx(0.5, rel=0.05)
    fixed = catalogue()["Constant"](shape="2", value=3.0)
    assert not list(fixed.parameters()) and not fixed.state_dict()
    assert fixed.double()().tolist() == [3, 3]
    given = catalogue()["Constant"](shape="2, 2", entries="1, -2, 0.5, 1e2", learned=True, init_std=0.0)
    assert given().tolist() == [[1, -2], [0.5, 100]]
    assert given().requires_grad


def test_entries_of_a_constant_fill_its_shape():
    cls = catalogue()["Constant"]
    full = {param.name: param.default for param in cls.params()}
    (conflict,) = cls.conflicts({**full, "shape": "2, 2", "entries": "1, 2, 3"})
    assert (conflict.found, conflict.repair) == ("3 numbers are given for 4 places", {"shape": "3"})
    assert not list(cls.conflicts({**full, "shape": "", "entries": "7"}))
    entries = next(param for param in cls.params() if param.name == "entries")
    assert entries.fault("1, two") == "must be numbers with commas between, as 1, -0.5, not '1, two'"
    assert entries.fault("") is None and entries.fault("1e99") is not None
