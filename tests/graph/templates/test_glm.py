"""GLM: who sees whom in parts A and B, against its definition in float64, and at the sizes of the paper."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional

SEQ, VOCAB = 11, 31
PARTS = [4, 1, 7, 11, 10]
"""Lengths of part A, one a sample; the fourth has no part B."""
SIZES = {"dim": 24, "layers": 3, "num_heads": 3, "hidden": 40, "vocab": VOCAB, "context": 16}


@pytest.fixture
def tokens():
    return torch.randint(VOCAB, (len(PARTS), SEQ), generator=torch.Generator().manual_seed(1))


@pytest.fixture
def model(model_of, shake):
    return shake(model_of("glm", **SIZES))


def sees(prefix: int) -> torch.Tensor:
    """Who sees whom in one sample: rows look at columns."""
    visible = torch.zeros(SEQ, SEQ, dtype=torch.bool)
    for query in range(SEQ):
        for key in range(SEQ):
            both_in_a = query < prefix and key < prefix
            from_b = query >= prefix and (key < prefix or key <= query)
            visible[query, key] = both_in_a or from_b
    return visible


def defined(state, tokens, prefix: int) -> torch.Tensor:
    """The model of one sample as the paper defines it, (seq) → (seq, vocab)."""
    places = [place if place < prefix else prefix - 1 for place in range(SEQ)]
    blocks = [0 if place < prefix else place - prefix + 1 for place in range(SEQ)]
    x = state["token_embedding.weight"][tokens]
    x = x + state["position.weight"][places] + state["position.block_weight"][blocks]
    for layer in range(SIZES["layers"]):

        def linear(h, name, layer=layer):
            return h @ state[f"decoder.{layer}.{name}.weight"].T + state[f"decoder.{layer}.{name}.bias"]

        h = normed(state, f"decoder.{layer}.attn_norm", x)
        found = []
        parts = (linear(h, f"attn.{part}_proj").chunk(SIZES["num_heads"], -1) for part in "qkv")
        for q, k, v in zip(*parts, strict=True):
            scores = (q @ k.T / math.sqrt(q.shape[-1])).masked_fill(~sees(prefix), -math.inf)
            found.append(scores.softmax(-1) @ v)
        x = x + linear(torch.cat(found, -1), "attn.o_proj")
        h = linear(normed(state, f"decoder.{layer}.mlp_norm", x), "mlp.up")
        bent = 0.5 * h * (1 + torch.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        x = x + linear(bent, "mlp.down")
    return normed(state, "final_norm", x) @ state["token_embedding.weight"].T


def normed(state, name: str, x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"])


def test_it_is_as_defined(model, agree, tokens):
    state, found = model.state_dict(), model(tokens, torch.tensor(PARTS))
    for sample, prefix in enumerate(PARTS):
        agree(found[sample], defined(state, tokens[sample], prefix))


@pytest.mark.parametrize("changed", range(SEQ))
def test_who_notices_a_change(model, tokens, changed):
    """A change in B reaches itself and what is later in B and nothing of A; one in A reaches everything."""
    before = model(tokens, torch.tensor(PARTS))
    other = tokens.clone()
    other[:, changed] = (other[:, changed] + 1) % VOCAB
    noticed = (model(other, torch.tensor(PARTS)) != before).any(-1)
    for sample, prefix in enumerate(PARTS):
        reached = torch.arange(SEQ) >= changed if changed >= prefix else torch.ones(SEQ, dtype=torch.bool)
        assert torch.equal(noticed[sample], reached)


def test_the_end_of_a_matters_to_all_and_b_to_none_of_a(model, tokens):
    prefix = torch.full((len(PARTS),), 6)
    before = model(tokens, prefix)
    for place, unmoved in ((5, 0), (6, 6), (9, 9)):
        other = tokens.clone()
        other[:, place] = (other[:, place] + 1) % VOCAB
        after = model(other, prefix)
        assert torch.equal(after[:, :unmoved], before[:, :unmoved])
        assert (after[:, unmoved:] != before[:, unmoved:]).any(-1).all()


SIZES_OF_THE_PAPER = [("base", 110e6), ("large", 340e6), ("410m", 410e6), ("515m", 515e6), ("2b", 2e9), ("10b", 10e9)]


@pytest.mark.parametrize(("preset", "parameters"), SIZES_OF_THE_PAPER)
def test_published_sizes(count, preset, parameters):
    assert count("glm", preset) == pytest.approx(parameters, rel=0.05)


def test_the_base_model_to_the_last_number(count):
    layer = 12 * 768**2 + 13 * 768
    assert count("glm", "base") == 12 * layer + 30592 * 768 + 2 * 513 * 768 + 2 * 768 == 109_338_624
