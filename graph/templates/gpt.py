"""GPT-2: learned positions, pre-norm decoder layers, the unembedding tied to the embedding."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import decoder_layers, embed_tokens, unembed
from graph.templates.sketch import ROOM, Sketch


def draw() -> Document:
    """The drawing; Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"."""
    document = Document("gpt")
    top = Sketch(document)
    embed_tokens(top)
    top.add("position", "LearnedPosition", "token_embedding", context="=context")
    attention = {"kv_heads": "=kv_heads", "causal": True}
    decoder_layers(top, "position", ("LayerNorm", {}), attention, ("FeedForward", {"activation": "gelu_tanh"}))
    top.add("final_norm", "LayerNorm", "decoder", title="Final norm")
    unembed(top, "final_norm")
    top.row(0, 0, "tokens", ROOM, "token_embedding", ROOM, "position")
    top.row(0, 192, "decoder", "final_norm", "head", ROOM, "logits")
    return document


TEMPLATE = Template(
    "gpt",
    "GPT",
    "A decoder-only transformer that predicts the next token: GPT-2 at any size.",
    {
        "dim": Variable(768, "features per token"),
        "layers": Variable(12, "decoder layers"),
        "num_heads": Variable(12, "attention heads"),
        "kv_heads": Variable("=num_heads", "heads of keys and values"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "vocab": Variable(50257, "different tokens"),
        "context": Variable(1024, "longest sequence"),
        "tied": Variable(True, "unembedding and embedding share one matrix"),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 3, "num_heads": 4, "vocab": 256, "context": 256},
        "small": {},
        "medium": {"dim": 1024, "layers": 24, "num_heads": 16},
        "large": {"dim": 1280, "layers": 36, "num_heads": 20},
        "xl": {"dim": 1600, "layers": 48, "num_heads": 25},
    },
    rank=10,
    family="Language",
)
