from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size


class ImageInput(Block, category="Sources"):
    """Pictures that come into the model: a stack of channels, each a grid of brightness values.

    Numbers of shape (batch, channels, height, width), for a picture from disk between 0 and 1. The model takes any
    height and width that its blocks allow; `image_size` is only the side of sample pictures.
    """

    title = "Image input"
    synonyms = ("picture", "photo", "pixels")
    role = "source"
    shown = ("channels", "image_size")
    inputs = {}
    outputs = {"image": Port("batch channels height width", kind="image", dtype="float", doc="pictures")}

    def __init__(
        self,
        *,
        channels: Annotated[int, Size("channels: 3 for colour, 1 for grey", high=65536)] = 3,
        image_size: Annotated[int, Size("side of sample pictures in pixels", high=65536)] = 64,
    ) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(batch, channels, height, width) with height and width free."""
        return {"image": (named("batch"), params["channels"], named("height"), named("width"))}
