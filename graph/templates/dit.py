"""Diffusion transformer: patches of a noisy picture, and layers whose norms are set by the time step and a class."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, ROOM, Sketch
from graph.templates.time_embedding import draw_time_embedding

LINE = 208


def draw() -> Document:
    """The drawing; Peebles and Xie 2022, arXiv 2212.09748, with adaLN-Zero and a learned variance of the noise."""
    document = Document("dit")
    top = Sketch(document)
    top.add("image", "ImageInput", title="Noisy latent", channels="=in_channels", image_size="=image_size", fixed=True)
    top.add("time_step", "TimeStepInput", title="Time step")
    top.add("label", "IntegerInput", title="Class", below="=num_classes+1")
    draw_time_embedding(top.group("time", "Time embedding"), "=waves", "=dim", 0.02)
    top.wire("time_step", "time")
    top.add(
        "class_embedding", "Embedding", "label", title="Class embedding",
        vocab="=num_classes+1", dim="=dim", init_std=0.02,
    )  # fmt: skip
    top.add("condition", "Add", "time", "class_embedding", title="Condition")
    top.add("patches", "Patchify", "image", patch_size="=patch_size")
    top.add("patch_embedding", "Linear", "patches", title="Patch embedding", out_features="=dim")
    side = "=image_size//patch_size"
    top.add("position", "SinusoidalPosition2d", "patch_embedding", rows=side, columns=side)
    _layer(top.group("layer", "DiT layer", repeat="=layers"))
    top.wire("position", "layer.x")
    top.wire("condition", "layer.condition")
    top.add("final_norm", "AdaptiveLayerNorm", "layer", "condition", title="Final norm", gate=False)
    top.add(
        "head", "Linear", "final_norm", title="Pixels of each patch",
        out_features="=patch_size**2*out_channels", init_std=0.0,
    )  # fmt: skip
    top.add("unpatch", "Unpatchify", "head", "image", patch_size="=patch_size", order="pixel channel")
    top.add("noise", "Output", "unpatch", title="Noise and variance")
    end = top.row(0, 0, "image", "patches", ROOM, "patch_embedding", "position") + GAP
    top.row(end, 0, "layer", "final_norm", "head", "unpatch", ROOM, "noise")
    top.row(0, LINE, "time_step", "time")
    top.row(0, LINE + 120, "label", "class_embedding")
    top.row(top.left("position"), LINE, "condition")
    return document


def _layer(layer: Sketch) -> None:
    """Attention and feed-forward, each between a norm that the condition sets and a gate that it opens."""
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("condition", "GroupInput", title="Condition", port="condition")
    layer.add("attn_norm", "AdaptiveLayerNorm", "layer_input", "condition")
    layer.add("attn", "MultiHeadAttention", "attn_norm", num_heads="=num_heads")
    layer.add("attn_gate", "Multiply", "attn", "attn_norm.gate", title="Gate")
    layer.add("attn_add", "Add", "attn_gate", "layer_input")
    layer.add("mlp_norm", "AdaptiveLayerNorm", "attn_add", "condition")
    layer.add("mlp", "FeedForward", "mlp_norm", hidden="=hidden", activation="gelu_tanh")
    layer.add("mlp_gate", "Multiply", "mlp", "mlp_norm.gate", title="Gate")
    layer.add("mlp_add", "Add", "mlp_gate", "attn_add")
    layer.add("layer_output", "GroupOutput", "mlp_add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "attn_norm", "attn", "attn_gate", "attn_add")
    wide = layer.row(0, LINE, "mlp_norm", "mlp", "mlp_gate")
    layer.row(end + 40 - GAP - wide, LINE, "mlp_norm", "mlp", "mlp_gate", "mlp_add", "layer_output")
    layer.row(0, LINE, "condition")


TEMPLATE = Template(
    "dit",
    "Diffusion transformer",
    "Predicts the noise in a latent picture: patches as tokens, layers steered by the time step and a class.",
    {
        "dim": Variable(384, "features per patch"),
        "layers": Variable(12, "layers"),
        "num_heads": Variable(6, "attention heads"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "patch_size": Variable(2, "side of a patch in pixels"),
        "image_size": Variable(32, "side of the latent picture: it decides how many positions there are"),
        "in_channels": Variable(4, "channels of the latent picture"),
        "out_channels": Variable("=2*in_channels", "channels of the noise and of its variance"),
        "num_classes": Variable(1000, "classes; one more stands for none"),
        "waves": Variable(256, "waves that tell the time step"),
    },
    draw,
    {
        "tiny": {"dim": 48, "layers": 2, "num_heads": 3, "image_size": 16, "num_classes": 10, "waves": 32},
        "s2": {},
        "b2": {"dim": 768, "num_heads": 12},
        "l2": {"dim": 1024, "layers": 24, "num_heads": 16},
        "xl2": {"dim": 1152, "layers": 28, "num_heads": 16},
    },
    rank=55,
    family="Generation",
)
