from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import same_conflicts
from blocks.filters import edges, reparametrize, start_within
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import convolved
from blocks.spec import Block, Choice, Conflict, Flag, Port, Size


class DepthwiseConv2d(Block, category="Convolution"):
    """Slide a learned square filter over each channel of a picture by itself.

    y[c] = b[c] + Σ w[c, a, b] · x[c, stride·r + dilation·a - padding, …]: a Conv 2D with as many groups as channels;
    (batch, channels, height, width) → (batch, multiplier·channels, height', width'). It has `channels` times fewer
    weights; a Conv 2D of kernel 1 behind it mixes the channels, and both together are the separable convolution of
    MobileNet and Xception. Chollet 2016, arXiv 1610.02357.
    """

    title = "Depthwise conv 2D"
    synonyms = (
        "depthwise",
        "separable convolution",
        "SeparableConv2D",
        "channel-wise",
        "mobilenet",
        "xception",
        "convolution",
    )
    equation = (
        r"y_{o,r,c} = b_o + \sum_{a,e} w_{o,a,e}\; x_{\lfloor o/m \rfloor,\,sr+da-p,\,sc+de-p} \\"
        r"m = \mathrm{multiplier} \\"
        r"s = \mathrm{stride}, \quad d = \mathrm{dilation}, \quad p = \mathrm{padding}"
    )
    shown = ("channels", "kernel_size", "stride")
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(
        self,
        *,
        channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        multiplier: Annotated[int, Size("channels that come out for each that comes in")] = 1,
        kernel_size: Annotated[int, Size("side of the filter in pixels", high=65536)] = 3,
        stride: Annotated[int, Size("pixels from one place to the next", high=65536)] = 1,
        padding: Annotated[
            int | None, Size("pixels added at each edge; empty: as many as keep the size", low=0, high=65536)
        ] = 1,
        dilation: Annotated[int, Size("pixels between the filter's taps", high=65536)] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        padding_mode: Annotated[
            str, Choice("what is added at the edges", ("zeros", "reflect", "replicate", "circular"))
        ] = "zeros",
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(multiplier * channels, 1, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(multiplier * channels)) if bias else None
        start_within(1 / kernel_size, self.weight, self.bias)
        self.stride = stride
        self.padding, self.margins = edges(kernel_size, dilation, padding, padding_mode)
        self.dilation = dilation
        self.channels = channels
        self.padding_mode = "constant" if padding_mode == "zeros" else padding_mode
        reparametrize(self, reparametrization)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the filter finds."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        sizes = convolved((axes["height"], axes["width"]), params, need)
        return {"y": (axes["batch"], params["multiplier"] * params["channels"], *sizes)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Only a stride of 1 can keep the size."""
        return same_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        if self.margins is not None:
            x = functional.pad(x, self.margins * 2, mode=self.padding_mode)
        return functional.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.channels)
