"""What drawings of language models share: tokens come in, layers with two halves, logits go out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph.document import Tie
from graph.templates.sketch import GAP, ROOM, Sketch

TEXT = {"kind": "text", "text": "To be, or not to be, that is the question", "tokenizer": "bytes"}
START = 0.02
"""Spread of the starting weights, as GPT-2 and nearly all since have it."""
LINE = 192
"""From one row of a layer to the next."""


def embed_tokens(top: Sketch) -> str:
    """A source of tokens and their embedding."""
    top.add("tokens", "TokenInput", vocab="=vocab", sample=TEXT)
    return top.add(
        "token_embedding", "Embedding", "tokens", title="Token embedding", vocab="=vocab", dim="=dim", init_std=START
    )


def decoder_layers(
    top: Sketch,
    source: str,
    norm: tuple[str, Mapping[str, Any]],
    attention: Mapping[str, Any],
    mlp: tuple[str, Mapping[str, Any]],
) -> str:
    """A repeated group of attention and feed-forward, each after its norm and added to what it read.

    Norm and feed-forward are given as a block with its parameters, attention as parameters.
    """
    layer = top.group("decoder", "Decoder layer", repeat="=layers")
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn_norm", norm[0], "layer_input", **norm[1])
    layer.add("attn", "MultiHeadAttention", "attn_norm", num_heads="=num_heads", init_std=START, **attention)
    layer.add("attn_add", "Add", "attn", "layer_input")
    layer.add("mlp_norm", norm[0], "attn_add", **norm[1])
    layer.add("mlp", mlp[0], "mlp_norm", hidden="=hidden", init_std=START, **mlp[1])
    layer.add("mlp_add", "Add", "mlp", "attn_add")
    layer.add("layer_output", "GroupOutput", "mlp_add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "attn_norm", "attn", ROOM, "attn_add")
    wide = layer.row(0, LINE, "mlp_norm", "mlp")
    layer.row(end + 40 - GAP - wide, LINE, "mlp_norm", "mlp", "mlp_add", "layer_output")
    top.wire(source, "decoder")
    return "decoder"


def encoder_layers(
    top: Sketch, source: str, mask: str, *, activation: str, eps: float = 1e-5, init_std: float | None = None
) -> str:
    """A repeated group of attention and feed-forward, each added to what it read and then normalised.

    `mask` is the node that says where attention may look, or nothing.
    """
    layer = top.group("encoder", "Encoder layer", repeat="=layers")
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn", "MultiHeadAttention", "layer_input", num_heads="=num_heads", init_std=init_std)
    if mask:
        layer.add("mask", "GroupInput", title=top.title(mask), port="mask")
        layer.wire("mask", "attn.mask")
    sum_and_norm(layer, "attn", "layer_input", eps=eps)
    layer.add("mlp", "FeedForward", "attn_norm", hidden="=hidden", activation=activation, init_std=init_std)
    sum_and_norm(layer, "mlp", "attn_norm", eps=eps)
    layer.add("layer_output", "GroupOutput", "mlp_norm", title="Layer output", port="x")
    aside = layer.row(0, 0, "mask") + GAP if mask else 0  # what skips attention passes below the mask
    end = layer.row(0, 0, "layer_input", ROOM + aside, "attn", ROOM, "attn_add", "attn_norm")
    row_below(layer, LINE, end, "mlp", "mlp_add", "mlp_norm", "layer_output")
    if mask:
        layer.row(layer.left("attn") - aside, 80, "mask")
    top.wire(source, "encoder.x")
    if mask:
        top.wire(mask, "encoder.mask")
    return "encoder"


def sum_and_norm(layer: Sketch, part: str, source: str, *, eps: float = 1e-5) -> None:
    """What a part found is added to what it read, then normalised."""
    layer.add(f"{part}_add", "Add", part, source)
    layer.add(f"{part}_norm", "LayerNorm", f"{part}_add", eps=eps)


def row_below(layer: Sketch, y: float, end: float, part: str, add: str, norm: str, *rest: str) -> float:
    """A row whose sum lies just behind the end of the row above; returns where its norm ends."""
    layer.row(end - layer.row(0, y, part), y, part, add, norm, *rest)
    return layer.row(layer.left(norm), y, norm)


def unembed(top: Sketch, source: str, **params: Any) -> str:
    """A linear layer to one number per token of the vocabulary, and the output."""
    tied = {} if params.get("bias") else {"weight": Tie("token_embedding.weight", "=tied")}
    params = {"bias": False, "init_std": START, **params}
    top.add("head", "Linear", source, title="Unembedding", out_features="=vocab", ties=tied, **params)
    return top.add("logits", "Output", "head", title="Logits")
