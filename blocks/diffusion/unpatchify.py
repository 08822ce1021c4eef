from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Port, Size


class Unpatchify(Block, category="Diffusion and image"):
    """Lay the vectors of a sequence back into square patches of a picture: the way back of Patchify.

    (batch, height/p · width/p, p²·channels) → (batch, channels, height, width) with p = `patch_size`; `like` is a
    picture of the height and width that come out, such as the one that was cut up: a sequence cannot tell how many
    patches made a row. A Linear before it gives each patch its p²·channels numbers, as in the last layer of DiT.
    Peebles and Xie 2022, arXiv 2212.09748.
    """

    synonyms = ("fold", "sequence to image", "dit", "depatchify", "mae decoder")
    equation = (
        r"y_{c,\,pr+a,\,pq+e} = x_{r W/p + q,\; p^2c + pa + e} \\"
        r"p = \mathrm{patch\_size}, \quad 0 \le a, e < p \\"
        r"\text{pixel channel:}\quad C(pa + e) + c \;\text{in place of}\; p^2c + pa + e"
    )
    shown = ("patch_size",)
    inputs = {
        "x": Port("batch patches features", kind="features", dtype="float", doc="one vector for each patch"),
        "like": Port("batch like_channels height width", kind="image", dtype="float", doc="a picture of that size"),
    }
    outputs = {"y": Port("batch channels height width", kind="image")}

    def __init__(
        self,
        *,
        patch_size: Annotated[int, Size("side of a patch in pixels", high=4096)] = 16,
        order: Annotated[
            str, Choice("what runs slower in a vector, and what faster", ("pixel channel", "channel pixel"))
        ] = "channel pixel",
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        self.channels_first = order == "channel pixel"

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The patches make up the picture, and their features its channels."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        side = params["patch_size"]
        height, width = axes["height"], axes["width"]
        rows, columns = (
            need.multiple(
                axes[axis],
                side,
                port="like",
                found=f"a {axis} of {axes[axis]}",
                needed=f"`patch_size` {side} must divide it",
            )
            for axis in ("height", "width")
        )
        need.equal(
            axes["patches"],
            rows * columns,
            port="x",
            found=f"{axes['patches']} patches",
            needed=f"input like has room for {rows * columns}",
            peers=("like",),
        )
        channels = need.multiple(
            axes["features"],
            side**2,
            port="x",
            found=f"{axes['features']} features",
            needed=f"a patch has {side**2} pixels, so they must be a multiple of it",
        )
        return {"y": (axes["batch"], channels, height, width)}

    def forward(self, x: Tensor, like: Tensor) -> Tensor:
        batch, _, features = x.shape
        side = self.patch_size
        height, width, channels = like.shape[2], like.shape[3], features // side**2
        if self.channels_first:
            x = x.reshape(batch, height // side, width // side, channels, side, side).permute(0, 3, 1, 4, 2, 5)
        else:
            x = x.reshape(batch, height // side, width // side, side, side, channels).permute(0, 5, 1, 3, 2, 4)
        return x.reshape(batch, channels, height, width)
