"""DCGAN, the discriminator: a picture is halved down to 4 × 4 pixels, and these to one score."""

from __future__ import annotations

from typing import Any

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import Sketch
from graph.templates.stages import stage, widened

LINE = 176


def draw(halvings: int, spectral: bool, sigmoid: bool) -> Document:
    """The drawing; Radford et al. 2015, arXiv 1511.06434; Miyato et al. 2018, arXiv 1802.05957, for `spectral`."""
    document = Document("dcgan discriminator")
    top = Sketch(document)
    start: dict[str, Any] = {"bias": False, "init_std": 0.02}
    if spectral:
        start["reparametrization"] = "spectral"
    last = top.add("image", "ImageInput", title="Picture", channels="=image_channels", image_size=4 * 2**halvings)
    stages: list[str] = []
    for place in range(halvings):
        side, norm = 4 * 2 ** (halvings - 1 - place), place > 0 and not spectral
        id, width = f"stage_{place + 1}", widened(2**place)
        last = stage(top, id, side, last, "Conv2d", width, norm=norm, slope=0.2, **start)
        stages.append(last)
    top.add("to_score", "Conv2d", last, title="To a score", out_channels=1, kernel_size=4, padding=0, **start)
    ends = [top.add("score", "Reduce", "to_score", title="One a picture", pattern="b 1 h w -> b", operation="mean")]
    if sigmoid:
        ends.append(top.add("sigmoid", "Sigmoid", "score"))
    title = "Is it real?" if sigmoid else "Score"
    ends.append(top.add("result", "Output", ends[-1], title=title))
    half = (halvings + 1) // 2
    top.row(0, 0, "image", *stages[:half])
    top.row(top.left(stages[0]), LINE, *stages[half:], "to_score", *ends)
    return document


TEMPLATE = Template(
    "dcgan_discriminator",
    "DCGAN discriminator",
    "Tells true pictures from generated ones with strided convolutions and batch norm.",
    {
        "channels": Variable(64, "channels after the first halving"),
        "image_channels": Variable(3, "channels of the picture"),
        "halvings": Variable(
            4, "how often the picture is halved, down to 4 × 4: 4 for 64 × 64", structural=True, high=7
        ),
        "spectral": Variable(False, "spectral norm in place of batch norm", structural=True),
        "sigmoid": Variable(True, "give a probability; GAN losses take the score without it", structural=True),
    },
    draw,
    {
        "tiny": {"channels": 8, "halvings": 2},
        "64x64": {},
        "original": {"channels": 128},
        "spectral": {"spectral": True, "sigmoid": False},
    },
    rank=71,
    family="Generation",
)
