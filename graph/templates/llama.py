"""Llama: RMS norm, rotary positions, grouped queries and SwiGLU."""

from __future__ import annotations

from graph.document import Document, Tie
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, ROOM, Sketch


def draw() -> Document:
    """The drawing; Touvron et al. 2023, arXiv 2307.09288."""
    document = Document("llama")
    top = Sketch(document)
    text = {"kind": "text", "text": "To be, or not to be, that is the question", "tokenizer": "bytes"}
    top.add("tokens", "TokenInput", vocab="=vocab", sample=text)
    top.add(
        "token_embedding", "Embedding", "tokens", title="Token embedding", vocab="=vocab", dim="=dim", init_std=0.02
    )
    layer = top.group("decoder", "Decoder layer", repeat="=layers")
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn_norm", "RMSNorm", "layer_input")
    layer.add(
        "attn", "MultiHeadAttention", "attn_norm",
        num_heads="=num_heads", kv_heads="=kv_heads", causal=True, bias=False, rope=True, rope_theta="=rope_theta",
        init_std=0.02,
    )  # fmt: skip
    layer.add("attn_add", "Add", "attn", "layer_input")
    layer.add("mlp_norm", "RMSNorm", "attn_add")
    layer.add("mlp", "SwiGLU", "mlp_norm", hidden="=hidden", init_std=0.02)
    layer.add("mlp_add", "Add", "mlp", "attn_add")
    layer.add("layer_output", "GroupOutput", "mlp_add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "attn_norm", "attn", ROOM, "attn_add")
    wide = layer.row(0, 192, "mlp_norm", "mlp")
    layer.row(end + 40 - GAP - wide, 192, "mlp_norm", "mlp", "mlp_add", "layer_output")
    top.wire("token_embedding", "decoder")
    top.add("final_norm", "RMSNorm", "decoder", title="Final norm")
    top.add(
        "head", "Linear", "final_norm", title="Unembedding",
        out_features="=vocab", bias=False, init_std=0.02, ties={"weight": Tie("token_embedding.weight", "=tied")},
    )  # fmt: skip
    top.add("logits", "Output", "head", title="Logits")
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
)
