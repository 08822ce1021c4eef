"""BERT: an encoder of texts, each token seeing all others, with one vector for the whole text."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import START, TEXT, encoder_layers
from graph.templates.sketch import GAP, Sketch

EPS = 1e-12


def draw(padding: bool) -> Document:
    """The drawing; Devlin et al. 2018, arXiv 1810.04805."""
    document = Document("bert")
    top = Sketch(document)
    top.add("tokens", "TokenInput", vocab="=vocab", sample=TEXT)
    first = {"kind": "value", "value": 0}
    top.add("segment_ids", "IntegerInput", title="Segments", below="=segments", axes="batch seq", sample=first)
    if padding:
        top.add("mask", "MaskInput", title="Padding")
    top.add(
        "token_embedding", "Embedding", "tokens", title="Token embedding", vocab="=vocab", dim="=dim", init_std=START
    )
    top.add(
        "segment_embedding", "Embedding", "segment_ids", title="Segment embedding",
        vocab="=segments", dim="=dim", init_std=START,
    )  # fmt: skip
    top.add("embedding_add", "Add", "token_embedding", "segment_embedding")
    top.add("position", "LearnedPosition", "embedding_add", context="=context")
    top.add("embedding_norm", "LayerNorm", "position", eps=EPS)
    encoder_layers(top, "embedding_norm", "mask" if padding else "", activation="gelu", eps=EPS, init_std=START)
    top.add("sequence", "Output", "encoder", title="Sequence")
    top.add("first", "Select", "encoder", title="First token")
    top.add("pooler", "Linear", "first", title="Pooler", out_features="=dim", init_std=START)
    top.add("pooler_act", "Tanh", "pooler")
    top.add("pooled", "Output", "pooler_act", title="Pooled")
    top.row(0, 0, "tokens", "token_embedding")
    end = top.row(0, 120, "segment_ids", "segment_embedding")
    end = top.row(end + GAP, 0, "embedding_add", "position", "embedding_norm", "encoder")
    if padding:
        top.row(top.left("position"), 120, "mask")
    top.row(end + GAP, 0, "first", "pooler", "pooler_act", "pooled")
    top.row(top.left("pooler"), 120, "sequence")
    return document


TEMPLATE = Template(
    "bert",
    "BERT",
    "An encoder of texts: a vector for each token that knows all others, and one for the whole text.",
    {
        "dim": Variable(768, "features per token"),
        "layers": Variable(12, "encoder layers"),
        "num_heads": Variable(12, "attention heads"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "vocab": Variable(30522, "different tokens"),
        "context": Variable(512, "longest sequence"),
        "segments": Variable(2, "texts that may stand side by side in a sequence"),
        "padding": Variable(True, "a mask hides the padding of short sequences", structural=True),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 2, "num_heads": 4, "vocab": 256, "context": 64},
        "base": {},
        "large": {"dim": 1024, "layers": 24, "num_heads": 16},
    },
    rank=28,
    family="Language",
)
