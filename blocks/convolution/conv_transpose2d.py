from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import checkerboard_conflicts, edge_conflicts, group_conflicts
from blocks.filters import reparametrize, start_within_or_normal
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import spread
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Size


class ConvTranspose2d(Block, category="Convolution"):
    """Enlarge a picture with learned square filters: the mirror image of a convolution.

    Each pixel stamps the filter, scaled by its value, onto the result, `stride` pixels apart; overlaps add up.
    (batch, in_channels, height, width) → (batch, out_channels, height', width') with
    height' = (height - 1)·stride - 2·padding + dilation·(kernel_size - 1) + output_padding + 1. A kernel of 2 with
    stride 2 doubles the size, as does one of 4 with padding 1. Dumoulin and Visin 2016, arXiv 1603.07285.

    A kernel that is no multiple of the stride covers some pixels more often than others and leaves a checkerboard in
    pictures (Odena et al. 2016, Distill). Up-sample with a Conv 2D behind it has none.

    It starts as PyTorch does, or normal with zero biases when `init_std` is set: 0.02 in DCGAN (Radford et al. 2015,
    arXiv 1511.06434). `reparametrization` computes the weight anew at each use: `spectral` divides it by its largest
    singular value, `weight` learns lengths and directions. See Conv 2D.
    """

    title = "Conv transpose 2D"
    synonyms = (
        "deconvolution",
        "Conv2DTranspose",
        "transposed convolution",
        "fractionally strided",
        "up-convolution",
        "upconv",
        "generator",
    )
    equation = (
        r"y_{o,\mathbf{u}} = b_o + \sum_{i \in G(o)} \;\sum_{s\mathbf{t}+d\mathbf{a}-p\,=\,\mathbf{u}} "
        r"w_{i,o,\mathbf{a}}\; x_{i,\mathbf{t}} \\"
        r"\mathbf{t}, \mathbf{u} = (\text{row}, \text{column}) \\"
        r"s = \mathrm{stride}, \quad d = \mathrm{dilation}, \quad p = \mathrm{padding} \\"
        r"G(o) = \{\text{inputs of its group}\}"
    )
    shown = ("out_channels", "kernel_size", "stride")
    inputs = {"x": Port("batch in_channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch out_channels height width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        kernel_size: Annotated[int, Size("side of the filter in pixels", high=65536)] = 2,
        stride: Annotated[int, Size("pixels from one stamp to the next", high=65536)] = 2,
        padding: Annotated[int, Size("pixels taken off at each edge", low=0, high=65536)] = 0,
        output_padding: Annotated[int, Size("pixels added at the far edge", low=0, high=65536)] = 0,
        dilation: Annotated[int, Size("pixels between the filter's taps", high=65536)] = 1,
        groups: Annotated[int, Size("groups of channels that do not mix")] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels // groups, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        bound = (out_channels // groups * kernel_size**2) ** -0.5
        start_within_or_normal(bound, init_std, self.weight, self.bias)
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
        height, width = (spread(axes[axis], *window, extra, need) for axis in ("height", "width"))
        return {"y": (axes["batch"], params["out_channels"], height, width)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, less than a step is added at the far edge, and stamps overlap evenly."""
        yield from group_conflicts(params)
        yield from edge_conflicts(params, "pixels")
        yield from checkerboard_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        return functional.conv_transpose2d(
            x,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )
