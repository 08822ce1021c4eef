from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import norm_group_conflicts
from blocks.normalization.group_norm import GroupNorm
from blocks.shapes import Params
from blocks.spec import Block, Choice, Conflict, Number, Port, Ratio, Size


class ResidualTimeBlock(Block, category="Diffusion and image"):
    """Two convolutions that are told the time step, added to what came in: the brick of diffusion U-Nets.

    h = conv₁(silu(norm₁(x))) + W silu(time) + b, y = conv₂(silu(norm₂(h))) + x; (batch, in_channels, height, width) and
    (batch, time_dim) → (batch, out_channels, height, width). The vector of the time step is added to every pixel and
    tells the network how much noise to expect; with `scale_shift` it scales and shifts the second norm instead. Where
    the channels change, x goes through a convolution of kernel 1.

    The time comes from a Timestep embedding and two linear layers. Ho et al. 2020, arXiv 2006.11239; Dhariwal and
    Nichol 2021, arXiv 2105.05233; Stable Diffusion has it with 32 groups.
    """

    title = "Residual time block"
    synonyms = ("time injection", "resblock", "diffusion", "ddpm", "film", "resnet block", "unet block")
    equation = (
        r"h = w_1 * \mathrm{SiLU}(\mathrm{GN}_1(x)) + W\,\mathrm{SiLU}(\mathrm{time}) + b \\"
        r"y = w_2 * \mathrm{SiLU}(\mathrm{GN}_2(h)) + S(x) \\"
        r"S(x) = x, \quad \text{to change the channels:}\quad S(x) = w_s * x \\"
        r"\mathrm{scale\_shift}\text{:}\quad (1 + s)\,\mathrm{GN}_2(h) + t \;\text{instead}, \quad "
        r"[s, t] = W\,\mathrm{SiLU}(\mathrm{time}) + b"
    )
    shown = ("out_channels", "injection")
    inputs = {
        "x": Port("batch in_channels height width", kind="image", dtype="float"),
        "time": Port(
            "batch time_dim", kind="features", dtype="float", doc="the embedded time step, one vector a sample"
        ),
    }
    outputs = {"y": Port("batch out_channels height width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        time_dim: Annotated[int, Size("features of the time", from_wire=True)] = 256,
        groups: Annotated[int, Size("groups of channels that are normalised together")] = 32,
        injection: Annotated[str, Choice("what the time does", ("add", "scale_shift"))] = "add",
        eps: Annotated[float, Number("added to the variance against division by zero", low=0.0)] = 1e-5,
        dropout: Annotated[float, Ratio("share dropped before the last convolution in training")] = 0.0,
    ) -> None:
        super().__init__()
        self.norm1 = GroupNorm(num_groups=groups, num_channels=in_channels, eps=eps)
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self.time_proj = nn.Linear(time_dim, out_channels if injection == "add" else 2 * out_channels)
        self.norm2 = GroupNorm(num_groups=groups, num_channels=out_channels, eps=eps)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1)
        self.shortcut = nn.Conv2d(in_channels, out_channels, 1) if in_channels != out_channels else None
        self.injection = injection
        self.dropout = dropout

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Groups are of one size, before and after."""
        return norm_group_conflicts(params["groups"], params["in_channels"], params["out_channels"])

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        h = self.conv1(functional.silu(self.norm1(x)))
        told = self.time_proj(functional.silu(time)).unsqueeze(-1).unsqueeze(-1)
        if self.injection == "add":
            h = self.norm2(h + told)
        else:
            scale, shift = told.chunk(2, 1)
            h = self.norm2(h) * (1 + scale) + shift
        h = self.conv2(functional.dropout(functional.silu(h), self.dropout, self.training))
        return h + (x if self.shortcut is None else self.shortcut(x))
