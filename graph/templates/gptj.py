"""GPT-J: attention and feed-forward side by side, and a quarter of each head turned by its position."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.language import START, embed_tokens, unembed
from graph.templates.sketch import GAP, ROOM, Sketch


def draw() -> Document:
    """The drawing; Wang and Komatsuzaki 2021, "GPT-J-6B: A 6 Billion Parameter Autoregressive Language Model"."""
    document = Document("gptj")
    top = Sketch(document)
    embed_tokens(top)
    layer = top.group("decoder", "Parallel layer", repeat="=layers")
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("norm", "LayerNorm", "layer_input")
    layer.add(
        "attn", "MultiHeadAttention", "norm", num_heads="=num_heads", causal=True, bias=False, rope=True,
        rope_layout="interleaved", rope_dim="=rope_dim", init_std=START,
    )  # fmt: skip
    layer.add("mlp", "FeedForward", "norm", hidden="=hidden", activation="gelu_tanh", init_std=START)
    layer.add("add", "Add", "layer_input", "attn", "mlp")
    layer.add("layer_output", "GroupOutput", "add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "norm", 96, "attn")
    layer.row(layer.left("attn"), 128, "mlp")
    layer.row(end + ROOM + GAP, -20, "add", "layer_output")
    top.wire("token_embedding", "decoder")
    top.add("final_norm", "LayerNorm", "decoder", title="Final norm")
    unembed(top, "final_norm", bias=True)
    top.row(0, 0, "tokens", ROOM, "token_embedding", ROOM, "decoder")
    top.row(0, 192, "final_norm", ROOM, "head", ROOM, "logits")
    return document


TEMPLATE = Template(
    "gptj",
    "GPT-J",
    "A decoder whose layers do attention and feed-forward side by side.",
    {
        "dim": Variable(256, "features per token"),
        "layers": Variable(4, "decoder layers"),
        "num_heads": Variable(4, "attention heads"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "vocab": Variable(1024, "different tokens"),
        "context": Variable(2048, "longest sequence in training"),
        "rope_dim": Variable("=dim//num_heads//4", "features of each head that turn by their position"),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 2, "vocab": 256, "context": 256},
        "small": {},
        "6b": {"dim": 4096, "layers": 28, "num_heads": 16, "vocab": 50400},
    },
    rank=24,
    family="Language",
)
