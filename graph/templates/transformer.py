"""The Transformer of 2017: an encoder reads the source, a decoder writes the target and looks at what was read."""

from __future__ import annotations

from graph.document import Document, Tie
from graph.templates import Template, Variable
from graph.templates.language import LINE, encoder_layers, row_below, sum_and_norm
from graph.templates.sketch import GAP, ROOM, Sketch

SOURCE = {"kind": "text", "text": "To be, or not to be, that is the question", "tokenizer": "bytes"}
TARGET = {"kind": "text", "text": "Sein oder Nichtsein, das ist hier die Frage", "tokenizer": "bytes"}


def draw(padding: bool) -> Document:
    """The drawing; Vaswani et al. 2017, arXiv 1706.03762."""
    document = Document("transformer")
    top = Sketch(document)
    top.add("source", "TokenInput", title="Source", vocab="=vocab", sequence="source_seq", sample=SOURCE)
    top.add("target", "TokenInput", title="Target so far", vocab="=vocab", sample=TARGET)
    if padding:
        top.add("source_mask", "MaskInput", title="Source padding", axes="batch 1 1 source_seq")
    source, target = (_embed(top, name) for name in ("source", "target"))
    encoder_layers(top, source, "source_mask" if padding else "", activation="relu")
    _decoder(top, padding)
    top.wire(target, "decoder.x")
    top.wire("encoder", "decoder.context")
    if padding:
        top.wire("source_mask", "decoder.mask")
    top.add("head", "Linear", "decoder", title="Unembedding", out_features="=vocab", bias=False, ties=_shared())
    top.add("logits", "Output", "head", title="Logits")
    end = top.row(0, 0, "source", "source_embedding", "source_scale", "source_position", "encoder")
    if padding:
        top.row(top.left("source_scale"), 120, "source_mask")
    top.row(0, 264 if padding else 244, "target", "target_embedding", "target_scale", "target_position")
    top.row(end + GAP, 224, "decoder", "head", "logits")
    return document


def _shared() -> dict[str, Tie]:
    """One matrix embeds source and target and unembeds the result."""
    return {"weight": Tie("source_embedding.weight", "=tied")}


def _embed(top: Sketch, name: str) -> str:
    """Vectors of the tokens, as long as their waves of position, with which they are summed."""
    ties = _shared() if name != "source" else {}
    top.add(
        f"{name}_embedding", "Embedding", name, title="Token embedding",
        vocab="=vocab", dim="=dim", init_std="=dim**-0.5", ties=ties,
    )  # fmt: skip
    top.add(f"{name}_scale", "Scale", f"{name}_embedding", title="Times √dim", factor="=sqrt(dim)")
    return top.add(f"{name}_position", "SinusoidalPosition", f"{name}_scale")


def _decoder(top: Sketch, padding: bool) -> None:
    layer = top.group("decoder", "Decoder layer", repeat="=layers")
    layer.add("context", "GroupInput", title="Encoder's result", port="context")  # comes from above, so it is first
    if padding:
        layer.add("mask", "GroupInput", title="Source padding", port="mask")
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn", "MultiHeadAttention", "layer_input", title="Self-attention", num_heads="=num_heads", causal=True)
    sum_and_norm(layer, "attn", "layer_input")
    layer.add("cross", "CrossAttention", "attn_norm", "context", num_heads="=num_heads")
    if padding:
        layer.wire("mask", "cross.mask")
    sum_and_norm(layer, "cross", "attn_norm")
    layer.add("mlp", "FeedForward", "cross_norm", hidden="=hidden", activation="relu")
    sum_and_norm(layer, "mlp", "cross_norm")
    layer.add("layer_output", "GroupOutput", "mlp_norm", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", ROOM, "attn", ROOM, "attn_add", "attn_norm")
    end = row_below(layer, LINE, end, "cross", "cross_add", "cross_norm")
    row_below(layer, 2 * LINE, end, "mlp", "mlp_add", "mlp_norm", "layer_output")
    layer.row(0, LINE + 24, "context")
    if padding:
        layer.row(0, LINE + 88, "mask")


TEMPLATE = Template(
    "transformer",
    "Transformer 2017",
    "Encoder and decoder as first published: one text is read, another is written.",
    {
        "dim": Variable(512, "features per token"),
        "layers": Variable(6, "layers of the encoder, and of the decoder"),
        "num_heads": Variable(8, "attention heads"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "vocab": Variable(37000, "different tokens, of both languages"),
        "tied": Variable(True, "both embeddings and the unembedding share one matrix"),
        "padding": Variable(False, "a mask hides the padding of short sources", structural=True),
    },
    draw,
    {
        "tiny": {"dim": 64, "layers": 2, "num_heads": 4, "vocab": 256, "hidden": 128},
        "base": {},
        "big": {"dim": 1024, "num_heads": 16},
    },
    rank=26,
    family="Language",
)
