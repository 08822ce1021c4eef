"""GLM: one transformer that reads a text both ways and fills its blanks word by word."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import decoder_layers, embed_tokens, unembed
from graph.templates.sketch import ROOM, Sketch

BELOW = 112
"""How much lower the prefix comes in than what it tells about."""


def draw() -> Document:
    """The drawing; Du et al. 2022, arXiv 2103.10360."""
    document = Document("glm")
    top = Sketch(document)
    embed_tokens(top)
    top.add("prefix", "IntegerInput", title="Length of part A", below="=context", sample={"kind": "value", "value": 29})
    top.add("places", "PrefixPosition", "tokens", "prefix")
    top.add(
        "position", "TwoDimensionalPosition", "token_embedding", "places.positions", "places.block_positions",
        context="=context",
    )  # fmt: skip
    decoder_layers(top, "position", ("LayerNorm", {}), {"causal": True}, ("FeedForward", {"activation": "gelu_tanh"}))
    layer = Sketch(document, ("decoder",))
    layer.add("prefix", "GroupInput", title="Length of part A", port="prefix")
    layer.wire("prefix", "attn.prefix")
    layer.row(0, BELOW, "prefix")
    top.wire("prefix", "decoder.prefix")
    top.add("final_norm", "LayerNorm", "decoder", title="Final norm")
    unembed(top, "final_norm")
    top.row(0, 0, "tokens", ROOM, "token_embedding", ROOM, "position", ROOM, "decoder")
    top.row(0, 208, "prefix")
    top.row(top.left("token_embedding") + 88, 120, "places")
    top.row(0, 336, "final_norm", ROOM, "head", ROOM, "logits")
    return document


TEMPLATE = Template(
    "glm",
    "GLM",
    "Part A of a text sees all of itself, part B fills its blanks; positions in two dimensions.",
    {
        "dim": Variable(768, "features per token"),
        "layers": Variable(12, "decoder layers"),
        "num_heads": Variable(12, "attention heads"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "vocab": Variable(30592, "different tokens"),
        "context": Variable(512, "longest sequence"),
        "tied": Variable(True, "unembedding and embedding share one matrix"),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 2, "num_heads": 4, "vocab": 256, "context": 128},
        "base": {},
        "large": {"dim": 1024, "layers": 24, "num_heads": 16},
        "410m": {"dim": 1024, "layers": 30, "num_heads": 16},
        "515m": {"dim": 1152, "layers": 30, "num_heads": 18},
        "2b": {"dim": 2048, "layers": 36, "num_heads": 32, "vocab": 50304, "context": 1024},
        "10b": {"dim": 4096, "layers": 48, "num_heads": 64, "vocab": 50304, "context": 1024},
    },
    rank=28,
    family="Language",
)
