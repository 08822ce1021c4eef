"""Llama: RMS norm, rotary positions, grouped queries and SwiGLU."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import decoder_layers, embed_tokens, unembed
from graph.templates.sketch import ROOM, Sketch


def draw() -> Document:
    """The drawing; Touvron et al. 2023, arXiv 2307.09288."""
    document = Document("llama")
    top = Sketch(document)
    embed_tokens(top)
    attention = {
        "kv_heads": "=kv_heads", "causal": True, "bias": False, "rope": True, "rope_theta": "=rope_theta",
    }  # fmt: skip
    decoder_layers(top, "token_embedding", ("RMSNorm", {}), attention, ("SwiGLU", {}))
    top.add("final_norm", "RMSNorm", "decoder", title="Final norm")
    unembed(top, "final_norm")
    top.row(0, 0, "tokens", ROOM, "token_embedding", ROOM, "decoder")
    top.row(0, 192, "final_norm", ROOM, "head", ROOM, "logits")
    return document


TEMPLATE = Template(
    "llama",
    "Llama",
    "A modern decoder: RMS norm, rotary positions, grouped-query attention, SwiGLU.",
    {
        "dim": Variable(256, "features per token"),
        "layers": Variable(4, "decoder layers"),
        "num_heads": Variable(8, "attention heads"),
        "kv_heads": Variable(4, "heads of keys and values"),
        "hidden": Variable("=ceil(8*dim/3/256)*256", "features inside the feed-forward"),
        "vocab": Variable(1024, "different tokens"),
        "context": Variable(1024, "longest sequence"),
        "rope_theta": Variable(10000, "base of the rotary frequencies"),
        "tied": Variable(False, "unembedding and embedding share one matrix"),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 2, "num_heads": 4, "kv_heads": 2, "hidden": 128, "vocab": 256, "context": 256},
        "small": {},
        "7b": {
            "dim": 4096,
            "layers": 32,
            "num_heads": 32,
            "kv_heads": 32,
            "hidden": 11008,
            "vocab": 32000,
            "context": 4096,
        },
        "70b": {
            "dim": 8192,
            "layers": 80,
            "num_heads": 64,
            "kv_heads": 8,
            "hidden": 28672,
            "vocab": 32000,
            "context": 4096,
        },
    },
    rank=20,
    family="Language",
)
