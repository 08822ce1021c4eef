from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn

from blocks.conflicts import norm_group_conflicts
from blocks.diffusion.residual_time_block import ResidualTimeBlock
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import slid
from blocks.spec import Block, Choice, Conflict, Flag, Port, Ratio, Size


class DownBlock(Block, category="Diffusion and image"):
    """One level of the descending half of a diffusion U-Net: residual time blocks, then half the height and width.

    (batch, in_channels, height, width) and (batch, time_dim) → y of (batch, out_channels, ⌈height/2⌉, ⌈width/2⌉) and
    skip of (batch, out_channels, height, width), which an Up block of the same level takes: what the halving loses is
    not lost to the result. The halving is a convolution of kernel 3 and stride 2; the lowest level does without.
    Ho et al. 2020, arXiv 2006.11239.
    """

    synonyms = ("unet block", "encoder", "downsampling", "unet", "contracting path", "ddpm", "downblock2d")
    equation = (
        r"\mathrm{skip} = (R_L \circ \cdots \circ R_1)(x, \mathrm{time}) \\"
        r"y = w * \mathrm{skip} + b \;\text{at every second pixel}, \quad L = \mathrm{layers}"
    )
    shown = ("out_channels", "layers")
    inputs = {
        "x": Port("batch in_channels height width", kind="image", dtype="float"),
        "time": Port(
            "batch time_dim", kind="features", dtype="float", doc="the embedded time step, one vector a sample"
        ),
    }
    outputs = {
        "y": Port("batch out_channels low_height low_width", kind="image", doc="half as high and wide"),
        "skip": Port("batch out_channels height width", kind="image", doc="for the Up block of this level"),
    }

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        out_channels: Annotated[int, Size("channels that come out")] = 128,
        time_dim: Annotated[int, Size("features of the time", from_wire=True)] = 256,
        layers: Annotated[int, Size("residual time blocks")] = 2,
        halve: Annotated[bool, Flag("halve height and width at the end")] = True,
        groups: Annotated[int, Size("groups of channels that are normalised together")] = 32,
        injection: Annotated[str, Choice("what the time does", ("add", "scale_shift"))] = "add",
        dropout: Annotated[float, Ratio("share dropped before the last convolution in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            ResidualTimeBlock(
                in_channels=out_channels if layer else in_channels,
                out_channels=out_channels,
                time_dim=time_dim,
                groups=groups,
                injection=injection,
                dropout=dropout,
            )
            for layer in range(layers)
        )
        self.downsample = nn.Conv2d(out_channels, out_channels, 3, stride=2, padding=1) if halve else None

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Half of every side, rounded up."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        sides = axes["height"], axes["width"]
        lower = tuple(slid(side, 3, 2, 1, 1, need) for side in sides) if params["halve"] else sides
        start = (axes["batch"], params["out_channels"])
        return {"y": (*start, *lower), "skip": (*start, *sides)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, before and after."""
        return norm_group_conflicts(params["groups"], params["in_channels"], params["out_channels"])

    def forward(self, x: Tensor, time: Tensor) -> tuple[Tensor, Tensor]:
        for block in self.blocks:
            x = block(x, time)
        return x if self.downsample is None else self.downsample(x), x
