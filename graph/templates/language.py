"""What drawings of language models share: tokens come in, layers with two halves, logits go out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph.document import Tie
from graph.templates.sketch import GAP, ROOM, Sketch

TEXT = {"kind": "text", "text": "To be, or not to be, that is the question", "tokenizer": "bytes"}
START = 0.02
"""Spread of the starting weights, as GPT-2 and nearly all since have it."""


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
    wide = layer.row(0, 192, "mlp_norm", "mlp")
    layer.row(end + 40 - GAP - wide, 192, "mlp_norm", "mlp", "mlp_add", "layer_output")
    top.wire(source, "decoder")
    return "decoder"


def unembed(top: Sketch, source: str, **params: Any) -> str:
    """A linear layer to one number per token of the vocabulary, and the output."""
    tied = {} if params.get("bias") else {"weight": Tie("token_embedding.weight", "=tied")}
    params = {"bias": False, "init_std": START, **params}
    top.add("head", "Linear", source, title="Unembedding", out_features="=vocab", ties=tied, **params)
    return top.add("logits", "Output", "head", title="Logits")
