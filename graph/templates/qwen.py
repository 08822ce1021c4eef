"""Qwen 2.5: a Llama with biases in queries, keys and values, and YaRN for long texts."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import decoder_layers, embed_tokens, unembed
from graph.templates.sketch import ROOM, Sketch

EPS = 1e-6


def draw() -> Document:
    """The drawing; Qwen team 2024, arXiv 2412.15115."""
    document = Document("qwen")
    top = Sketch(document)
    embed_tokens(top)
    attention = {
        "kv_heads": "=kv_heads", "causal": True, "bias": False, "qkv_bias": True, "rope": True,
        "rope_theta": "=rope_theta", "rope_scaling": "='yarn' if yarn else 'none'", "rope_factor": "=rope_factor",
        "rope_context": "=context",
    }  # fmt: skip
    decoder_layers(top, "token_embedding", ("RMSNorm", {"eps": EPS}), attention, ("SwiGLU", {}))
    top.add("final_norm", "RMSNorm", "decoder", title="Final norm", eps=EPS)
    unembed(top, "final_norm")
    top.row(0, 0, "tokens", ROOM, "token_embedding", ROOM, "decoder")
    top.row(0, 192, "final_norm", ROOM, "head", ROOM, "logits")
    return document


def _size(dim: int, layers: int, num_heads: int, kv_heads: int, hidden: int, *, tied: bool = False) -> dict[str, int]:
    """A published size; the small ones have fewer spare tokens and share their embedding."""
    vocab = 151936 if tied else 152064
    return {
        "dim": dim, "layers": layers, "num_heads": num_heads, "kv_heads": kv_heads, "hidden": hidden,
        "vocab": vocab, "context": 32768, "tied": tied,
    }  # fmt: skip


TEMPLATE = Template(
    "qwen",
    "Qwen 2.5",
    "A Llama with biases in queries, keys and values, and with YaRN for texts beyond those of training.",
    {
        "dim": Variable(256, "features per token"),
        "layers": Variable(4, "decoder layers"),
        "num_heads": Variable(8, "attention heads"),
        "kv_heads": Variable(2, "heads of keys and values"),
        "hidden": Variable("=ceil(8*dim/3/256)*256", "features inside the feed-forward"),
        "vocab": Variable(1024, "different tokens"),
        "context": Variable(1024, "longest sequence in training"),
        "rope_theta": Variable(1000000, "base of the rotary frequencies"),
        "yarn": Variable(False, "slow the rotary positions for longer texts"),
        "rope_factor": Variable(4, "with YaRN: how many times as long"),
        "tied": Variable(True, "unembedding and embedding share one matrix"),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 2, "num_heads": 4, "hidden": 128, "vocab": 256, "context": 256},
        "small": {},
        "0.5b": _size(896, 24, 14, 2, 4864, tied=True),
        "1.5b": _size(1536, 28, 12, 2, 8960, tied=True),
        "3b": _size(2048, 36, 16, 2, 11008, tied=True),
        "7b": _size(3584, 28, 28, 4, 18944),
        "14b": _size(5120, 48, 40, 8, 13824),
        "32b": _size(5120, 64, 40, 8, 27648),
        "72b": _size(8192, 80, 64, 8, 29568),
    },
    rank=22,
    family="Language",
)
