from __future__ import annotations

from typing import Annotated

from torch import Tensor, nn
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.sliding import slid
from blocks.spec import Block, Port, Size


class BasicResidual(Block, category="Convolution"):
    """Two convolutions with batch norm, added to what came in: the residual block of ResNet-18 and 34.

    y = relu(F(x) + x), F = norm₂(conv₂(relu(norm₁(conv₁(x))))) with kernels of 3; (batch, in_channels, height, width) →
    (batch, out_channels, height', width'), height' = ⌊(height - 1) / stride⌋ + 1. Where the shape changes, x goes
    through a convolution of kernel 1 with its own norm. The gradient always finds the straight way through the sum.
    He et al. 2015, arXiv 1512.03385.
    """

    title = "Residual basic block"
    synonyms = ("resnet", "resnet block", "basicblock", "skip connection", "shortcut", "residual")
    equation = (
        r"y = \mathrm{ReLU}(F(x) + S(x)) \\"
        r"F(x) = \mathrm{BN}_2(w_2 * \mathrm{ReLU}(\mathrm{BN}_1(w_1 * x))) \\"
        r"S(x) = x, \quad \text{to change the shape:}\quad S(x) = \mathrm{BN}(w_s * x)"
    )
    shown = ("out_channels", "stride")
    inputs = {"x": Port("batch in_channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch out_channels height width", kind="image")}

    def __init__(
        self,
        *,
        in_channels: Annotated[int, Size("channels", from_wire=True)] = 64,
        out_channels: Annotated[int, Size("channels that come out")] = 64,
        stride: Annotated[int, Size("times smaller in height and width", high=65536)] = 1,
    ) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.downsample = None
        if stride != 1 or in_channels != out_channels:
            shortcut = nn.Conv2d(in_channels, out_channels, 1, stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(out_channels))

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many places as the first filter finds."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        height, width = (slid(axes[axis], 3, params["stride"], 1, 1, need) for axis in ("height", "width"))
        return {"y": (axes["batch"], params["out_channels"], height, width)}

    def forward(self, x: Tensor) -> Tensor:
        y = functional.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return functional.relu(y + (x if self.downsample is None else self.downsample(x)))
