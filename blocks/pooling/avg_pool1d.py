from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.conflicts import pooling_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import slid
from blocks.spec import Block, Conflict, Size


class AvgPool1d(Block, category="Pooling"):
    """Shorten a series, keeping the mean of each window.

    y is the mean under a window, moved by `stride` (as far as the window is wide, unless set);
    (batch, channels, length) → (batch, channels, length') with
    length' = ⌊(length + 2·padding - kernel_size) / stride⌋ + 1. Added positions count as zeros.
    """

    title = "Average pool 1D"
    synonyms = ("avgpool", "AveragePooling1D", "average pooling", "mean pooling", "downsample", "subsample")
    equation = (
        r"y_{c,t} = \frac{1}{k} \sum_{a=0}^{k-1} x_{c,\,st+a-p} \\"
        r"k = \mathrm{kernel\_size}, \quad s = \mathrm{stride}, \quad p = \mathrm{padding}"
    )
    shown = ("kernel_size", "stride")
    inputs = {"x": "batch channels length"}
    outputs = {"y": "batch channels length"}

    def __init__(
        self,
        *,
        kernel_size: Annotated[int, Size("positions under the window", high=65536)] = 2,
        stride: Annotated[int | None, Size("positions to the next window; empty: its length", high=65536)] = None,
        padding: Annotated[int, Size("positions added at each end", low=0, high=65536)] = 0,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride or kernel_size
        self.padding = padding

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the window finds."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        kernel = params["kernel_size"]
        window = kernel, params["stride"] or kernel, params["padding"], 1
        return {"y": (axes["batch"], axes["channels"], slid(axes["length"], *window, need, "positions"))}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Every window sees at least one position of the series."""
        return pooling_conflicts(params, "positions")

    def forward(self, x: Tensor) -> Tensor:
        return functional.avg_pool1d(x, self.kernel_size, self.stride, self.padding)
