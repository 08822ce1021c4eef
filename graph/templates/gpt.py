"""GPT-2: learned positions, pre-norm decoder layers, the unembedding tied to the embedding."""

from __future__ import annotations

from graph.document import Document, Tie
from graph.templates import Template, Variable
from graph.templates.sketch import Sketch


def draw() -> Document:
    """The drawing; Radford et al. 2019, "Language Models are Unsupervised Multitask Learners"."""
    document = Document("gpt")
    top = Sketch(document)
    text = {"kind": "text", "text": "To be, or not to be, that is the question", "tokenizer": "bytes"}
    top.add("tokens", "TokenInput", 0, 0, vocab="=vocab", sample=text)
    top.add(
        "token_embedding",
        "Embedding",
        1,
        0,
        "tokens",
        title="Token embedding",
        vocab="=vocab",
        dim="=dim",
        init_std=0.02,
    )
    top.add("position", "LearnedPosition", 2, 0, "token_embedding", context="=context")
    layer = top.group("decoder", 3, 0, "Decoder layer", repeat="=layers")
    layer.add("layer_input", "GroupInput", 0, 0, title="Layer input", port="x")
    layer.add("attn_norm", "LayerNorm", 0.8, 0, "layer_input")
    layer.add(
        "attn", "MultiHeadAttention", 1.7, 0, "attn_norm",
        num_heads="=num_heads", kv_heads="=kv_heads", causal=True, init_std=0.02,
    )  # fmt: skip
    layer.add("attn_add", "Add", 2.85, 0, "layer_input", "attn")
    layer.add("mlp_norm", "LayerNorm", 0.8, 1.6, "attn_add")
    layer.add("mlp", "FeedForward", 1.7, 1.6, "mlp_norm", hidden="=hidden", activation="gelu_tanh", init_std=0.02)
    layer.add("mlp_add", "Add", 2.85, 1.6, "attn_add", "mlp")
    layer.add("layer_output", "GroupOutput", 3.6, 1.6, "mlp_add", title="Layer output", port="x")
    top.wire("position", "decoder")
    top.add("final_norm", "LayerNorm", 4, 0, "decoder", title="Final norm")
    top.add(
        "head", "Linear", 5, 0, "final_norm", title="Unembedding",
        out_features="=vocab", bias=False, init_std=0.02, ties={"weight": Tie("token_embedding.weight", "=tied")},
    )  # fmt: skip
    top.add("logits", "Output", 6, 0, "head", title="Logits")
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
        "tiny": {"dim": 128, "layers": 4, "num_heads": 4, "vocab": 256, "context": 256},
        "small": {},
        "medium": {"dim": 1024, "layers": 24, "num_heads": 16},
        "large": {"dim": 1280, "layers": 36, "num_heads": 20},
        "xl": {"dim": 1600, "layers": 48, "num_heads": 25},
    },
)
