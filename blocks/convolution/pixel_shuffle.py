from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size


class PixelShuffle(Block, category="Convolution"):
    """Enlarge a picture by laying its channels side by side as pixels; nothing to learn.

    y[c, factor·r + a, factor·q + b] = x[c·factor² + a·factor + b, r, q]; (batch, factor²·channels, height, width) →
    (batch, channels, factor·height, factor·width). A convolution before it makes the channels: learned up-sampling
    without a checkerboard from overlaps. Shi et al. 2016, arXiv 1609.05158.
    """

    synonyms = ("sub-pixel convolution", "depth to space", "super-resolution", "upsample", "espcn")
    equation = (
        r"y_{c,\,fr+a,\,fq+e} = x_{f^2c+fa+e,\,r,\,q} \\"
        r"f = \mathrm{factor}, \quad 0 \le a, e < f"
    )
    shown = ("factor",)
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(self, *, factor: Annotated[int, Size("times larger in height and width", high=1024)] = 2) -> None:
        super().__init__()
        self.factor = factor

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Height and width times the factor, the channels divided by its square."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        factor, channels = params["factor"], axes["channels"]
        fewer = need.multiple(
            channels,
            factor**2,
            port="x",
            found=f"{channels} channels",
            needed=f"`factor` {factor} makes one of each {factor**2}",
        )
        return {"y": (axes["batch"], fewer, axes["height"] * factor, axes["width"] * factor)}

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It moves nothing at 1."""
        return params["factor"] == 1

    def forward(self, x: Tensor) -> Tensor:
        return functional.pixel_shuffle(x, self.factor)
