from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn
from torch.nn import functional

from blocks.conflicts import nearest_divisor
from blocks.filters import reparametrize, start_within
from blocks.shapes import Params
from blocks.spec import Block, Choice, Conflict, Flag, Port, Size


class MaskedConv2d(Block, category="Convolution"):
    """Slide filters that see only the pixels before the one they stand on, row by row from the top left.

    A Conv 2D whose weights below the middle, and to the right of it in the middle row, are zero; (batch, in_channels,
    height, width) → (batch, out_channels, height, width). Type `A` hides the middle as well and comes first, `B` shows
    it and comes behind: each pixel is then predicted from earlier ones alone. A stack of them misses what lies above to
    the right; the `vertical` types see the rows above in full, and B its own row too, for a second stack that does not.

    With `colours` 3 the channels are cut into red, green and blue in this order, and at the middle a colour sees those
    before it; type `B` sees itself too. `reparametrization` computes the weight anew before the mask, see Conv 2D. Van
    den Oord et al. 2016, arXiv 1601.06759 and 1606.05328.
    """

    title = "Masked conv 2D"
    synonyms = ("pixelcnn", "causal convolution", "pixelrnn", "autoregressive", "mask a", "mask b")
    equation = (
        r"y = b + (w \odot M) * x \\"
        r"M_{a,e} = 1 \;\text{where}\; (a, e) \prec (m, m), \;\text{else}\; 0 \\"
        r"\text{B: also where}\; (a, e) = (m, m) \\"
        r"m = \lfloor \mathrm{kernel\_size} / 2 \rfloor, \;\text{row by row}"
    )
    shown = ("kind", "out_channels", "kernel_size")
    inputs = {"x": Port("batch in_channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch out_channels height width", kind="image")}

    def __init__(
        self,
        *,
        kind: Annotated[
            str, Choice("whether the middle is hidden (A) or seen (B)", ("A", "B", "vertical A", "vertical B"))
        ] = "A",
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 3,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        kernel_size: Annotated[int, Size("side of the filter in pixels, an odd number", high=65535)] = 7,
        colours: Annotated[int, Size("parts of the channels that follow one another")] = 1,
        bias: Annotated[bool, Flag("add a learned number to each channel")] = True,
        reparametrization: Annotated[
            str, Choice("how the weight is kept in bounds", ("none", "spectral", "weight"))
        ] = "none",
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels, kernel_size, kernel_size))
        self.bias = nn.Parameter(torch.empty(out_channels)) if bias else None
        start_within((in_channels * kernel_size**2) ** -0.5, self.weight, self.bias)
        middle = kernel_size // 2
        mask = torch.zeros(out_channels, in_channels, kernel_size, kernel_size)
        if not mask.is_meta:  # where only shapes are asked for, numbers mean nothing
            mask[:, :, :middle] = 1.0
            if kind in ("A", "B"):
                mask[:, :, middle, :middle] = 1.0
                giving = torch.arange(in_channels) * colours // in_channels
                taking = torch.arange(out_channels).unsqueeze(-1) * colours // out_channels
                mask[:, :, middle, middle] = (giving < taking if kind == "A" else giving <= taking).to(mask.dtype)
            elif kind == "vertical B":
                mask[:, :, middle] = 1.0
        self.mask: Tensor
        self.register_buffer("mask", mask, persistent=False)
        self.padding = middle
        reparametrize(self, reparametrization)

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The filter has a middle, and the colours are of one size."""
        kernel, colours = params["kernel_size"], params["colours"]
        if kernel % 2 == 0:
            yield Conflict(
                "kernel_size",
                f"a filter of {kernel} by {kernel} pixels has no middle",
                "`kernel_size` must be odd",
                {"kernel_size": kernel + 1},
            )
        for name in ("in_channels", "out_channels"):
            if params[name] % colours:
                common = math.gcd(params["in_channels"], params["out_channels"])
                yield Conflict(
                    "colours",
                    f"{params[name]} channels do not fall into {colours} equal parts",
                    f"`colours` must divide `{name}`",
                    {"colours": nearest_divisor(common, colours)},
                )
                return

    def forward(self, x: Tensor) -> Tensor:
        return functional.conv2d(x, self.weight * self.mask, self.bias, padding=self.padding)
