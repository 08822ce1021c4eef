from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Port, Size


class Squeeze(Block, category="Flow"):
    """Lay little squares of pixels aside as channels, so that a flow sees larger surroundings; or lay them back.

    y[c·factor² + a·factor + b, r, q] = x[c, factor·r + a, factor·q + b]; (batch, channels, height, width) →
    (batch, factor²·channels, height/factor, width/factor). No value is lost or changed: log |det| is 0, so there is
    nothing to add to a likelihood. `direction` inverse goes the other way. Checkerboard couplings come before it,
    channel couplings after it. Dinh et al. 2016 (RealNVP), arXiv 1605.08803.
    """

    synonyms = ("space to depth", "depth to space", "pixel unshuffle", "realnvp", "glow", "multi-scale", "unsqueeze")
    equation = (
        r"y_{f^2c+fa+e,\,r,\,q} = x_{c,\,fr+a,\,fq+e} \\"
        r"f = \mathrm{factor}, \quad \log |\det\,J| = 0"
    )
    shown = ("factor", "direction")
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(
        self,
        *,
        factor: Annotated[int, Size("side of the squares", high=1024)] = 2,
        direction: Annotated[str, Choice("which way values go", ("forward", "inverse"))] = "forward",
    ) -> None:
        super().__init__()
        self.factor = factor
        self.inverse = direction == "inverse"

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """As many times fewer pixels as there are more channels."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        factor = params["factor"]
        batch, channels, height, width = (axes[axis] for axis in ("batch", "channels", "height", "width"))
        divided = {"channels": factor**2} if params["direction"] == "inverse" else {"height": factor, "width": factor}
        parts = {
            axis: need.multiple(
                axes[axis],
                divisor,
                port="x",
                found=f"{axes[axis]} channels" if axis == "channels" else f"a {axis} of {axes[axis]}",
                needed=f"with `factor` {factor} they must be a multiple of {divisor}"
                if axis == "channels"
                else f"`factor` {factor} must divide it",
            )
            for axis, divisor in divided.items()
        }
        if params["direction"] == "inverse":
            return {"y": (batch, parts["channels"], height * factor, width * factor)}
        return {"y": (batch, channels * factor**2, parts["height"], parts["width"])}

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It moves nothing at 1."""
        return params["factor"] == 1

    def forward(self, x: Tensor) -> Tensor:
        if self.inverse:
            return functional.pixel_shuffle(x, self.factor)
        return functional.pixel_unshuffle(x, self.factor)
