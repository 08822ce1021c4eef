from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import slid
from blocks.spec import Block, Conflict, Port, Size


class BottleneckResidual(Block, category="Convolution"):
    """Narrow, convolve, widen, added to what came in: the residual block of ResNet-50 and deeper.

    y = relu(F(x) + x), F = a convolution of kernel 1 to out_channels/4, one of kernel 3, one of kernel 1 to
    out_channels, each with batch norm; (batch, in_channels, height, width) → (batch, out_channels, height', width'),
    height' = ⌊(height - 1) / stride⌋ + 1. The stride is in the middle; where the shape changes, x goes through a
    convolution of kernel 1 with its own norm. He et al. 2015, arXiv 1512.03385.
    """

    title = "Residual bottleneck block"
    synonyms = ("bottleneck", "resnet-50", "resnet", "skip connection", "shortcut", "residual")
    equation = (
        r"y = \mathrm{ReLU}(\mathrm{BN}_3(w_3 * h_2) + S(x)) \\"
        r"h_2 = \mathrm{ReLU}(\mathrm{BN}_2(w_2 * h_1)) \\"
        r"h_1 = \mathrm{ReLU}(\mathrm{BN}_1(w_1 * x)) \\"
        r"S(x) = x, \quad \text{to change the shape:}\quad S(x) = \mathrm{BN}(w_s * x)"
    )
    shown = ("out_channels", "stride")
    inputs = {"x": Port("batch in_channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch out_channels height width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 256,
        out_channels: Annotated[int, Size("channels that come out; a quarter inside")] = 256,
        stride: Annotated[int, Size("times smaller in height and width", high=65536)] = 1,
    ) -> None:
        super().__init__()
        width = out_channels // 4
        self.conv1 = nn.Conv2d(in_channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, out_channels, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out_channels)
        self.downsample = None
        if stride != 1 or in_channels != out_channels:
            shortcut = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(out_channels))

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the middle filter finds."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        height, width = (slid(axes[axis], 3, params["stride"], 1, 1, need) for axis in ("height", "width"))
        return {"y": (axes["batch"], params["out_channels"], height, width)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """A quarter of the channels are inside."""
        channels = params["out_channels"]
        if channels % 4:
            yield Conflict(
                "out_channels",
                f"{channels} channels have no quarter",
                "`out_channels` must be divisible by 4",
                {"out_channels": channels + -channels % 4},
            )

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.bn1(self.conv1(x)))
        y = functional.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return functional.relu(y + (x if self.downsample is None else self.downsample(x)))
