from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Size


class GatedActivation(Block, category="Activation"):
    """Halve the channels: one half is the signal, the other the gate that lets it through.

    y = tanh(a) · sigmoid(b), with a the first and b the second half of x along `axis`: (batch, 2·channels, ...) →
    (batch, channels, ...) with axis 1. It follows the masked convolutions of PixelCNN and the dilated ones of WaveNet.
    Van den Oord et al. 2016, arXiv 1606.05328.
    """

    synonyms = ("wavenet", "pixelcnn", "gated unit", "tanh sigmoid", "glu")
    equation = r"y = \tanh(a) \odot \sigma(b), \quad x = [a, b]"
    shown = ("axis",)
    inputs = {"x": "..."}
    outputs = {"y": "..."}

    def __init__(
        self, *, axis: Annotated[int, Size("axis that is halved: 1 for channels, -1 the last", low=-8, high=7)] = 1
    ) -> None:
        super().__init__()
        self.axis = axis

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, half as long along the axis."""
        shape = shapes["x"]
        at = axis_at(shape, params["axis"], port="x")
        half = need.multiple(
            shape[at], 2, port="x", found=f"a size of {shape[at]} along axis {at}", needed="half of it is the gate"
        )
        return {"y": (*shape[:at], half, *shape[at + 1 :])}

    def forward(self, x: Tensor) -> Tensor:
        signal, gate = x.split(x.shape[self.axis] // 2, self.axis)
        return signal.tanh() * gate.sigmoid()
