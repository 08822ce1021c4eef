"""Models that read with an encoder, against torch and transformers on the same weights, and at their counts."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel

DIM, HIDDEN, HEADS, LAYERS, VOCAB = 24, 40, 4, 3, 61
TRANSFORMER = {
    "encoder.layers.*.self_attn": "encoder.*.attn",
    "encoder.layers.*.self_attn.out_proj": "encoder.*.attn.o_proj",
    "encoder.layers.*.norm1": "encoder.*.attn_norm",
    "encoder.layers.*.linear1": "encoder.*.mlp.up",
    "encoder.layers.*.linear2": "encoder.*.mlp.down",
    "encoder.layers.*.norm2": "encoder.*.mlp_norm",
    "decoder.layers.*.self_attn": "decoder.*.attn",
    "decoder.layers.*.self_attn.out_proj": "decoder.*.attn.o_proj",
    "decoder.layers.*.norm1": "decoder.*.attn_norm",
    "decoder.layers.*.multihead_attn": "decoder.*.cross",
    "decoder.layers.*.multihead_attn.out_proj": "decoder.*.cross.o_proj",
    "decoder.layers.*.norm2": "decoder.*.cross_norm",
    "decoder.layers.*.linear1": "decoder.*.mlp.up",
    "decoder.layers.*.linear2": "decoder.*.mlp.down",
    "decoder.layers.*.norm3": "decoder.*.mlp_norm",
    "source": "source_embedding",
    "target": "target_embedding",
    "head": "head",
}


class Published(nn.Module):
    """torch's Transformer without the norms that it puts behind the last layers, between embeddings and unembedding."""

    def __init__(self, tied: bool) -> None:
        super().__init__()
        whole = nn.Transformer(DIM, HEADS, LAYERS, LAYERS, HIDDEN, dropout=0.1, batch_first=True)
        whole.encoder.norm = whole.decoder.norm = None
        self.encoder, self.decoder, self.forward_whole = whole.encoder, whole.decoder, whole.forward
        self.source, self.target = nn.Embedding(VOCAB, DIM), nn.Embedding(VOCAB, DIM)
        self.head = nn.Linear(DIM, VOCAB, bias=False)
        if tied:
            self.target.weight = self.head.weight = self.source.weight

    def forward(self, source, target, absent):
        later = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        found = self.forward_whole(
            self.source(source) * math.sqrt(DIM) + waves(source.shape[1]),
            self.target(target) * math.sqrt(DIM) + waves(target.shape[1]),
            tgt_mask=later, src_key_padding_mask=absent, memory_key_padding_mask=absent,
        )  # fmt: skip
        return self.head(found)


def waves(length: int) -> torch.Tensor:
    """sin(p / 10000^(2i/dim)) and the cosine, in turn."""
    place, pair = torch.arange(length).double()[:, None], torch.arange(DIM // 2).double()
    angle = place / 10000 ** (2 * pair / DIM)
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1)


def split_projections(state) -> dict[str, torch.Tensor]:
    """The parts of the one matrix in which torch keeps queries, keys and values."""
    found = {}
    for name, tensor in state.items():
        before, single, kind = name.partition("in_proj_")
        if single:
            found |= {f"{before}{p}_proj.{kind}": part for p, part in zip("qkv", tensor.chunk(3), strict=True)}
        else:
            found[name] = tensor
    return found


@pytest.mark.parametrize(("padding", "tied"), [(True, True), (False, False)])
def test_transformer_is_torchs(model_of, shake, adopt, agree, padding, tied):
    torch.manual_seed(0)
    theirs = shake(Published(tied))
    ours = model_of(
        "transformer", dim=DIM, layers=LAYERS, num_heads=HEADS, hidden=HIDDEN, vocab=VOCAB, padding=padding, tied=tied
    )
    adopt(ours, split_projections(theirs.state_dict()), TRANSFORMER)
    source, target = torch.randint(VOCAB, (3, 9)), torch.randint(VOCAB, (3, 7))
    absent = torch.arange(9) >= torch.tensor([[9], [4], [6]])
    if padding:
        agree(ours(source, target, ~absent[:, None, None]), theirs(source, target, absent))
    else:
        agree(ours(source, target), theirs(source, target, None))


@pytest.mark.parametrize(("preset", "millions"), [("base", 65), ("big", 213)])
def test_transformer_has_about_the_published_size(count, preset, millions):
    """The paper's table 3, which rounds, and leaves open how many tokens the two languages have."""
    assert count("transformer", preset) / 1e6 == pytest.approx(millions, rel=0.05)


BERT = {
    "embeddings.word_embeddings": "token_embedding",
    "embeddings.token_type_embeddings": "segment_embedding",
    "embeddings.position_embeddings": "position",
    "embeddings.LayerNorm": "embedding_norm",
    "encoder.layer.*.attention.self.query": "encoder.*.attn.q_proj",
    "encoder.layer.*.attention.self.key": "encoder.*.attn.k_proj",
    "encoder.layer.*.attention.self.value": "encoder.*.attn.v_proj",
    "encoder.layer.*.attention.output.dense": "encoder.*.attn.o_proj",
    "encoder.layer.*.attention.output.LayerNorm": "encoder.*.attn_norm",
    "encoder.layer.*.intermediate.dense": "encoder.*.mlp.up",
    "encoder.layer.*.output.dense": "encoder.*.mlp.down",
    "encoder.layer.*.output.LayerNorm": "encoder.*.mlp_norm",
    "pooler.dense": "pooler",
}


@pytest.mark.parametrize("padding", [True, False])
def test_bert_is_bert(model_of, in_float64, shake, adopt, agree, padding):
    torch.manual_seed(0)
    tokens, segments = torch.randint(VOCAB, (3, 9)), torch.randint(3, (3, 9))
    present = torch.arange(9) < (torch.tensor([[9], [4], [6]]) if padding else 9)
    with in_float64():
        config = BertConfig(
            vocab_size=VOCAB, hidden_size=DIM, num_hidden_layers=LAYERS, num_attention_heads=HEADS, type_vocab_size=3,
            intermediate_size=HIDDEN, max_position_embeddings=16,
        )  # fmt: skip
        theirs = shake(BertModel(config))
        wanted = theirs(tokens, token_type_ids=segments, attention_mask=present if padding else None)
    ours = model_of(
        "bert", dim=DIM, layers=LAYERS, num_heads=HEADS, hidden=HIDDEN, vocab=VOCAB, context=16, segments=3,
        padding=padding,
    )  # fmt: skip
    adopt(ours, theirs.state_dict(), BERT)
    sequence, pooled = ours(tokens, segments, *([present[:, None, None]] if padding else []))
    agree(sequence, wanted.last_hidden_state)
    agree(pooled, wanted.pooler_output)


@pytest.mark.parametrize(("preset", "parameters"), [("base", 109_482_240), ("large", 335_141_888)])
def test_bert_has_the_published_size(count, preset, parameters):
    assert count("bert", preset) == parameters
