"""Positions: what turning, falling and counting are good for, and what is said when features do not fit."""

from __future__ import annotations

import math

import pytest
import torch

from blocks import catalogue
from blocks.dimensions import named
from blocks.shapes import Needs, ShapeClash

B, S, H, W = (named(name) for name in ("batch", "seq", "height", "width"))


def infer(name, shapes, need=None, **given):
    block = catalogue()[name]
    params = {param.name: param.default for param in block.params()} | given
    return block.infer(shapes, params, need or Needs())


def test_two_dimensional_turning_knows_both_distances():
    """One query and one key on a grid: their product depends on how many rows and columns lie between them."""
    turn = catalogue()["RotaryPosition2d"]()
    q, k = torch.randn(2, 1, 1, 1, 1, 12, dtype=torch.float64).expand(-1, -1, -1, 6, 5, -1)
    turned_q, turned_k = turn(q, k)
    scores = torch.einsum("abhwd,abxyd->hwxy", turned_q, turned_k)
    for row, column in ((0, 0), (2, 1), (3, 4), (1, 0)):
        same = torch.stack([scores[i, j, i + row, j + column] for i in range(6 - row) for j in range(5 - column)])
        assert torch.allclose(same, same[:1].expand_as(same))
    assert not torch.isclose(scores[0, 0, 1, 0], scores[0, 0, 0, 1])


def test_a_row_alone_is_turned_like_a_sequence():
    """The pairs that turn by column do what RoPE does on half as many features."""
    q = torch.randn(1, 2, 1, 9, 16, dtype=torch.float64)
    turned, _ = catalogue()["RotaryPosition2d"](rope_layout="interleaved")(q, q)
    alone, _ = catalogue()["RotaryPosition"](rope_layout="interleaved")(q[:, :, 0, :, 8:], q[:, :, 0, :, 8:])
    assert torch.equal(turned[..., :8], q[..., :8])
    assert torch.allclose(turned[:, :, 0, :, 8:], alone)


def test_the_bias_is_what_attention_adds_itself():
    torch.manual_seed(0)
    attention = catalogue()["MultiHeadAttention"]
    inside = attention(dim=24, num_heads=6, alibi=True, causal=True)
    outside = attention(dim=24, num_heads=6, causal=True)
    outside.load_state_dict(inside.state_dict())
    x = torch.randn(2, 7, 24)
    bias = catalogue()["ALiBi"](num_heads=6)(x)
    with torch.no_grad():
        assert torch.equal(inside(x), outside(x, score_bias=bias))


def test_turning_raw_queries_is_what_attention_does_itself():
    torch.manual_seed(0)
    block = catalogue()["MultiHeadAttention"](dim=24, num_heads=4, rope=True, rope_dim=4, causal=True)
    x = torch.randn(2, 7, 24)
    turn = catalogue()["RotaryPosition"](rope_dim=4)
    with torch.no_grad():
        q, k, v = (proj(x).view(2, 7, 4, 6).transpose(1, 2) for proj in (block.q_proj, block.k_proj, block.v_proj))
        raw = catalogue()["ScaledDotProductAttention"](causal=True)
        assert torch.equal(block.o_proj(raw(*turn(q, k), v).transpose(1, 2).flatten(-2)), block(x))


def test_positions_of_glm():
    tokens = torch.zeros(3, 6, dtype=torch.int64)
    positions, blocks = catalogue()["PrefixPosition"]()(tokens, torch.tensor([4, 6, 1]))
    assert positions.tolist() == [[0, 1, 2, 3, 3, 3], [0, 1, 2, 3, 4, 5], [0] * 6]
    assert blocks.tolist() == [[0, 0, 0, 0, 1, 2], [0] * 6, [0, 1, 2, 3, 4, 5]]


def test_a_prefix_of_nothing_fits_the_tables():
    tokens = torch.zeros(1, 8, dtype=torch.int64)
    positions, blocks = catalogue()["PrefixPosition"]()(tokens, torch.tensor([0]))
    table = catalogue()["TwoDimensionalPosition"](dim=5, context=8)
    assert table(torch.zeros(1, 8, 5), positions, blocks).shape == (1, 8, 5)


