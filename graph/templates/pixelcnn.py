"""Gated PixelCNN: each pixel is predicted from those before it, row by row; two stacks, so that none is missed."""

from __future__ import annotations

from typing import Any

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, ROOM, Sketch

LINE = 152
PIXEL: dict[str, Any] = {"kernel_size": 1, "padding": 0}


def draw(image_channels: int) -> Document:
    """The drawing; van den Oord et al. 2016, arXiv 1606.05328.

    The vertical stack sees all rows above, the horizontal one what lies to the left and, from the vertical one, the
    rows above: together every earlier pixel. Several colours follow one another: at its own pixel a colour is
    predicted from those before it.
    """
    document = Document("pixelcnn")
    top = Sketch(document)
    colours = _colours(image_channels)
    top.add("image", "ImageInput", title="Picture", channels=image_channels, image_size="=image_size")
    first: dict[str, Any] = {"out_channels": "=channels", "kernel_size": "=first_kernel"}
    top.add("vertical", "MaskedConv2d", "image", title="Rows above", kind="vertical A", **first)
    top.add("horizontal", "MaskedConv2d", "image", title="Pixels before", kind="A", **first, **colours)
    layer = top.group("layers", "Gated layer", repeat="=layers")
    _layer(layer, image_channels)
    top.wire("vertical", "layers.vertical")
    top.wire("horizontal", "layers.horizontal")
    pixel: dict[str, Any] = {"kind": "B", "kernel_size": 1, **colours}
    top.add("relu_1", "ReLU", "layers.horizontal")
    top.add("mix", "MaskedConv2d", "relu_1", title="Mix", out_channels="=channels", **pixel)
    top.add("relu_2", "ReLU", "mix")
    scores = "=values" if image_channels == 1 else f"={image_channels}*values"
    ends = [top.add("scores", "MaskedConv2d", "relu_2", title="Scores", out_channels=scores, **pixel)]
    if image_channels > 1:
        pattern, sizes = "b (c v) h w -> b v c h w", f"c={image_channels}"
        ends.append(top.add("apart", "Rearrange", "scores", title="Colours apart", pattern=pattern, sizes=sizes))
    ends.append(top.add("logits", "Output", ends[-1], title="Score of each value"))
    end = top.row(0, 0, "image", ROOM, "vertical")
    top.row(0, LINE // 2, "image")
    top.row(top.left("vertical"), LINE, "horizontal")
    top.row(end + ROOM, LINE // 2, "layers", GAP, "relu_1", "mix")
    top.row(top.left("horizontal"), 2 * LINE + 40, "relu_2", *ends)
    return document


def _colours(image_channels: int) -> dict[str, Any]:
    return {"colours": image_channels} if image_channels > 1 else {}


def _layer(layer: Sketch, image_channels: int) -> None:
    """Both stacks one step on: masked convolution and gate; the horizontal one hears the vertical one and skips."""
    wide: dict[str, Any] = {"out_channels": "=2*channels", "kernel_size": "=kernel_size"}
    pixel: dict[str, Any] = {"kind": "B", "out_channels": "=channels", "kernel_size": 1}
    colours = _colours(image_channels)
    layer.add("vertical", "GroupInput", title="Rows above", port="vertical")
    layer.add("horizontal", "GroupInput", title="Pixels before", port="horizontal")
    layer.add("vertical_conv", "MaskedConv2d", "vertical", title="Look up", kind="vertical B", **wide)
    layer.add("vertical_gate", "GatedActivation", "vertical_conv", title="Gate")
    layer.add("vertical_result", "GroupOutput", "vertical_gate", title="Rows above", port="vertical")
    layer.add("link", "Conv2d", "vertical_conv", title="Tell of it", out_channels="=2*channels", **PIXEL)
    layer.add("horizontal_conv", "MaskedConv2d", "horizontal", title="Look back", kind="B", **wide, **colours)
    layer.add("sum", "Add", "link", "horizontal_conv")
    row = ["sum"]
    if image_channels > 1:
        pattern, sizes = "b (c g p) h w -> b (g c p) h w", f"c={image_channels}, g=2"
        title = "Each colour in both halves"
        row.append(layer.add("both_halves", "Rearrange", "sum", title=title, pattern=pattern, sizes=sizes))
    row.append(layer.add("gate", "GatedActivation", row[-1], title="Gate"))
    row.append(layer.add("mix", "MaskedConv2d", "gate", title="Mix", **pixel, **colours))
    row.append(layer.add("skip", "Add", "mix", "horizontal", title="Add what came"))
    row.append(layer.add("horizontal_result", "GroupOutput", "skip", title="Pixels before", port="horizontal"))
    layer.row(0, 0, "vertical", GAP, "vertical_conv", ROOM, "vertical_gate", "vertical_result")
    layer.row(0, 2 * LINE, "horizontal", GAP, "horizontal_conv")
    end = layer.row(layer.left("vertical_gate"), LINE, "link")
    layer.row(end + GAP, 2 * LINE, *row)


TEMPLATE = Template(
    "pixelcnn",
    "PixelCNN",
    "Predicts each pixel from the ones before it, with masked convolutions and gates.",
    {
        "channels": Variable(64, "channels of each stack; the number of colours must divide it"),
        "layers": Variable(8, "gated layers"),
        "kernel_size": Variable(3, "side of the filters, an odd number"),
        "first_kernel": Variable(7, "side of the first filters, an odd number"),
        "values": Variable(256, "values that a pixel can have"),
        "image_size": Variable(28, "side of the sample picture"),
        "image_channels": Variable(1, "colours of the picture, each seeing those before it", structural=True, high=4),
    },
    draw,
    {
        "tiny": {"channels": 8, "layers": 2, "values": 16, "image_size": 8},
        "mnist": {},
        "cifar10": {"channels": 120, "layers": 15, "image_size": 32, "image_channels": 3},
    },
    rank=73,
    family="Generation",
)
