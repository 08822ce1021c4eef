from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import norm_group_conflicts
from blocks.diffusion.residual_time_block import ResidualTimeBlock
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Conflict, Flag, Port, Ratio, Size


class UpBlock(Block, category="Diffusion and image"):
    """One level of the ascending half of a diffusion U-Net: double the size, take the skip in, residual time blocks.

    (batch, in_channels, height, width), skip of (batch, skip_channels, 2·height, 2·width) and (batch, time_dim) →
    (batch, out_channels, 2·height, 2·width). Pixels are doubled and smoothed by a convolution of kernel 3, which leaves
    no checkerboard; then the channels of the skip are laid beside them. The lowest level does without doubling.
    Ho et al. 2020, arXiv 2006.11239.
    """

    synonyms = ("decoder", "upsampling", "unet", "expanding path", "skip connection", "ddpm", "upblock2d")
    equation = (
        r"u = w * \mathrm{up}_2(x) + b \\"
        r"y = (R_L \circ \cdots \circ R_1)([u, \mathrm{skip}], \mathrm{time}), \quad L = \mathrm{layers}"
    )
    shown = ("out_channels", "layers")
    inputs = {
        "x": Port("batch in_channels height width", kind="image", dtype="float"),
        "skip": Port(
            "batch skip_channels high_height high_width", kind="image", dtype="float", doc="from the Down block"
        ),
        "time": Port(
            "batch time_dim", kind="features", dtype="float", doc="the embedded time step, one vector a sample"
        ),
    }
    outputs = {"y": Port("batch out_channels high_height high_width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 128,
        skip_channels: Annotated[int, Size("channels of the skip", from_wire=True)] = 64,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        time_dim: Annotated[int, Size("features of the time", from_wire=True)] = 256,
        layers: Annotated[int, Size("residual time blocks")] = 2,
        double: Annotated[bool, Flag("double height and width first")] = True,
        groups: Annotated[int, Size("groups of channels that are normalised together")] = 32,
        injection: Annotated[str, Choice("what the time does", ("add", "scale_shift"))] = "add",
        dropout: Annotated[float, Ratio("share dropped before the last convolution in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.smooth = nn.Conv2d(in_channels, in_channels, 3, padding=1) if double else None
        self.blocks = nn.ModuleList(
            ResidualTimeBlock(
                in_channels=out_channels if layer else in_channels + skip_channels,
                out_channels=out_channels,
                time_dim=time_dim,
                groups=groups,
                injection=injection,
                dropout=dropout,
            )
            for layer in range(layers)
        )

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The skip is as large as what comes out."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        times = 2 if params["double"] else 1
        sides = [
            need.equal(
                axes[f"high_{axis}"],
                axes[axis] * times,
                port="skip",
                found=f"a {axis} of {axes[f'high_{axis}']}",
                needed=f"{'twice ' if times > 1 else ''}the {axis} of x is {axes[axis] * times}",
                peers=("x",),
            )
            for axis in ("height", "width")
        ]
        return {"y": (axes["batch"], params["out_channels"], *sides)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, before and after."""
        joined = params["in_channels"] + params["skip_channels"]
        return norm_group_conflicts(params["groups"], joined, params["out_channels"])

    def forward(self, x: Tensor, skip: Tensor, time: Tensor) -> Tensor:
        if self.smooth is not None:
            x = self.smooth(functional.interpolate(x, scale_factor=2.0, mode="nearest"))
        x = torch.cat((x, skip), 1)
        for block in self.blocks:
            x = block(x, time)
        return x