def test_clashes():
    with pytest.raises(ShapeClash, match="found 7 features in each head; they turn in pairs; set `rope_dim`"):
        infer("RotaryPosition", {"q": (B, 4, S, 7), "k": (B, 2, S, 7)})
    with pytest.raises(ShapeClash, match="at least 8 is needed: 8 features of each head are to turn"):
        infer("RotaryPosition", {"q": (B, 4, S, 6), "k": (B, 2, S, 6)}, rope_dim=8)
    with pytest.raises(ShapeClash, match="NTK scaling leaves the first pair as it is"):
        infer("RotaryPosition", {"q": (B, 4, S, 2), "k": (B, 2, S, 2)}, rope_scaling="ntk")
    with pytest.raises(ShapeClash, match="it must stretch to batch × seq, here batch × seq"):
        infer("RotaryPosition", {"q": (B, 4, S, 6), "k": (B, 2, S, 6), "positions": (S, B)})
    with pytest.raises(ShapeClash, match="found 6 features in each head; half of the pairs turn by row"):
        infer("RotaryPosition2d", {"q": (B, 4, H, W, 6), "k": (B, 4, H, W, 6)})
    need = Needs()
    infer("RotaryPosition", {"q": (B, 4, S, named("width")), "k": (B, 4, S, named("width"))}, need)
    assert need.divisors == {"width": 2}
    need = Needs()
    infer("TwoDimensionalPosition", dict.fromkeys(("positions", "block_positions"), (B, S)) | {"x": (B, S, 256)}, need)
    assert [(str(limit.size), limit.high) for limit in need.limits] == [("seq", 1024)]


def test_a_source_of_whole_numbers():
    assert infer("IntegerInput", {}, axes="batch") == {"numbers": (B,)}
    assert infer("IntegerInput", {}, axes="batch seq", below=40) == {"numbers": (B, S)}


@pytest.mark.parametrize(
    "given, param, repair",
    [
        ({"rope_dim": 5}, "rope_dim", {"rope_dim": 4}),
        ({"rope_dim": 2, "rope_scaling": "ntk"}, "rope_scaling", {"rope_scaling": "linear"}),
        ({"rope_theta": 1.0, "rope_scaling": "yarn"}, "rope_theta", {"rope_theta": 10000.0}),
    ],
)
def test_turning_that_does_not_fit(given, param, repair):
    block = catalogue()["RotaryPosition"]
    params = {one.name: one.default for one in block.params()} | given
    (conflict,) = block.conflicts(params)
    assert (conflict.param, conflict.repair) == (param, repair)
    assert not list(block.conflicts(params | conflict.repair))


def test_each_patch_has_waves_for_its_column_and_its_row():
    """The published table: the column's sines and cosines, then the row's; saved, but never learned."""
    block = catalogue()["SinusoidalPosition2d"](dim=16, rows=3, columns=5, max_period=100.0)
    wanted = [
        [wave(place / 100.0 ** (i / 4)) for place in (c, r) for wave in (math.sin, math.cos) for i in range(4)]
        for r in range(3)
        for c in range(5)
    ]
    torch.testing.assert_close(block.weight, torch.nn.Parameter(torch.tensor(wanted), False), rtol=0, atol=1e-6)
    assert not block.weight.requires_grad and list(block.state_dict()) == ["weight"]
    with torch.no_grad():
        fewer_rows = block(torch.zeros(1, 10, 16))
    assert torch.equal(fewer_rows[0], block.weight[:10])


def test_more_patches_than_the_table_holds_and_features_that_have_no_quarter():
    with pytest.raises(ShapeClash, match="at most 15 is possible: the table holds 3 × 5 patches"):
        infer("SinusoidalPosition2d", {"x": (B, 16, 8)}, dim=8, rows=3, columns=5)
    need = Needs()
    assert infer("SinusoidalPosition2d", {"x": (B, S, 8)}, need, dim=8) == {"y": (B, S, 8)}
    assert [(str(limit.size), limit.high) for limit in need.limits] == [("seq", 256)]
    (conflict,) = catalogue()["SinusoidalPosition2d"].conflicts({"dim": 10})
    assert conflict.repair == {"dim": 12}
