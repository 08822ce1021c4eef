"""RealNVP: affine couplings over checkerboards and over channels, at several scales, forwards or backwards."""

from __future__ import annotations

from typing import Any

from graph.document import Document
from graph.templates import Template, Variable
from graph.templates.flows import Link, Scale, draw_flow


def draw(scales: int, inverse: bool) -> Document:
    """The drawing; Dinh et al. 2016, arXiv 1605.08803."""
    inner = Scale((_couplings("checkerboard", 3),), (_couplings("channel", 3),))
    last = Scale((_couplings("checkerboard", 4),))
    return draw_flow("realnvp", [inner] * (scales - 1) + [last], inverse)


def _couplings(mask: str, count: int) -> Link:
    """Couplings that take turns in what they change."""
    title = "Checkerboards" if mask == "checkerboard" else "Channels"
    params: dict[str, Any] = {"hidden": "=hidden", "mask": mask}
    steps = [(f"coupling_{n + 1}", "AffineCoupling", {**params, "swap": n % 2 == 1}) for n in range(count)]
    return Link(mask, title, tuple(steps))


TEMPLATE = Template(
    "realnvp",
    "RealNVP",
    "A normalising flow: couplings turn pictures into normal noise and can be undone exactly.",
    {
        "hidden": Variable(32, "channels inside the network of a coupling"),
        "image_channels": Variable(3, "channels of the picture"),
        "image_size": Variable(32, "side of the sample picture"),
        "scales": Variable(4, "scales, each with half the height of the one before", structural=True, high=8),
        "inverse": Variable(False, "draw the way back, from noise to pictures", structural=True),
    },
    draw,
    {
        "tiny": {"hidden": 16, "image_size": 8, "scales": 2},
        "32x32": {},
        "64x64": {"hidden": 64, "image_size": 64, "scales": 5},
    },
    rank=74,
    family="Generation",
)
