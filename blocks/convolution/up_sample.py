from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Port, Size


class UpSample(Block, category="Convolution"):
    """Enlarge a picture by a whole factor; nothing to learn.

    (batch, channels, height, width) → (batch, channels, factor·height, factor·width). `nearest` repeats pixels,
    `bilinear` blends the four around each point (align_corners is false). A convolution behind it gives what a
    transposed convolution gives, without its checkerboard.
    """

    title = "Up-sample"
    synonyms = ("upsampling", "UpSampling2D", "interpolate", "resize", "bilinear", "nearest", "enlarge")
    equation = (
        r"\text{nearest:}\quad y_{c,i,j} = x_{c,\lfloor i/f \rfloor,\lfloor j/f \rfloor} \\"
        r"\text{bilinear:}\quad y_{c,i,j} = \sum_{r,q} k_{i,r}\, k_{j,q}\, x_{c,r,q} \\"
        r"k_{i,r} = \max(0,\; 1 - |u_i - r|) \\"
        r"u_i = \tfrac{i + 1/2}{f} - \tfrac{1}{2} \;\text{within the picture}, \quad f = \mathrm{factor}"
    )
    shown = ("factor", "mode")
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(
        self,
        *,
        factor: Annotated[int, Size("times larger in height and width", high=1024)] = 2,
        mode: Annotated[str, Choice("how new pixels are made", ("nearest", "bilinear"))] = "nearest",
    ) -> None:
        super().__init__()
        self.factor = factor
        self.mode = mode

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Height and width times the factor."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        factor = params["factor"]
        return {"y": (axes["batch"], axes["channels"], axes["height"] * factor, axes["width"] * factor)}

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It enlarges nothing at 1."""
        return params["factor"] == 1

    def forward(self, x: Tensor) -> Tensor:
        return functional.interpolate(x, scale_factor=float(self.factor), mode=self.mode)
