"""Glow: steps of ActNorm, invertible 1×1 convolution and affine coupling, at several scales, forwards or backwards."""

from __future__ import annotations

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.flows import Link, Scale, draw_flow


def draw(scales: int, inverse: bool) -> Document:
    """The drawing; Kingma and Dhariwal 2018, arXiv 1807.03039."""
    layers = (
        ("act_norm", "ActNorm", {}),
        ("mix", "InvertibleConv1x1", {}),
        ("coupling", "AffineCoupling", {"hidden": "=hidden", "scale": "sigmoid"}),
    )
    return draw_flow("glow", [Scale(after=(Link("steps", "Step", layers, "=steps"),))] * scales, inverse)


TEMPLATE = Template(
    "glow",
    "Glow",
    "A normalising flow whose steps mix all channels; it turns pictures into noise and back.",
    {
        "hidden": Variable(64, "channels inside the network of a coupling"),
        "image_channels": Variable(3, "channels of the picture"),
        "image_size": Variable(32, "side of the sample picture"),
        "scales": Variable(3, "scales, each with half the height of the one before", structural=True, high=8),
        "steps": Variable(4, "steps at each scale"),
        "inverse": Variable(False, "draw the way back, from noise to pictures", structural=True),
    },
    draw,
    {
        "tiny": {"hidden": 16, "image_size": 8, "scales": 2, "steps": 2},
        "cifar10": {"hidden": 512, "steps": 32},
        "imagenet64": {"hidden": 512, "image_size": 64, "scales": 4, "steps": 48},
    },
    rank=75,
    family="Generation",
)
