from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import checkerboard_conflicts, edge_conflicts, group_conflicts
from blocks.filters import reparametrize, start_within
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import spread
from blocks.spec import Block, Choice, Conflict, Flag, Size


class ConvTranspose1d(Block, category="Convolution"):
    """Lengthen a series with learned filters: the mirror image of a convolution.

    Each position stamps the filter, scaled by its value, onto the result, `stride` positions apart; overlaps add up.
    (batch, in_channels, length) → (batch, out_channels, length') with
    length' = (length - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1. A kernel of 2 with
    stride 2 doubles the length. Vocoders make sound from coarse features with it (Kong et al. 2020, arXiv 2010.05646).

    A kernel that is no multiple of the stride covers some positions more often than others and leaves a regular pattern
    (Odena et al. 2016, Distill). `reparametrization` is as in Conv 1D.
    """

    title = "Conv transpose 1D"
    synonyms = (
        "vocoder",
        "Conv1DTranspose",
        "deconvolution 1d",
        "transposed convolution",
        "up-convolution",
        "upconv",
        "fractionally strided",
        "deconvolution",
    )
    equation = (
        r"y_{o,u} = b_o + \sum_{i \in G(o)} \;\sum_{st+da-p\,=\,u} w_{i,o,a}\; x_{i,t} \\"
        r"s = \mathrm{stride}, \quad d = \mathrm{dilation}, \quad p = \mathrm{padding} \\"
        r"G(o) = \{\text{inputs of its group}\}"
    )
    shown = ("out_channels", "kernel_size", "stride")
    inputs = {"x": "batch in_channels length"}
    outputs = {"y": "batch out_channels length"}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        kernel_size: Annotated[int, Size("positions under the filter", high=65536)] = 2,
        stride: Annotated[int, Size("positions from one stamp to the next", high=65536)] = 2,
        padding: Annotated[int, Size("positions taken off at each end", low=0, high=65536)] = 0,
        output_padding: Annotated[int, Size("positions added at the far end", low=0, high=65536)] = 0,
        dilation: Annotated[int, Size("positions between the filter's taps", high=65536)] = 1,
        groups: Annotated[int, Size("groups of channels that do not mix")] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels // groups, kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        start_within((out_channels // groups * kernel_size) ** -0.5, self.weight, self.bias)
        self.stride = stride
        self.padding = padding
        self.output_padding = output_padding
        self.dilation = dilation
        self.groups = groups
        reparametrize(self, reparametrization, 1)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the stamps fill."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        window = params["kernel_size"], params["stride"], params["padding"], params["dilation"]
        extra = params["output_padding"]
        length = spread(axes["length"], *window, extra, need, "positions")
        return {"y": (axes["batch"], params["out_channels"], length)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, less than a step is added at the far end, and stamps overlap evenly."""
        yield from group_conflicts(params)
        yield from edge_conflicts(params, "positions")
        yield from checkerboard_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        return functional.conv_transpose1d(
            x,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )
