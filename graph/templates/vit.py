"""Vision transformer: a picture cut into patches, read like a text by pre-norm encoder layers, and named."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, ROOM, Sketch

EPS = 1e-6


def draw() -> Document:
    """The drawing; Dosovitskiy et al. 2020, arXiv 2010.11929."""
    document = Document("vit")
    top = Sketch(document)
    top.add("image", "ImageInput", title="Image", channels="=in_channels", image_size="=image_size", fixed=True)
    top.add("patches", "Patchify", "image", patch_size="=patch_size")
    top.add("patch_embedding", "Linear", "patches", title="Patch embedding", out_features="=dim")
    top.add("class_token", "ClassToken", "patch_embedding")
    top.add("position", "LearnedPosition", "class_token", context="=(image_size//patch_size)**2+1")
    top.group("encoder", "Encoder layer", repeat="=layers")
    _layer(Sketch(document, ("encoder",)))
    top.wire("position", "encoder")
    top.add("final_norm", "LayerNorm", "encoder", title="Final norm", eps=EPS)
    top.add("gathered", "Select", "final_norm", title="Class token's features", index=0, axis=1)
    top.add("head", "Linear", "gathered", title="Classifier", out_features="=num_classes")
    top.add("classes", "Output", "head", title="Class scores")
    top.row(0, 0, "image", "patches", ROOM, "patch_embedding", "class_token", "position")
    top.row(0, 192, "encoder", "final_norm", "gathered", "head", ROOM, "classes")
    return document


def _layer(layer: Sketch) -> None:
    """Every patch looks at every other, then each is worked on alone."""
    layer.add("layer_input", "GroupInput", title="Layer input", port="x")
    layer.add("attn_norm", "LayerNorm", "layer_input", eps=EPS)
    layer.add("attn", "MultiHeadAttention", "attn_norm", num_heads="=num_heads")
    layer.add("attn_add", "Add", "attn", "layer_input")
    layer.add("mlp_norm", "LayerNorm", "attn_add", eps=EPS)
    layer.add("mlp", "FeedForward", "mlp_norm", hidden="=hidden")
    layer.add("mlp_add", "Add", "mlp", "attn_add")
    layer.add("layer_output", "GroupOutput", "mlp_add", title="Layer output", port="x")
    end = layer.row(0, 0, "layer_input", "attn_norm", "attn", ROOM, "attn_add")
    wide = layer.row(0, 192, "mlp_norm", "mlp")
    layer.row(end + 40 - GAP - wide, 192, "mlp_norm", "mlp", "mlp_add", "layer_output")


TEMPLATE = Template(
    "vit",
    "Vision transformer",
    "Classifies a picture: patches become tokens, and a class token gathers what an encoder finds.",
    {
        "dim": Variable(768, "features per patch"),
        "layers": Variable(12, "encoder layers"),
        "num_heads": Variable(12, "attention heads"),
        "hidden": Variable("=4*dim", "features inside the feed-forward"),
        "patch_size": Variable(16, "side of a patch in pixels"),
        "image_size": Variable(224, "side of the picture: it decides how many positions are learned"),
        "in_channels": Variable(3, "channels of the picture"),
        "num_classes": Variable(1000, "classes"),
    },
    draw,
    {
        "tiny": {"dim": 48, "layers": 2, "num_heads": 3, "patch_size": 8, "image_size": 32, "num_classes": 10},
        "s16": {"dim": 384, "num_heads": 6},
        "b16": {},
        "b32": {"patch_size": 32},
        "l16": {"dim": 1024, "layers": 24, "num_heads": 16},
        "l32": {"dim": 1024, "layers": 24, "num_heads": 16, "patch_size": 32},
        "h14": {"dim": 1280, "layers": 32, "num_heads": 16, "patch_size": 14},
    },
    rank=50,
    family="Vision",
)
