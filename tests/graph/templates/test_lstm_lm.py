"""The LSTM language model against torch.nn.LSTM on the same weights, and at the sizes of its paper."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

VOCAB = 37
NAMES = {"embedding": "token_embedding", "lstm": "lstm.rnn", "linear": "head"}


class Reference(nn.Module):
    """What torch offers, one after another."""

    def __init__(self, dim: int, hidden: int, layers: int, tied: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, dim)
        self.lstm = nn.LSTM(dim, hidden, layers, batch_first=True)
        self.linear = nn.Linear(hidden, VOCAB)
        if tied:
            self.linear.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.linear(self.lstm(self.embedding(tokens))[0])


@pytest.fixture
def tokens():
    return torch.randint(VOCAB, (3, 9), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(("hidden", "layers", "tied"), ((11, 1, False), (7, 3, False), (8, 2, True)))
def test_it_is_torchs_lstm(model_of, shake, adopt, agree, tokens, hidden, layers, tied):
    theirs = shake(Reference(8, hidden, layers, tied))
    ours = model_of("lstm_lm", dim=8, hidden=hidden, layers=layers, vocab=VOCAB, tied=tied, dropout=0.5).eval()
    adopt(ours, theirs.state_dict(keep_vars=True), NAMES)
    agree(ours(tokens), theirs(tokens), 1e-12)


def test_no_word_sees_a_later_one(model_of, tokens):
    model = model_of("lstm_lm")
    other = tokens.clone()
    other[:, 5] = (other[:, 5] + 1) % VOCAB
    changed = (model(other) != model(tokens)).any(-1)
    assert changed.tolist() == 3 * [[place >= 5 for place in range(9)]]


@pytest.mark.parametrize(
    ("preset", "dim", "published"), (("small", 200, 5e6), ("medium", 650, 20e6), ("large", 1500, 66e6))
)
def test_published_sizes(count, preset, dim, published):
    words = 10_000
    exact = words * dim + 2 * (4 * dim * 2 * dim + 8 * dim) + words * (dim + 1)
    assert count("lstm_lm", preset) == exact == pytest.approx(published, rel=0.1)
