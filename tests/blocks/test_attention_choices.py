"""What each choice of attention does: who sees whom, what order does, sinks, gates and latents."""

from __future__ import annotations

import pytest
import torch

from blocks.functional import alibi_slopes, reach
from blocks.rotary import rotate, speeds

SCALINGS = ("linear", "ntk", "yarn")


def made(make_call, wired=None, **given):
    """A small block with its first argument."""
    call = make_call("MultiHeadAttention", {"x": "batch seq 24"} | (wired or {}), {"dim": 24, "num_heads": 4} | given)
    return call.build(torch.float64), call.tensors(torch.float64)[0]


def influence(module, x, **others):
    """(query, key): whether what stands at a key moves the output at a query, in the first sample."""
    size = x.shape[1]
    moved = torch.zeros(size, size, dtype=torch.bool)
    with torch.no_grad():
        before = module(x, **others)
        for key in range(size):
            other = x.clone()
            other[:, key] += 1
            moved[:, key] = ((module(other, **others) - before).abs() > 1e-9).any(-1)[0]
    return moved


@pytest.mark.parametrize("causal", [False, True])
def test_a_window_is_narrow(make_call, causal):
    module, x = made(make_call, window=3, causal=causal)
    far = torch.arange(7)[:, None] - torch.arange(7)
    expected = (far >= 0) & (far < 3) if causal else far.abs() < 3
    assert torch.equal(influence(module, x), expected)


@pytest.mark.parametrize("causal", [False, True])
def test_a_prefix_sees_itself_and_is_seen(make_call, causal):
    """GLM: what belongs to the prefix never sees what comes behind; what comes behind sees all of it."""
    module, x = made(make_call, causal=causal)
    query, key = torch.arange(7)[:, None], torch.arange(7)
    for length in (0, 1, 3, 7, 9):
        moved = influence(module, x, prefix=torch.tensor([length, 2, 5]))
        assert torch.equal(moved, (key < length) | (key <= query))


def test_each_sample_has_its_own_prefix(make_call):
    module, x = made(make_call)
    together = module(x, prefix=torch.tensor([2, 5, 7]))
    for sample, length in enumerate((2, 5, 7)):
        alone = module(x[sample : sample + 1], prefix=torch.tensor([length]))
        assert torch.allclose(alone, together[sample : sample + 1])


def test_the_last_query_stands_at_the_last_key():
    q, k = torch.zeros(1, 1, 2, 4), torch.zeros(1, 1, 5, 4)
    assert reach(q, k, causal=True).tolist() == [[True] * 4 + [False], [True] * 5]
    assert reach(q, k, causal=True, window=2).tolist() == [[False] * 2 + [True] * 2 + [False], [False] * 3 + [True] * 2]


@pytest.mark.parametrize("causal", [False, True])
def test_a_sink_takes_what_it_is_worth(make_call, causal):
    module, x = made(make_call, sink=True, causal=causal, kv_heads=2)
    plain, _ = made(make_call, causal=causal, kv_heads=2)
    plain.load_state_dict({name: tensor for name, tensor in module.state_dict().items() if name != "sink"})
    with torch.no_grad():
        module.sink.fill_(-200.0)
        assert torch.allclose(module(x), plain(x))
        module.sink.fill_(200.0)
        assert torch.allclose(module(x), module.o_proj.bias.expand_as(x))


def test_a_gate_starts_half_open_and_can_close(make_call):
    for gate in ("head", "element"):
        module, x = made(make_call, gate=gate, bias=False)
        plain, _ = made(make_call, bias=False)
        plain.load_state_dict({name: w for name, w in module.state_dict().items() if name != "gate_proj.weight"})
        with torch.no_grad():
            module.gate_proj.weight.zero_()
            assert torch.allclose(module(x), plain(x) / 2)


def test_slopes_of_alibi():
    x = torch.zeros(1, dtype=torch.float64)
    assert alibi_slopes(x, 8).tolist() == [2.0**-n for n in range(1, 9)]
    assert torch.allclose(alibi_slopes(x, 3), torch.tensor([2.0**-4, 2.0**-8, 2.0**-2], dtype=torch.float64))
    assert len(alibi_slopes(x, 12)) == 12
    assert alibi_slopes(x, 1).tolist() == [2.0**-8]


