from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size


class PixelUnshuffle(Block, category="Convolution"):
    """Shrink a picture by laying its pixels aside as channels; nothing is lost.

    y[c·factor² + a·factor + b, r, q] = x[c, factor·r + a, factor·q + b]; (batch, channels, height, width) →
    (batch, factor²·channels, height/factor, width/factor). The way back is Pixel shuffle. It brings large pictures to
    a size at which convolutions are cheap. Shi et al. 2016, arXiv 1609.05158.
    """

    synonyms = ("space to depth", "squeeze", "downsample", "focus")
    equation = (
        r"y_{f^2c+fa+e,\,r,\,q} = x_{c,\,fr+a,\,fq+e} \\"
        r"f = \mathrm{factor}, \quad 0 \le a, e < f"
    )
    shown = ("factor",)
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(self, *, factor: Annotated[int, Size("times smaller in height and width", high=1024)] = 2) -> None:
        super().__init__()
        self.factor = factor

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Height and width divided by the factor, the channels times its square."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        factor = params["factor"]
        height, width = (
            need.multiple(
                axes[axis],
                factor,
                port="x",
                found=f"a {axis} of {axes[axis]}",
                needed=f"`factor` {factor} must divide it",
            )
            for axis in ("height", "width")
        )
        return {"y": (axes["batch"], axes["channels"] * factor**2, height, width)}

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It moves nothing at 1."""
        return params["factor"] == 1

    def forward(self, x: Tensor) -> Tensor:
        return functional.pixel_unshuffle(x, self.factor)
