"""LSTM language model: words are read one by one, and what was read is kept in a state."""

from __future__ import annotations

from graph.document import Document, Tie
from graph.templates import Template, Variable
from graph.templates.language import embed_tokens
from graph.templates.sketch import ROOM, Sketch


def draw() -> Document:
    """The drawing; Zaremba et al. 2014, arXiv 1409.2329."""
    document = Document("lstm language model")
    top = Sketch(document)
    embed_tokens(top)
    top.add("drop_in", "Dropout", "token_embedding", p="=dropout")
    top.add("lstm", "LSTM", "drop_in", hidden="=hidden", layers="=layers", dropout="=dropout")
    top.add("drop_out", "Dropout", "lstm", p="=dropout")
    top.add(
        "head", "Linear", "drop_out", title="Unembedding",
        out_features="=vocab", ties={"weight": Tie("token_embedding.weight", "=tied")},
    )  # fmt: skip
    top.add("logits", "Output", "head", title="Logits")
    top.row(0, 0, "tokens", ROOM, "token_embedding", "drop_in", ROOM, "lstm")
    top.row(0, 160, "drop_out", "head", ROOM, "logits")
    return document


TEMPLATE = Template(
    "lstm_lm",
    "LSTM language model",
    "Words are read one by one into a state that lasts: what came before transformers.",
    {
        "dim": Variable(200, "features per token"),
        "hidden": Variable("=dim", "features of the state"),
        "layers": Variable(2, "layers, each reading the one below"),
        "dropout": Variable(0, "share dropped before, between and after the layers in training"),
        "vocab": Variable(10000, "different tokens"),
        "tied": Variable(False, "unembedding and embedding share one matrix; `hidden` is `dim` then"),
    },
    draw,
    {
        "tiny": {"dim": 64, "vocab": 256},
        "small": {},
        "medium": {"dim": 650, "dropout": 0.5},
        "large": {"dim": 1500, "dropout": 0.65},
    },
    rank=29,
    family="Language",
)