def test_positions_count_from_anywhere(make_call):
    module, x = made(make_call, rope=True, causal=True)
    plain = module(x)
    for positions in (torch.arange(7), torch.arange(7) + 900, (torch.arange(7) + 5).expand(3, 7)):
        assert torch.allclose(module(x, positions=positions), plain)
    assert not torch.allclose(module(x, positions=torch.arange(7) * 2), plain, atol=1e-3)


def test_bits_of_a_bias(make_call):
    qwen, _ = made(make_call, bias=False, qkv_bias=True)
    assert [name for name in qwen.state_dict() if "bias" in name] == ["q_proj.bias", "k_proj.bias", "v_proj.bias"]
    diffusion, _ = made(make_call, bias=False, out_bias=True)
    assert [name for name in diffusion.state_dict() if "bias" in name] == ["o_proj.bias"]


def test_scaled_speeds():
    """Factor 4 over 4,096 positions: what YaRN leaves, slows in part and slows in full, and what the others do."""
    x = torch.zeros(1, dtype=torch.float64)
    plain = speeds(x, 128, theta=10000.0)
    slower = {name: plain / speeds(x, 128, theta=10000.0, scaling=name, factor=4.0, context=4096) for name in SCALINGS}
    assert torch.allclose(slower["linear"], torch.full((64,), 4.0, dtype=torch.float64))
    assert slower["ntk"][0] == 1 and slower["ntk"][-1].item() == pytest.approx(4.0)
    turns = 4096 * plain / (2 * torch.pi)
    assert torch.allclose(slower["yarn"][turns > 34], torch.ones((), dtype=torch.float64))
    assert torch.allclose(slower["yarn"][turns < 0.9], torch.full((), 4.0, dtype=torch.float64))
    assert (slower["yarn"].diff() >= -1e-12).all() and (slower["ntk"].diff() > 0).all()


def test_latent_attention_is_plain_attention_on_products_of_its_matrices(make_call):
    """Without RoPE and norm the short vector only factors the matrices of keys and values."""
    sizes = {"dim": 24, "num_heads": 4, "bias": False, "causal": True}
    latent = make_call(
        "MultiHeadLatentAttention", {"x": "batch seq 24"}, sizes | {"head_dim": 6, "kv_rank": 10, "rope_dim": 0}
    ).build(torch.float64)
    plain, x = made(make_call, **sizes)
    latent.kv_norm = torch.nn.Identity()
    keys_values = (latent.kv_up.weight @ latent.kv_down.weight).view(4, 12, 24)
    with torch.no_grad():
        plain.q_proj.weight.copy_(latent.q_up.weight)
        plain.k_proj.weight.copy_(keys_values[:, :6].reshape(24, 24))
        plain.v_proj.weight.copy_(keys_values[:, 6:].reshape(24, 24))
        plain.o_proj.weight.copy_(latent.o_proj.weight)
        assert torch.allclose(latent(x), plain(x))


def test_rope_layouts_differ_by_an_order_of_features():
    x = torch.randn(2, 3, 9, 8, dtype=torch.float64)
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])  # pairs apart → pairs together
    (half,) = rotate(x[..., order], theta=100.0, interleaved=False)
    (together,) = rotate(x, theta=100.0, interleaved=True)
    assert torch.allclose(half, together[..., order])


def test_rope_scores_depend_on_the_distance_only():
    q, k = torch.randn(2, 1, 1, 1, 16, dtype=torch.float64).expand(-1, -1, -1, 12, -1)
    turned_q, turned_k = rotate(q, k, theta=10000.0, interleaved=False)
    scores = (turned_q @ turned_k.mT)[0, 0]
    for distance in range(-11, 12):
        diagonal = scores.diagonal(distance)
        assert torch.allclose(diagonal, diagonal[:1].expand_as(diagonal))


def test_rope_is_computed_wider_than_the_tensor():
    x = torch.randn(1, 1, 300, 64, dtype=torch.float64)
    exact = rotate(x.bfloat16().double(), theta=10000.0, interleaved=False)[0]
    narrow = rotate(x.bfloat16(), theta=10000.0, interleaved=False)[0]
    assert narrow.dtype == torch.bfloat16
    assert (narrow.double() - exact).abs().max() < 0.05
