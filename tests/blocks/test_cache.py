"""Decoding with a cache, in pieces of any length, gives what the whole sequence gives at once."""

from __future__ import annotations

import inspect
from dataclasses import replace

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


def takes_a_cache(block):
    return "cache" in inspect.signature(block.forward).parameters


def states(block):
    """Inputs that are the state before, by the outputs that are the state after, of blocks that read sequences."""
    pairs = {name: f"{name}0" for name in block.outputs if f"{name}0" in block.inputs}
    return pairs if "seq" in block.inputs["x"].pattern.split() and pairs else {}


CACHING = {name for name, block in catalogue().items() if block.role == "module" and takes_a_cache(block)}
RECURRENT = {name for name, block in catalogue().items() if "x" in block.inputs and states(block)}


def test_a_cache_is_declared_where_there_is_one(block):
    params = {param.name: param.default for param in block.params()}
    assert bool(block.cached_values(params)) == hasattr(block, "empty_cache") == (block.__name__ in CACHING)
    assert block.cached_values(params).keys() <= block.inputs.keys()
    if block.__name__ in CACHING and "scores" in vars(block):
        assert "cache" in inspect.signature(block.scores).parameters


def piece(call, name, tensor, start, stop):
    """What an input gives to the tokens from one place to another: keys reach back, all else is theirs alone."""
    axes = call.shapes[name].split()
    for axis, size in enumerate(axes):
        if size == "seq":
            keys = name in ("mask", "score_bias") and axis == len(axes) - 1
            tensor = tensor.narrow(axis, 0, stop) if keys else tensor.narrow(axis, start, stop - start)
    return tensor


def cuts(length):
    """Ways to cut a sequence: all at once, one by one, and anyhow."""
    return [(length,), (1,) * length, (3, 1, length - 4)]


def test_every_cache_decodes_what_is_decoded_at_once(call):
    """In pieces; the cache holds what is declared; what has been looked at once is not looked at again."""
    if "causal" in call.full:
        call = replace(call, params={**call.params, "causal": True})
    block, arguments = call.build(torch.float64), call.tensors(torch.float64)
    inputs = {n: t for n, t in zip(call.cls.ports(call.full)[0], arguments, strict=True) if t is not None}
    for lengths in cuts(inputs["x"].shape[1]):
        given = dict(inputs)
        if "prefix" in given:  # is read in one piece
            given["prefix"] = given["prefix"].clamp(max=lengths[0])
        cache, found, stop = block.empty_cache(given["x"]), [], 0
        with torch.no_grad():
            whole = block(**given)
            for length in lengths:
                start, stop = stop, stop + length
                part = {name: piece(call, name, tensor, start, stop) for name, tensor in given.items()}
                found.append(block(**part, cache=cache))
                if "context" in given:
                    given["context"] = torch.full_like(given["context"], torch.nan)
        torch.testing.assert_close(torch.cat(found, 1), whole, rtol=1e-9, atol=1e-12)
        kept = call.cls.cached_values(call.full)
        numbers = sum(per_token * inputs[port].shape[1] for port, per_token in kept.items())
        assert sum(tensor[0].numel() for tensor in cache) == numbers
        assert all(tensor.dtype == torch.float64 for tensor in cache)


test_every_cache_decodes_what_is_decoded_at_once.only = CACHING


def test_every_state_carries_on(call):
    """Recurrent blocks keep no tokens: what goes out as the state after comes in as the state before."""
    if call.full["bidirectional"]:
        return
    pairs = states(call.cls)
    block, arguments = call.build(torch.float64), call.tensors(torch.float64)
    inputs = {n: t for n, t in zip(call.cls.inputs, arguments, strict=True) if t is not None}
    with torch.no_grad():
        whole = dict(zip(call.cls.outputs, block(**inputs), strict=True))
        for lengths in cuts(inputs["x"].shape[1]):
            given, found = dict(inputs), []
            for x in inputs["x"].split(lengths, 1):
                results = dict(zip(call.cls.outputs, block(**{**given, "x": x}), strict=True))
                given |= {before: results[after] for after, before in pairs.items()}
                found.append(results["y"])
            torch.testing.assert_close(torch.cat(found, 1), whole["y"], rtol=1e-9, atol=1e-12)
            for after, before in pairs.items():
                torch.testing.assert_close(given[before], whole[after], rtol=1e-9, atol=1e-12)


test_every_state_carries_on.only = RECURRENT


def test_what_is_found_to_remember():
    assert {"MultiHeadAttention", "CrossAttention", "MultiHeadLatentAttention", "DecoderBlock"} <= CACHING
    assert {"RNN", "LSTM", "GRU"} == RECURRENT


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

    def forward(self, x, context, *cache):
        cache = list(cache)
        return self.block(x, *([] if context is None else [context]), cache=cache), *cache


CROSS = HEADS | {"context_dim": 10}


@pytest.mark.parametrize(
    "name, params", [CAUSAL[2], CAUSAL[5], CAUSAL[9], CAUSAL[-2], ("CrossAttention", CROSS), ("DecoderBlock", CROSS)]
)
def test_a_step_exports_with_any_past(name, params):
    block, x = built(name, params)
    context = torch.randn(3, 5, 10, dtype=torch.float64) if "context_dim" in params else None
    full = {"context": context} if context is not None else {}

    def read(stop, batch=3):
        cache = block.empty_cache(x[:batch])
        block(x[:batch, :stop], **{name: tensor[:batch] for name, tensor in full.items()}, cache=cache)
        return cache

    with torch.no_grad():
        cache = read(6)
        batch, seq, past, source = (Dim(axis, min=1) for axis in ("batch", "seq", "past", "source"))
        grown = len(cache) - 2 if context is not None else len(cache)
        held = tuple({0: batch, 2: past if place < grown else source} for place in range(len(cache)))
        given = None if context is None else {0: batch, 1: Dim("unseen", min=1)}
        program = torch.export.export(
            Step(block), (x[:, 6:8].clone(), context, *cache),
            dynamic_shapes=({0: batch, 1: seq}, given, held), strict=False,
        ).module()  # fmt: skip
        for start, stop in ((6, 8), (3, 9), (8, 9)):
            few = {name: tensor[:2] for name, tensor in full.items()}
            y, *kept = program(x[:2, start:stop], few.get("context"), *read(start, 2))
            torch.testing.assert_close(y, block(x[:2, :stop], **few)[:, start:], rtol=1e-9, atol=1e-12)
            for place, tensor in enumerate(kept):
                assert tensor.shape[2] == (stop if place < grown else 5)
