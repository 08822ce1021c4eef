from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import group_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import slid
from blocks.spec import Block, Choice, Conflict, Flag, Port, Size


class Conv2d(Block, category="Convolution"):
    """Slide learned square filters over a picture.

    y[o] = b[o] + Σ w[o, i, a, b] · x[i, stride·r + dilation·a - padding, stride·c + dilation·b - padding];
    (batch, in_channels, height, width) → (batch, out_channels, height', width') with
    height' = ⌊(height + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1. A kernel of 3 with padding 1 keeps
    the size, with stride 2 halves it. `groups` = in_channels makes it depthwise.
    Dumoulin and Visin 2016, arXiv 1603.07285.
    """

    title = "Conv 2D"
    synonyms = ("convolution", "conv", "filter", "depthwise", "pointwise", "patch embedding", "downsample")
    shown = ("out_channels", "kernel_size", "stride")
    inputs = {"x": Port("batch in_channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch out_channels height width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 3,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        kernel_size: Annotated[int, Size("side of the filter in pixels", high=65536)] = 3,
        stride: Annotated[int, Size("pixels from one place to the next", high=65536)] = 1,
        padding: Annotated[int, Size("pixels added at each edge", low=0, high=65536)] = 1,
        dilation: Annotated[int, Size("pixels between the filter's taps", high=65536)] = 1,
        groups: Annotated[int, Size("groups of channels that do not mix")] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        padding_mode: Annotated[
            str, Choice("what is added at the edges", ("zeros", "reflect", "replicate", "circular"))
        ] = "zeros",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        bound = (in_channels // groups * kernel_size**2) ** -0.5
        nn.init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -bound, bound)
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups
        self.padding_mode = padding_mode

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the filter finds."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        window = params["kernel_size"], params["stride"], params["padding"], params["dilation"]
        margin = {"reflect": 1, "circular": 0}.get(params["padding_mode"])
        if params["padding"] and margin is not None:
            low = params["padding"] + margin
            why = f"{params['padding_mode']} padding takes its {params['padding']} pixels from the picture"
            for axis in ("height", "width"):
                need.between(axes[axis], low=low, port="x", because=why)
        height, width = (slid(axes[axis], *window, need) for axis in ("height", "width"))
        return {"y": (axes["batch"], params["out_channels"], height, width)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size."""
        return group_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        if self.padding_mode == "zeros" or not self.padding:
            return functional.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
        x = functional.pad(x, (self.padding,) * 4, mode=self.padding_mode)
        return functional.conv2d(x, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)
