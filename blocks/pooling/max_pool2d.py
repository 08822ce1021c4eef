from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.conflicts import pooling_conflicts
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import slid
from blocks.spec import Block, Conflict, Port, Size


class MaxPool2d(Block, category="Pooling"):
    """Shrink a picture, keeping the largest value of each window.

    y is the largest value under a square window, moved by `stride` (as far as the window is wide, unless set);
    (batch, channels, height, width) → (batch, channels, height', width') with
    height' = ⌊(height + 2·padding - kernel_size) / stride⌋ + 1. Added pixels never win.
    """

    title = "Max pool 2D"
    synonyms = ("max pooling", "MaxPooling2D", "maxpool", "downsample", "subsample")
    equation = (
        r"y_{c,r,q} = \max_{0 \le a,e < k}\; x_{c,\,sr+a-p,\,sq+e-p} \\"
        r"k = \mathrm{kernel\_size}, \quad s = \mathrm{stride}, \quad p = \mathrm{padding}"
    )
    shown = ("kernel_size", "stride")
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(
        self,
        *,
        kernel_size: Annotated[int, Size("side of the window in pixels", high=65536)] = 2,
        stride: Annotated[int | None, Size("pixels to the next window; empty: its side", high=65536)] = None,
        padding: Annotated[int, Size("pixels added at each edge", low=0, high=65536)] = 0,
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
        height, width = (slid(axes[axis], *window, need) for axis in ("height", "width"))
        return {"y": (axes["batch"], axes["channels"], height, width)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """Every window sees at least one pixel of the picture."""
        return pooling_conflicts(params)

    def forward(self, x: Tensor) -> Tensor:
        return functional.max_pool2d(x, self.kernel_size, self.stride, self.padding)
