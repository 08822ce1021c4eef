"""U-Net for segmentation: halve and double, with a skip at every height."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import Sketch


def draw(depth: int) -> Document:
    """The drawing; Ronneberger et al. 2015, arXiv 1505.04597, with padded convolutions and batch norm."""
    document = Document("unet")
    top = Sketch(document)
    top.add("image", "ImageInput", 0, 0, title="Image", channels="=in_channels", image_size="=image_size")
    last = "image"
    for level in range(depth):
        encoder = _double_conv(top, f"encoder_{level + 1}", f"Encoder {level + 1}", 1 + 0.5 * level, 1.2 * level, level)
        top.wire(last, encoder)
        last = top.add(f"pool_{level + 1}", "MaxPool2d", 1 + 0.5 * level, 1.2 * level + 0.6, encoder)
    bottleneck = _double_conv(top, "bottleneck", "Bottleneck", 1 + 0.5 * depth, 1.2 * depth, depth)
    top.wire(last, bottleneck)
    last = bottleneck
    for level in reversed(range(depth)):
        column = 2.2 + 0.5 * depth + 1.6 * (depth - 1 - level)
        line = 1.2 * level
        up = top.add(
            f"up_{level + 1}", "ConvTranspose2d", column, line + 0.6, last,
            title=f"Up {level + 1}", out_channels=_channels(level), kernel_size=2, stride=2,
        )  # fmt: skip
        skip = top.add(
            f"skip_{level + 1}", "Concat", column + 0.1, line, f"encoder_{level + 1}", up, title="Skip", axis=1
        )
        last = _double_conv(top, f"decoder_{level + 1}", f"Decoder {level + 1}", column + 0.8, line, level)
        top.wire(skip, last)
    column = 2.2 + 0.5 * depth + 1.6 * depth
    top.add(
        "head",
        "Conv2d",
        column,
        0,
        last,
        title="Classify pixels",
        out_channels="=out_channels",
        kernel_size=1,
        padding=0,
    )
    top.add("segmentation", "Output", column + 1, 0, "head", title="Segmentation")
    return document


def _channels(level: int) -> str:
    return f"=channels*{2**level}" if level else "=channels"


def _double_conv(top: Sketch, id: str, title: str, column: float, line: float, level: int) -> str:
    inside = top.group(id, column, line, title)
    last = inside.add("features", "GroupInput", 0, 0, title="Features", port="x")
    for count in (1, 2):
        place = count - 1
        conv = inside.add(
            f"conv_{count}",
            "Conv2d",
            0.8 + 2.6 * place,
            0,
            last,
            out_channels=_channels(level),
            kernel_size=3,
            padding=1,
            bias=False,
        )
        norm = inside.add(f"norm_{count}", "BatchNorm", 1.75 + 2.6 * place, 0, conv)
        last = inside.add(f"relu_{count}", "ReLU", 2.7 + 2.6 * place, 0, norm)
    inside.add("result", "GroupOutput", 6.1, 0, last, title="Result", port="x")
    return id


TEMPLATE = Template(
    "unet",
    "U-Net",
    "Segmentation: an encoder, a decoder, and a skip between them at every height.",
    {
        "channels": Variable(32, "channels at full height"),
        "depth": Variable(3, "how often the picture is halved", structural=True, high=7),
        "image_size": Variable(128, "side of the sample picture"),
        "in_channels": Variable(3, "channels of the picture"),
        "out_channels": Variable(2, "classes"),
    },
    draw,
    {"small": {}, "original": {"channels": 64, "depth": 4, "image_size": 512, "in_channels": 1}},
)
