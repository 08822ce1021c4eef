from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Port, Size


class Patchify(Block, category="Diffusion and image"):
    """Cut a picture into square patches and lay each into one vector: a sequence that a transformer can read.

    (batch, channels, height, width) → (batch, height/p · width/p, p²·channels) with p = `patch_size`, row by row.
    Within a vector `order` says what runs slower: pixels, or channels. A Linear behind it makes the patch embedding of
    ViT and DiT: the same as a convolution whose kernel and stride are p, with its weight in the order channel pixel.
    Dosovitskiy et al. 2020 (ViT), arXiv 2010.11929.
    """

    synonyms = ("patch embedding", "unfold", "vit", "dit", "image to sequence", "tokens of an image")
    equation = (
        r"y_{r W/p + q,\; p^2c + pa + e} = x_{c,\,pr+a,\,pq+e} \\"
        r"p = \mathrm{patch\_size}, \quad 0 \le a, e < p \\"
        r"\text{pixel channel:}\quad C(pa + e) + c \;\text{in place of}\; p^2c + pa + e"
    )
    shown = ("patch_size",)
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch patches features", kind="features", doc="one vector for each patch")}

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
        """As many patches as fit side by side."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        side = params["patch_size"]
        rows, columns = (
            need.multiple(
                axes[axis],
                side,
                port="x",
                found=f"a {axis} of {axes[axis]}",
                needed=f"`patch_size` {side} must divide it",
            )
            for axis in ("height", "width")
        )
        return {"y": (axes["batch"], rows * columns, axes["channels"] * side**2)}

    def forward(self, x: Tensor) -> Tensor:
        batch, channels, height, width = x.shape
        side = self.patch_size
        x = x.reshape(batch, channels, height // side, side, width // side, side)
        x = x.permute(0, 2, 4, 1, 3, 5) if self.channels_first else x.permute(0, 2, 4, 3, 5, 1)
        return x.flatten(3).flatten(1, 2)
