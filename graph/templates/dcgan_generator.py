"""DCGAN, the generator: noise becomes 4 × 4 pixels, which are doubled until they are a picture."""

from __future__ import annotations

from typing import Any

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import Sketch
from graph.templates.stages import HALVE, stage, widened

LINE = 176
START: dict[str, Any] = {"bias": False, "init_std": 0.02}


def draw(doublings: int) -> Document:
    """The drawing; Radford et al. 2015, arXiv 1511.06434, without biases as in PyTorch's example."""
    document = Document("dcgan generator")
    top = Sketch(document)
    top.add("noise", "FeatureInput", title="Noise", dim="=latent", axes="batch")
    last = top.add("pixel", "Rearrange", "noise", title="As one pixel", pattern="b c -> b c 1 1")
    stages: list[str] = []
    for place in range(doublings):
        unfold = {"stride": 1, "padding": 0} if place == 0 else {}  # one pixel becomes 4 × 4
        width = widened(2 ** (doublings - 1 - place))
        last = stage(top, f"stage_{place + 1}", 4 * 2**place, last, "ConvTranspose2d", width, **unfold, **START)
        stages.append(last)
    top.add("to_image", "ConvTranspose2d", last, title="To colours", out_channels="=image_channels", **HALVE, **START)
    top.add("tanh", "Tanh", "to_image")
    top.add("image", "Output", "tanh", title="Picture")
    half = (doublings + 1) // 2
    top.row(0, 0, "noise", "pixel", *stages[:half])
    top.row(top.left("pixel"), LINE, *stages[half:], "to_image", "tanh", "image")
    return document


TEMPLATE = Template(
    "dcgan_generator",
    "DCGAN generator",
    "Noise becomes a picture through transposed convolutions with batch norm.",
    {
        "latent": Variable(100, "numbers of noise a picture"),
        "channels": Variable(64, "channels at the last doubling"),
        "image_channels": Variable(3, "channels of the picture"),
        "doublings": Variable(4, "how often 4 × 4 pixels are doubled: 4 gives 64 × 64", structural=True, high=7),
    },
    draw,
    {
        "tiny": {"latent": 16, "channels": 8, "doublings": 2},
        "64x64": {},
        "original": {"channels": 128},
    },
    rank=70,
    family="Generation",
)
