from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor

from blocks.flow.coupling import changing, coupling_conflicts, coupling_network, coupling_ports, joined, parted
from blocks.shapes import Params
from blocks.spec import Block, Choice, Conflict, Flag, Port, Size


class AdditiveCoupling(Block, category="Flow"):
    """Shift one half of the values by what a network reads in the other half; it can be undone exactly.

    With x = (a, b): y = (a, b + t(a)); back: b = y_b - t(a). It keeps volumes, so its log |det| is 0 for every sample.
    The halves are those of the channels, or the two colours of a `checkerboard`; `swap` changes the other half, so take
    turns. `direction` inverse goes from y to x; a node whose parameters are tied to a forward one undoes it. Scales,
    which it lacks, come from ActNorm or an affine coupling. Dinh et al. 2014 (NICE), arXiv 1410.8516.
    """

    synonyms = ("nice", "volume preserving", "normalizing flow", "invertible", "reversible", "checkerboard")
    equation = (
        r"x = (a, b), \quad y = (a,\; b + t(a)) \\"
        r"\log |\det\,J| = 0"
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
        direction: Annotated[str, Choice("which way values go", ("forward", "inverse"))] = "forward",
    ) -> None:
        super().__init__()
        self.network = coupling_network(network, channels, hidden, mask, swap, 1)
        self.mask = mask
        self.swap = swap
        self.inverse = direction == "inverse"

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
        shift = self.network(kept)
        if self.mask == "checkerboard":
            shift = changing(x, self.swap) * shift
        changed = changed - shift if self.inverse else changed + shift
        return joined(kept, changed, self.mask, self.swap), x.new_zeros(x.shape[0])
