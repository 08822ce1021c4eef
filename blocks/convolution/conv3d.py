from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import group_conflicts, same_conflicts
from blocks.filters import edges, reparametrize, start_within
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import convolved
from blocks.spec import Block, Choice, Conflict, Flag, Port, Size


class Conv3d(Block, category="Convolution"):
    """Slide learned cubic filters through a volume or a film.

    (batch, in_channels, depth, height, width) → (batch, out_channels, depth', height', width') with
    depth' = ⌊(depth + 2·padding - dilation·(kernel_size - 1) - 1) / stride⌋ + 1, and so on: Conv 2D with an axis more,
    which for a film is time. A kernel of 3 with padding 1 keeps the size; an empty `padding` keeps it under any kernel.
    Tran et al. 2014, arXiv 1412.0767.

    `reparametrization` computes w anew at each use. `spectral` divides it by its largest singular value: discriminators
    of GANs (Miyato et al. 2018, arXiv 1802.05957). `weight` learns a length and a direction for each filter (Salimans
    and Kingma 2016, arXiv 1602.07868).
    """

    title = "Conv 3D"
    synonyms = (
        "video",
        "volume",
        "voxel",
        "Convolution3D",
        "filter",
        "depthwise",
        "pointwise",
        "dilated",
        "atrous",
        "grouped",
        "downsample",
        "spectral norm",
        "weight norm",
        "convolution",
        "conv",
    )
    equation = (
        r"y_{o,\mathbf{t}} = b_o + \sum_{i \in G(o)} \sum_{\mathbf{a}} w_{o,i,\mathbf{a}}\; "
        r"x_{i,\,s\mathbf{t}+d\mathbf{a}-p} \\"
        r"\mathbf{t} = (\text{depth}, \text{row}, \text{column}) \\"
        r"s = \mathrm{stride}, \quad d = \mathrm{dilation}, \quad p = \mathrm{padding} \\"
        r"G(o) = \{\text{inputs of its group}\}"
    )
    shown = ("out_channels", "kernel_size", "stride")
    inputs = {"x": Port("batch in_channels depth height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch out_channels depth height width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 3,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        kernel_size: Annotated[int, Size("side of the filter in voxels", high=65536)] = 3,
        stride: Annotated[int, Size("voxels from one place to the next", high=65536)] = 1,
        padding: Annotated[
            int | None, Size("voxels added at each face; empty: as many as keep the size", low=0, high=65536)
        ] = 1,
        dilation: Annotated[int, Size("voxels between the filter's taps", high=65536)] = 1,
        groups: Annotated[int, Size("groups of channels that do not mix")] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        padding_mode: Annotated[
            str, Choice("what is added at the faces", ("zeros", "reflect", "replicate", "circular"))
        ] = "zeros",
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        kernel = (kernel_size,) * 3
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, *kernel))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        start_within((in_channels // groups * kernel_size**3) ** -0.5, self.weight, self.bias)
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
        sizes = convolved((axes["depth"], axes["height"], axes["width"]), params, need, "voxels")
        return {"y": (axes["batch"], params["out_channels"], *sizes)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, and only a stride of 1 can keep the size."""
        yield from group_conflicts(params)
        yield from same_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        if self.margins is not None:
            x = functional.pad(x, self.margins * 3, mode=self.padding_mode)
        return functional.conv3d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
