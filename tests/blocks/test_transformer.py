"""Whole layers: torch's own on copied weights, published counts, and which half sees what."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from blocks import catalogue


def copy_attention(ours, theirs) -> None:
    """nn.MultiheadAttention keeps queries, keys and values in one matrix."""
    for place, name in enumerate(("q_proj", "k_proj", "v_proj")):
        weight, bias = theirs.in_proj_weight.chunk(3)[place], theirs.in_proj_bias.chunk(3)[place]
        ours.get_submodule(name).load_state_dict({"weight": weight, "bias": bias})
    ours.o_proj.load_state_dict(theirs.out_proj.state_dict())


def spread(module: nn.Module) -> nn.Module:
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)
    return module.double().eval()


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_encoder_is_torchs(norm_first, activation):
    torch.manual_seed(0)
    theirs = spread(
        nn.TransformerEncoderLayer(24, 4, 40, 0.1, activation, 1e-5, batch_first=True, norm_first=norm_first)
    )
    ours = catalogue()["EncoderBlock"](
        dim=24, num_heads=4, hidden=40, activation=activation, norm_first=norm_first, dropout=0.1
    ).double()
    copy_attention(ours.attn, theirs.self_attn)
    pairs = {"attn_norm": "norm1", "mlp_norm": "norm2", "mlp.up": "linear1", "mlp.down": "linear2"}
    for name, other in pairs.items():
        ours.get_submodule(name).load_state_dict(theirs.get_submodule(other).state_dict())
    ours.eval()
    x = torch.randn(3, 7, 24, dtype=torch.float64)
    padded = torch.arange(7) >= torch.tensor([[7], [4], [5]])
    with torch.no_grad():
        assert torch.allclose(ours(x), theirs(x))
        masked = ours(x, ~padded[:, None, None])
        wanted = theirs(x, src_key_padding_mask=padded)
        assert torch.allclose(masked[~padded], wanted[~padded])


@pytest.mark.parametrize("norm_first", [False, True])
def test_decoder_is_torchs(norm_first):
    torch.manual_seed(0)
    theirs = spread(nn.TransformerDecoderLayer(24, 4, 40, 0.1, "relu", 1e-5, batch_first=True, norm_first=norm_first))
    ours = catalogue()["DecoderBlock"](dim=24, context_dim=24, num_heads=4, hidden=40, norm_first=norm_first).double()
    copy_attention(ours.attn, theirs.self_attn)
    copy_attention(ours.cross, theirs.multihead_attn)
    pairs = {
        "attn_norm": "norm1",
        "cross_norm": "norm2",
        "mlp_norm": "norm3",
        "mlp.up": "linear1",
        "mlp.down": "linear2",
    }
    for name, other in pairs.items():
        ours.get_submodule(name).load_state_dict(theirs.get_submodule(other).state_dict())
    ours.eval()
    x, context = torch.randn(3, 7, 24, dtype=torch.float64), torch.randn(3, 5, 24, dtype=torch.float64)
    later = torch.ones(7, 7, dtype=torch.bool).triu(1)
    absent = torch.arange(5) >= torch.tensor([[5], [2], [3]])
    with torch.no_grad():
        ours_y = ours(x, context, context_mask=~absent[:, None, None])
        theirs_y = theirs(x, context, tgt_mask=later, memory_key_padding_mask=absent)
        assert torch.allclose(ours_y, theirs_y)


def weights(name, **params) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in catalogue()[name](**params).parameters())


def test_layers_have_as_many_parameters_as_published_ones():
    """Each published count is its layers and what stands around them."""
    gpt_j = weights("ParallelBlock", dim=4096, num_heads=16, rope_dim=64)
    assert 28 * gpt_j + 2 * 50400 * 4096 + 50400 + 2 * 4096 == 6_050_882_784
    llama_7b = weights("ModernDecoderBlock", dim=4096, num_heads=32, kv_heads=None)
    assert 32 * llama_7b + 2 * 32000 * 4096 + 4096 == 6_738_415_616
    llama_70b = weights("ModernDecoderBlock", dim=8192, num_heads=64, kv_heads=8, hidden=28672)
    assert 80 * llama_70b + 2 * 32000 * 8192 + 8192 == 68_976_648_192
    qwen_72b = weights("ModernDecoderBlock", dim=8192, num_heads=64, kv_heads=8, hidden=29568, qkv_bias=True)
    assert 80 * qwen_72b + 2 * 152064 * 8192 + 8192 == 72_706_203_648
    bert = weights("EncoderBlock", dim=768, num_heads=12, norm_first=False)
    around = (30522 + 512 + 2) * 768 + 2 * 768 + 768 * 768 + 768
    assert 12 * bert + around == 109_482_240
    vit = weights("EncoderBlock", dim=768, num_heads=12)
    around = 768 * 16 * 16 * 3 + 768 + 768 + 197 * 768 + 2 * 768 + 768 * 1000 + 1000
    assert 12 * vit + around == 86_567_656


def test_deepseek_counts():
    attention = weights(
        "MultiHeadLatentAttention",
        dim=5120, num_heads=128, head_dim=128, value_dim=128, kv_rank=512, q_rank=1536, rope_dim=64,
    )  # fmt: skip
    norms, expert = 2 * 5120, 3 * 5120 * 1536
    dense = attention + norms + 3 * 5120 * 12288
    mixture = attention + norms + 162 * expert + 160 * 5120
    assert dense + 59 * mixture + 2 * 102400 * 5120 + 5120 == 235_741_434_880


def test_halves_of_a_parallel_layer_do_not_hear_each_other():
    torch.manual_seed(0)
    block = catalogue()["ParallelBlock"](dim=24, num_heads=4).double()
    x = torch.randn(2, 7, 24, dtype=torch.float64)
    with torch.no_grad():
        normed = block.norm(x)
        assert torch.allclose(block(x), x + block.attn(normed) + block.mlp(normed))
        found = block(x) - x - block.mlp(normed)
        block.mlp.down.weight.mul_(3)
        assert torch.allclose(block(x) - x - block.mlp(normed), found)


def test_norm_last_ends_normalised():
    torch.manual_seed(0)
    x = 9 * torch.randn(2, 7, 24)
    for name, given in (("EncoderBlock", (x,)), ("DecoderBlock", (x, torch.randn(2, 5, 256)))):
        y = catalogue()[name](dim=24, num_heads=4, norm_first=False)(*given)
        assert torch.allclose(y.mean(-1), torch.zeros(2, 7), atol=1e-5)
        assert torch.allclose(y.var(-1, correction=0), torch.ones(2, 7), atol=1e-3)


def test_layers_cache_what_their_attention_does():
    for name, given in (("ModernDecoderBlock", {"kv_heads": 2}), ("ParallelBlock", {"kv_heads": 1, "head_dim": 10})):
        block = catalogue()[name]
        params = {param.name: param.default for param in block.params()} | given
        attn = block(**params).attn
        assert block.cached_values(params) == {"x": attn.k_proj.out_features + attn.v_proj.out_features}
    block = catalogue()["DecoderBlock"]
    both = {"x": 2 * 256, "context": 2 * 256}
    assert block.cached_values({param.name: param.default for param in block.params()}) == both


def test_maps_of_layers_are_those_of_their_attention():
    torch.manual_seed(0)
    for name in ("EncoderBlock", "ModernDecoderBlock", "ParallelBlock"):
        block = catalogue()[name](dim=24, num_heads=4).eval()
        seen = []
        block.attn.register_forward_pre_hook(lambda _, args, seen=seen: seen.append(args[0]))
        x = torch.randn(2, 7, 24)
        with torch.no_grad():
            block(x)
            for ours, theirs in zip(block.scores(x), block.attn.scores(seen[0]), strict=True):
                assert torch.equal(ours, theirs) if isinstance(ours, torch.Tensor) else ours == theirs
    block = catalogue()["EncoderBlock"](dim=24, num_heads=4, norm_first=False)
    with torch.no_grad():
        assert torch.equal(block.scores(x).q, block.attn.scores(x).q)


@pytest.mark.parametrize("name", ["EncoderBlock", "DecoderBlock", "ModernDecoderBlock", "ParallelBlock"])
def test_heads_that_do_not_fit(name):
    block = catalogue()[name]
    params = {param.name: param.default for param in block.params()} | {"dim": 100, "num_heads": 12}
    conflict, *_ = block.conflicts(params)
    assert (conflict.param, conflict.repair) == ("num_heads", {"num_heads": 10})
    assert ("head_dim" in conflict.needed) == ("head_dim" in params)
    assert not list(block.conflicts(params | conflict.repair))
