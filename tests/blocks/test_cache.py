"""Decoding with a cache, in pieces of any length, gives what the whole sequence gives at once."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.export import Dim

from blocks import catalogue

HEADS = {"dim": 24, "num_heads": 4}
ROPE = {"rope": True, "head_dim": 8}
LATENT = {"dim": 24, "num_heads": 4, "head_dim": 6, "kv_rank": 10, "rope_dim": 4}
ATTENTION = [
    {},
    {"kv_heads": 2} | ROPE,
    {"window": 3, "kv_heads": 1} | ROPE,
    {"alibi": True},
    {"sink": True, "kv_heads": 2},
    {"sink": True, "window": 4, "alibi": True, "gate": "element"},
    {"qk_norm": True, "gate": "head", "bias": False} | ROPE,
    ROPE | {"rope_scaling": "yarn", "rope_dim": 6, "rope_context": 40, "rope_layout": "interleaved"},
]
LATENTS = [{}, {"q_rank": 7, "value_dim": 5}, {"rope_scaling": "yarn", "rope_layout": "half"}, {"rope_dim": 0}]
CAUSAL = [
    *(("MultiHeadAttention", HEADS | {"causal": True} | given) for given in ATTENTION),
    *(("MultiHeadLatentAttention", LATENT | given) for given in LATENTS),
    ("ModernDecoderBlock", HEADS | {"kv_heads": 2, "window": 5}),
    ("ParallelBlock", HEADS | {"rope_dim": 4}),
]
WHOLE = 9
PIECES = [(9,), (1,) * 9, (3, 1, 1, 4), (5, 4)]


def built(name, params):
    torch.manual_seed(0)
    block = catalogue()[name](**params).double().eval()
    for parameter in block.parameters():
        nn.init.normal_(parameter, std=0.3)
    return block, torch.randn(3, WHOLE, 24, dtype=torch.float64)


def decoded(block, x, pieces, **others):
    """The outputs piece by piece; `others` make what is given for the tokens from one place to another."""
    cache, start, found = block.empty_cache(x), 0, []
    for length in pieces:
        stop = start + length
        given = {name: make(start, stop) for name, make in others.items()}
        found.append(block(x[:, start:stop], cache=cache, **given))
        assert all(tensor.shape[2] == stop for tensor in cache)
        start = stop
    return torch.cat(found, 1), cache


@pytest.mark.parametrize("pieces", PIECES, ids=str)
@pytest.mark.parametrize("name, params", CAUSAL)
def test_cached_decoding_is_full_decoding(name, params, pieces):
    block, x = built(name, params)
    with torch.no_grad():
        found, _ = decoded(block, x, pieces)
        torch.testing.assert_close(found, block(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name, params", CAUSAL)
def test_the_cache_holds_what_is_declared(name, params):
    block, x = built(name, params)
    with torch.no_grad():
        _, cache = decoded(block, x, (4, 5))
    full = {param.name: param.default for param in type(block).params()} | params
    assert sum(tensor[0, :, 0].numel() for tensor in cache) == type(block).cached_values(full)
    assert all(tensor.dtype == x.dtype for tensor in cache)


def test_what_is_cached_never_changes():
    block, x = built("MultiHeadAttention", HEADS | {"causal": True} | ROPE)
    with torch.no_grad():
        _, early = decoded(block, x[:, :5], (5,))
        _, late = decoded(block, x, (5, 4))
    assert all(torch.equal(one, other[:, :, :5]) for one, other in zip(early, late, strict=True))


@pytest.mark.parametrize("name, params", [CAUSAL[1], CAUSAL[8], ("ModernDecoderBlock", HEADS | {"kv_heads": 2})])
def test_masks_and_positions_of_padded_samples(name, params):
    """Samples padded at the left: the mask hides what was padded, positions start behind it."""
    block, x = built(name, params)
    padding = torch.tensor([0, 2, 4])
    positions = (torch.arange(WHOLE) - padding[:, None]).clamp(min=0)
    visible = (torch.arange(WHOLE) >= padding[:, None])[:, None, None]
    with torch.no_grad():
        found, _ = decoded(
            block,
            x,
            (5, 1, 3),
            mask=lambda _, stop: visible[..., :stop],
            positions=lambda start, stop: positions[:, start:stop],
        )
        whole = block(x, mask=visible, positions=positions)
        for sample, left in enumerate(padding.tolist()):
            alone = block(x[sample : sample + 1, left:])[0]
            torch.testing.assert_close(found[sample, left:], alone, rtol=1e-9, atol=1e-12)
            torch.testing.assert_close(whole[sample, left:], alone, rtol=1e-9, atol=1e-12)


def test_a_prefix_is_read_at_once_and_then_continued():
    block, x = built("MultiHeadAttention", HEADS | {"causal": True} | ROPE)
    prefix = torch.tensor([4, 2, 3])
    with torch.no_grad():
        found, _ = decoded(block, x, (4, 1, 4), prefix=lambda *_: prefix)
        torch.testing.assert_close(found, block(x, prefix=prefix), rtol=1e-9, atol=1e-12)


def test_scores_of_a_step_are_what_the_kernel_got():
    block, x = built("MultiHeadAttention", HEADS | {"causal": True, "sink": True})
    with torch.no_grad():
        _, cache = decoded(block, x[:, :6], (6,))
        before = [tensor.clone() for tensor in cache]
        scores = block.scores(x[:, 6:], cache=cache)
        assert all(map(torch.equal, cache, before)), "looking changes nothing"
        assert scores.q.shape[2] == 3 and scores.k.shape[2] == WHOLE + 1


class Step(nn.Module):
    """A step as a plan in decode mode has it: the cache is an input and an output."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x, first, second):
        cache = [first, second]
        return self.block(x, cache=cache), *cache


@pytest.mark.parametrize("name, params", [CAUSAL[2], CAUSAL[5], CAUSAL[9], CAUSAL[-2]])
def test_a_step_exports_with_any_past(name, params):
    block, x = built(name, params)
    with torch.no_grad():
        _, cache = decoded(block, x[:, :6], (6,))
        batch, seq, past = Dim("batch", min=1), Dim("seq", min=1), Dim("past", min=1)
        held = {0: batch, 2: past}
        program = torch.export.export(
            Step(block), (x[:, 6:8].clone(), *cache), dynamic_shapes=({0: batch, 1: seq}, held, held), strict=False
        ).module()
        for start, stop in ((6, 8), (3, 9), (8, 9)):
            _, cache = decoded(block, x[:2, :start], (start,))
            y, *kept = program(x[:2, start:stop], *cache)
            torch.testing.assert_close(y, block(x[:2, :stop])[:, start:], rtol=1e-9, atol=1e-12)
            assert all(tensor.shape[2] == stop for tensor in kept)
