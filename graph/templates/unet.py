"""U-Net for segmentation: halve and double, with a skip at every height."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, Sketch

LINE = 176
BESIDE = 48
"""How much lower the pooling lies, so that the skip passes above it."""


def draw(depth: int) -> Document:
    """The drawing; Ronneberger et al. 2015, arXiv 1505.04597, with padded convolutions and batch norm."""
    document = Document("unet")
    top = Sketch(document)
    top.add("image", "ImageInput", title="Image", channels="=in_channels", image_size="=image_size")
    last = "image"
    for level in range(depth):
        encoder = _double_conv(top, f"encoder_{level + 1}", f"Encoder {level + 1}", level)
        top.wire(last, encoder)
        last = top.add(f"pool_{level + 1}", "MaxPool2d", encoder)
    bottleneck = _double_conv(top, "bottleneck", "Bottleneck", depth)
    top.wire(last, bottleneck)
    last = bottleneck
    for level in reversed(range(depth)):
        up = top.add(
            f"up_{level + 1}", "ConvTranspose2d", last,
            title=f"Up {level + 1}", out_channels=_channels(level), kernel_size=2, stride=2,
        )  # fmt: skip
        skip = top.add(f"skip_{level + 1}", "Concat", f"encoder_{level + 1}", up, title="Skip", axis=1)
        last = _double_conv(top, f"decoder_{level + 1}", f"Decoder {level + 1}", level)
        top.wire(skip, last)
    top.add("head", "Conv2d", last, title="Classify pixels", out_channels="=out_channels", kernel_size=1, padding=0)
    top.add("segmentation", "Output", "head", title="Segmentation")
    _arrange(top, depth)
    return document


def _arrange(top: Sketch, depth: int) -> None:
    """A row for each height of the picture, the encoder going down at the left, the decoder up at the right."""
    x = end = top.row(0, 0, "image") + GAP
    for level in range(depth):
        x = top.row(x, LINE * level, f"encoder_{level + 1}") + GAP
        end = top.row(x, LINE * level + BESIDE, f"pool_{level + 1}")
    x = end + GAP
    last = "bottleneck"
    for level in reversed(range(depth)):
        top.row(x, LINE * (level + 1), last, f"up_{level + 1}")
        x = top.left(f"up_{level + 1}")
        x = top.row(x, LINE * level, f"skip_{level + 1}") + GAP
        last = f"decoder_{level + 1}"
    top.row(x, 0, last, "head", "segmentation")


def _channels(level: int) -> str:
    return f"=channels*{2**level}" if level else "=channels"


def _double_conv(top: Sketch, id: str, title: str, level: int) -> str:
    inside = top.group(id, title)
    last = inside.add("features", "GroupInput", title="Features", port="x")
    for count in (1, 2):
        conv = inside.add(
            f"conv_{count}", "Conv2d", last, out_channels=_channels(level), kernel_size=3, padding=1, bias=False
        )
        norm = inside.add(f"norm_{count}", "BatchNorm", conv)
        last = inside.add(f"relu_{count}", "ReLU", norm)
    inside.add("result", "GroupOutput", last, title="Result", port="x")
    inside.row(0, 0, "features", "conv_1", "norm_1", "relu_1")
    inside.row(inside.left("conv_1"), LINE, "conv_2", "norm_2", "relu_2", "result")
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
    {
        "tiny": {"channels": 8, "depth": 2, "image_size": 32},
        "small": {},
        "original": {"channels": 64, "depth": 4, "image_size": 512, "in_channels": 1},
    },
    rank=30,
    family="Vision",
)
