"""DCGAN, the generator: noise becomes 4 × 4 pixels, which are doubled until they are a picture."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, Sketch

LINE = 176
START = {"bias": False, "init_std": 0.02}


def draw(doublings: int) -> Document:
    """The drawing; Radford et al. 2015, arXiv 1511.06434, without biases as in PyTorch's example."""
    document = Document("dcgan generator")
    top = Sketch(document)
    top.add("noise", "FeatureInput", title="Noise", dim="=latent", axes="batch")
    top.add("pixel", "Rearrange", "noise", title="As one pixel", pattern="b c -> b c 1 1")
    last, stages = "pixel", []
    for stage in range(doublings):
        last = _stage(top, stage, doublings, last)
        stages.append(last)
    double = {"kernel_size": 4, "stride": 2, "padding": 1}
    top.add("to_image", "ConvTranspose2d", last, title="To colours", out_channels="=image_channels", **double, **START)
    top.add("tanh", "Tanh", "to_image")
    top.add("image", "Output", "tanh", title="Picture")
    half = (len(stages) + 1) // 2
    top.row(0, 0, "noise", "pixel", *stages[:half])
    top.row(top.left("pixel"), LINE, *stages[half:], "to_image", "tanh", "image")
    return document


def _stage(top: Sketch, stage: int, doublings: int, source: str) -> str:
    """A transposed convolution with its norm and ReLU; the first makes 4 × 4 pixels of one, the others double."""
    side = 4 * 2**stage
    id = f"stage_{stage + 1}"
    inside = top.group(id, f"{side} × {side}")
    width = 2 ** (doublings - 1 - stage)
    step = {"stride": 1, "padding": 0} if stage == 0 else {"stride": 2, "padding": 1}
    inside.add("features", "GroupInput", title="Features", port="x")
    inside.add(
        "conv", "ConvTranspose2d", "features",
        out_channels=f"=channels*{width}" if width > 1 else "=channels", kernel_size=4, **step, **START,
    )  # fmt: skip
    inside.add("norm", "BatchNorm", "conv")
    inside.add("relu", "ReLU", "norm")
    inside.add("result", "GroupOutput", "relu", title="Result", port="x")
    inside.row(0, 0, "features", GAP, "conv", "norm", "relu", "result")
    top.wire(source, id)
    return id


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
)
