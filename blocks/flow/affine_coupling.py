from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.flow.coupling import (
    changing,
    coupling_conflicts,
    coupling_factor,
    coupling_network,
    coupling_ports,
    joined,
    parted,
)
from blocks.shapes import Params
from blocks.spec import Block, Choice, Conflict, Flag, Port, Size


class AffineCoupling(Block, category="Flow"):
    """Scale and shift one half of the values by what a network reads in the other half; it can be undone exactly.

    With x = (a, b): y = (a, exp(s(a)) ⊙ b + t(a)) and log |det| = Σ s(a); back: b = (y_b - t(a)) ⊙ exp(-s(a)). The
    halves are those of the channels, or the two colours of a `checkerboard`; `swap` changes the other half, so take
    turns. s is a learned factor times tanh (RealNVP), or log σ(· + 2) (Glow). The network may be any: here three
    convolutions for pictures, three linear layers for vectors.

    `direction` inverse goes from y to x and gives the log-determinant of that way; a node whose parameters are tied to
    a forward one undoes it. Dinh et al. 2016, arXiv 1605.08803; Kingma and Dhariwal 2018, arXiv 1807.03039.
    """

    synonyms = ("realnvp", "glow", "normalizing flow", "invertible", "bijection", "checkerboard", "coupling layer")
    equation = (
        r"x = (a, b), \quad y = (a,\; e^{s(a)} \odot b + t(a)) \\"
        r"\log |\det\,J| = \sum_i s(a)_i"
    )
    shown = ("mask", "swap", "direction")
    inputs = {"x": Port("batch channels ...", dtype="float")}
    outputs = {"y": Port("batch channels ..."), "log_det": Port("batch", kind="number")}

    def __init__(
        self,
        *,
        channels: Annotated[int, Size("channels", from_wire=True)] = 12,
        hidden: Annotated[int, Size("channels inside the network")] = 128,
        mask: Annotated[str, Choice("what halves the values", ("channel", "checkerboard"))] = "channel",
        swap: Annotated[bool, Flag("change the other half")] = False,
        network: Annotated[str, Choice("what reads the half that stays", ("convolution", "linear"))] = "convolution",
        scale: Annotated[str, Choice("what bounds the scales", ("tanh", "sigmoid"))] = "tanh",
        direction: Annotated[str, Choice("which way values go", ("forward", "inverse"))] = "forward",
    ) -> None:
        super().__init__()
        self.network = coupling_network(network, channels, hidden, mask, swap, 2)
        self.mask = mask
        self.swap = swap
        self.inverse = direction == "inverse"
        self.factor = coupling_factor(network, channels, mask, swap) if scale == "tanh" else None

    @classmethod
    def ports(cls, params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
        """Pictures for a convolutional network, vectors for a linear one."""
        return coupling_ports(params)

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """A single channel cannot be halved."""
        return coupling_conflicts(params)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept, changed = parted(x, self.mask, self.swap)
        log_scale, shift = self.network(kept).chunk(2, 1)
        log_scale = functional.logsigmoid(log_scale + 2) if self.factor is None else self.factor * log_scale.tanh()
        if self.mask == "checkerboard":
            free = changing(x, self.swap)
            log_scale, shift = free * log_scale, free * shift
        log_det = log_scale.flatten(1).sum(-1)
        if self.inverse:
            changed = (changed - shift) * (-log_scale).exp()
            log_det = -log_det
        else:
            changed = changed * log_scale.exp() + shift
        return joined(kept, changed, self.mask, self.swap), log_det
