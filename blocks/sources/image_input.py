from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Flag, Port, Size, Text

AXIS = r"[a-z][a-z0-9_]*"


class ImageInput(Block, category="Sources"):
    """Pictures that come into the model: a stack of channels, each a grid of brightness values.

    Numbers of shape (batch, channels, height, width), for a picture from disk between 0 and 1. The model takes any
    height and width that its blocks allow; `image_size` is only the side of sample pictures, unless `fixed` makes it
    the side of all: that is for models that lay a picture out as one vector. Two inputs whose axes have one name have
    one size.
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
        fixed: Annotated[bool, Flag("take no other size")] = False,
        height_axis: Annotated[str, Text("name of the height axis", AXIS, "a lower-case name")] = "height",
        width_axis: Annotated[str, Text("name of the width axis", AXIS, "a lower-case name")] = "width",
    ) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(batch, channels, height, width), with height and width free unless they are fixed."""
        if params["fixed"]:
            return {"image": (named("batch"), params["channels"], params["image_size"], params["image_size"])}
        height, width = named(params["height_axis"]), named(params["width_axis"])
        return {"image": (named("batch"), params["channels"], height, width)}
