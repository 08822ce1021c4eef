from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import group_conflicts, same_conflicts
from blocks.filters import edges, reparametrize, start_within_or_normal
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import convolved
from blocks.spec import Block, Choice, Conflict, Flag, Number, Port, Size


class Conv2d(Block, category="Convolution"):
    """Slide learned square filters over a picture.

    y[o] = b[o] + Σ w[o, i, a, b] · x[i, stride·r + dilation·a - padding, stride·c + dilation·b - padding];
    (batch, in_channels, height, width) → (batch, out_channels, height', width') with
    height' = ⌊(height + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1. A kernel of 3 with padding 1 keeps
    the size, with stride 2 halves it; an empty `padding` keeps it under any kernel. `groups` = in_channels makes it
    depthwise. Dumoulin and Visin 2016, arXiv 1603.07285.

    It starts uniform within 1/√(in_channels/groups · kernel_size²) as in PyTorch, or normal with zero biases when
    `init_std` is set. `reparametrization` computes w anew at each use. `spectral` divides it by its largest singular
    value: discriminators of GANs (Miyato et al. 2018, arXiv 1802.05957). `weight` learns a length and a direction for
    each filter (Salimans and Kingma 2016, arXiv 1602.07868).
    """

    title = "Conv 2D"
    synonyms = (
        "convolution",
        "conv",
        "atrous",
        "dilated",
        "dilated convolution",
        "1x1 convolution",
        "cnn",
        "Convolution2D",
        "filter",
        "depthwise",
        "pointwise",
        "grouped",
        "patch embedding",
        "downsample",
        "spectral norm",
        "weight norm",
    )
    equation = (
        r"y_{o,r,c} = b_o + \sum_{i \in G(o)} \sum_{a,e} w_{o,i,a,e}\; x_{i,\,sr+da-p,\,sc+de-p} \\"
        r"s = \mathrm{stride}, \quad d = \mathrm{dilation}, \quad p = \mathrm{padding} \\"
        r"G(o) = \{\text{inputs of its group}\}"
    )
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
        padding: Annotated[
            int | None, Size("pixels added at each edge; empty: as many as keep the size", low=0, high=65536)
        ] = 1,
        dilation: Annotated[int, Size("pixels between the filter's taps", high=65536)] = 1,
        groups: Annotated[int, Size("groups of channels that do not mix")] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        padding_mode: Annotated[
            str, Choice("what is added at the edges", ("zeros", "reflect", "replicate", "circular"))
        ] = "zeros",
        init_std: Annotated[float | None, Number("spread of the starting weights", low=0.0)] = None,
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        bound = (in_channels // groups * kernel_size**2) ** -0.5
        start_within_or_normal(bound, init_std, self.weight, self.bias)
        self.stride = stride
        self.padding, self.margins = edges(kernel_size, dilation, padding, padding_mode)
        self.dilation = dilation
        self.groups = groups
        self.padding_mode = "constant" if padding_mode == "zeros" else padding_mode
        reparametrize(self, reparametrization)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the filter finds."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        sizes = convolved((axes["height"], axes["width"]), params, need)
        return {"y": (axes["batch"], params["out_channels"], *sizes)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, and only a stride of 1 can keep the size."""
        yield from group_conflicts(params)
        yield from same_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        if self.margins is not None:
            x = functional.pad(x, self.margins * 2, mode=self.padding_mode)
        return functional.conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
