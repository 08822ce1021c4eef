"""GPT-2: learned positions, pre-norm decoder layers, the unembedding tied to the embedding."""

from __future__ import annotations

from graph.document import Document, Tie
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, ROOM, Sketch


def draw() -> Document:
    """The drawing; Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"."""
    document = Document("gpt")
    top = Sketch(document)
    text = {"kind": "text", "text": "To be, or not to be, that is the question", "tokenizer": "bytes"}
    top.add("tokens", "TokenInput", vocab="=vocab", sample=text)
    top.add(
        "token_embedding", "Embedding", "tokens", title="Token embedding", vocab="=vocab", dim="=dim", init_std=0.02
    )
    top.add("position", "LearnedPosition", "token_embedding", context="=context")
    layer = top.group("decoder", "Decoder layer", repeat="=layers")
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn_norm", "LayerNorm", "layer_input")
    layer.add(
        "attn", "MultiHeadAttention", "attn_norm",
        num_heads="=num_heads", kv_heads="=kv_heads", causal=True, init_std=0.02,
    )  # fmt: skip
    layer.add("attn_add", "Add", "attn", "layer_input")
    layer.add("mlp_norm", "LayerNorm", "attn_add")
    layer.add("mlp", "FeedForward", "mlp_norm", hidden="=hidden", activation="gelu_tanh", init_std=0.02)
    layer.add("mlp_add", "Add", "mlp", "attn_add")
    layer.add("layer_output", "GroupOutput", "mlp_add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "attn_norm", "attn", ROOM, "attn_add")
    wide = layer.row(0, 192, "mlp_norm", "mlp")
    layer.row(end + 40 - GAP - wide, 192, "mlp_norm", "mlp", "mlp_add", "layer_output")
    top.wire("position", "decoder")
    top.add("final_norm", "LayerNorm", "decoder", title="Final norm")
    top.add(
        "head", "Linear", "final_norm", title="Unembedding",
        out_features="=vocab", bias=False, init_std=0.02, ties={"weight": Tie("token_embedding.weight", "=tied")},
    )  # fmt: skip
    top.add("logits", "Output", "head", title="Logits")
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
)
