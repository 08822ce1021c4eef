"""What models that halve or double pictures share: a convolution, its batch norm and its activation in a group."""

from __future__ import annotations

from typing import Any

from graph.templates.sketch import Sketch

HALVE: dict[str, Any] = {"kernel_size": 4, "stride": 2, "padding": 1}
"""Of a convolution; a transposed one doubles with it, and evenly, since the stride divides the kernel."""


def stage(
    top: Sketch,
    id: str,
    side: int,
    source: str,
    conv: str,
    out_channels: str,
    *,
    norm: bool = True,
    slope: float = 0.0,
    **params: Any,
) -> str:
    """Draw a stage that makes pictures of a side. Returns its id.

    Args:
        top: where to draw it.
        id: of the group.
        side: in pixels; the group is called by it.
        source: what it receives.
        conv: the block, Conv2d or ConvTranspose2d.
        out_channels: an expression.
        norm: whether a batch norm follows the convolution, which then needs no bias.
        slope: of a leaky ReLU; 0 is a plain one.
        params: further ones of the convolution.
    """
    inside = top.group(id, f"{side} × {side}")
    inside.add("features", "GroupInput", title="Features", port="x")
    inside.add("conv", conv, "features", out_channels=out_channels, **{**HALVE, **params})
    row = ["features", "conv"]
    if norm:
        row.append(inside.add("norm", "BatchNorm", "conv"))
    leak: dict[str, Any] = {"slope": slope} if slope else {}
    row.append(inside.add("relu", "LeakyReLU" if leak else "ReLU", row[-1], **leak))
    row.append(inside.add("result", "GroupOutput", "relu", title="Result", port="x"))
    inside.row(0, 0, *row)
    top.wire(source, id)
    return id


def widened(factor: int) -> str:
    """An expression of so many times `channels`."""
    return f"=channels*{factor}" if factor > 1 else "=channels"
