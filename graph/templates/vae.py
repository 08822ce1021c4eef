"""Convolutional VAE: a picture becomes a normal distribution of codes, and a drawn code a picture again."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.sketch import GAP, ROOM, Sketch
from graph.templates.stages import HALVE, stage, widened

LINE = 176
SMALLEST = 4
"""Pixels along the side of what the encoder ends with and the decoder begins with."""


def draw(halvings: int) -> Document:
    """The drawing; Kingma and Welling 2013, arXiv 1312.6114, with the convolutions of DCGAN, arXiv 1511.06434."""
    document = Document("vae")
    top = Sketch(document)
    size = SMALLEST * 2**halvings
    top.add("image", "ImageInput", title="Picture", channels="=image_channels", image_size=size, fixed=True)
    top.add("noise", "FeatureInput", title="Noise", dim="=latent", axes="batch")
    _encoder(top.group("encoder", "Encoder"), halvings)
    top.wire("image", "encoder")
    top.add("latent", "Reparameterise", "encoder.mean", "encoder.log_variance", "noise", title="Draw a code")
    _decoder(top.group("decoder", "Decoder"), halvings)
    top.wire("latent", "decoder")
    top.add("sigmoid", "Sigmoid", "decoder")
    top.add("lost", "BinaryCrossEntropy", "decoder", "image", title="Lost in pixels", reduction="sample_sum")
    top.add("divergence", "KLDivergence", "encoder.mean", "encoder.log_variance")
    top.add("weighed", "Scale", "divergence", title="Times beta", factor="=beta")
    top.add("sum", "Add", "lost", "weighed")
    outputs = {
        "reconstruction": ("sigmoid", "Reconstruction"),
        "mean": ("encoder.mean", "Mean"),
        "log_variance": ("encoder.log_variance", "Log-variance"),
        "loss": ("sum", "Loss"),
        "reconstruction_loss": ("lost", "Reconstruction loss"),
        "kl_loss": ("divergence", "KL loss"),
    }
    for id, (source, title) in outputs.items():
        top.add(id, "Output", source, title=title)
    _arrange(top)
    return document


def _arrange(top: Sketch) -> None:
    """The way through in one row, what leaves early above it, the losses below."""
    top.row(0, 0, "image", ROOM, "encoder", ROOM, "latent", ROOM, "decoder", GAP, "sigmoid", "reconstruction")
    top.row(top.left("latent"), -LINE, "mean")
    top.row(top.left("latent"), 72 - LINE, "log_variance")
    top.row(top.left("encoder"), 144, "noise")
    top.row(top.left("sigmoid"), LINE, "lost", ROOM, "reconstruction_loss")
    top.row(top.left("latent"), 2 * LINE, "divergence", ROOM, "weighed")
    top.row(top.left("reconstruction_loss"), 2 * LINE - 48, "sum", ROOM, "loss")
    top.row(top.left("weighed"), 2 * LINE + 112, "kl_loss")


def _encoder(inside: Sketch, halvings: int) -> None:
    last = inside.add("image", "GroupInput", title="Picture", port="x")
    stages: list[str] = []
    for place in range(halvings):
        side = SMALLEST * 2 ** (halvings - 1 - place)
        last = stage(inside, f"stage_{place + 1}", side, last, "Conv2d", widened(2**place), bias=False)
        stages.append(last)
    inside.add("vector", "Flatten", last, title="As a vector")
    for order, (id, title) in enumerate((("mean", "Mean"), ("log_variance", "Log-variance"))):
        inside.add(id, "Linear", "vector", title=title, out_features="=latent")
        inside.add(f"{id}_result", "GroupOutput", id, title=title, port=id)
        end = inside.row(0, 0, "image", *stages, "vector") + GAP
        inside.row(end, LINE * order - LINE // 2, id, f"{id}_result")


def _decoder(inside: Sketch, halvings: int) -> None:
    inside.add("latent", "GroupInput", title="Code", port="z")
    inside.add("unfold", "Linear", "latent", title="From the code", out_features=widened(16 * 2 ** (halvings - 1)))
    last = inside.add(
        "grid", "Rearrange", "unfold", title="As pixels", pattern="b (c h w) -> b c h w", sizes="h=4, w=4"
    )
    stages: list[str] = []
    for place in range(1, halvings):
        width = widened(2 ** (halvings - 1 - place))
        last = stage(inside, f"stage_{place}", SMALLEST * 2**place, last, "ConvTranspose2d", width, bias=False)
        stages.append(last)
    inside.add("to_image", "ConvTranspose2d", last, title="To colours", out_channels="=image_channels", **HALVE)
    inside.add("logits", "GroupOutput", "to_image", title="Before the sigmoid", port="logits")
    inside.row(0, 0, "latent", "unfold", "grid", *stages[:1])
    inside.row(inside.left("unfold"), LINE, *stages[1:], "to_image", "logits")


TEMPLATE = Template(
    "vae",
    "Convolutional VAE",
    "Learns codes of pictures: an encoder to a normal distribution, a decoder back, and both losses.",
    {
        "latent": Variable(128, "numbers of a code"),
        "channels": Variable(32, "channels after the first halving"),
        "image_channels": Variable(3, "channels of the picture"),
        "halvings": Variable(4, "how often the picture is halved, to 4 × 4: 4 for 64 × 64", structural=True, high=7),
        "beta": Variable(1.0, "weight of the KL divergence"),
    },
    draw,
    {
        "tiny": {"latent": 16, "channels": 8, "halvings": 2},
        "64x64": {},
    },
    rank=72,
    family="Generation",
)
