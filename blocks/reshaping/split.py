from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Conflict, Port, Size, Text


class Split(Block, category="Reshaping"):
    """Cut a tensor into pieces along one axis, each with an output of its own.

    `parts` equal pieces, or pieces of the sizes in `sizes`, such as "128, 64", which must add up to the axis. -1 is the
    last axis (features of tokens), 1 the channels of pictures. Turns one projection into queries, keys and values. The
    way back is Concat.
    """

    synonyms = ("chunk", "unbind", "divide", "separate", "qkv", "mean and log variance")
    equation = r"x = [y_1, \ldots, y_{\mathrm{parts}}]"
    shown = ("parts", "sizes", "axis")
    inputs = {"x": Port("...", dtype="any")}
    outputs = {"y1": Port("...", keeps="x"), "y2": Port("...", keeps="x")}

    def __init__(
        self,
        *,
        parts: Annotated[int, Size("equal pieces", low=2, high=64)] = 2,
        sizes: Annotated[
            str,
            Text("sizes of the pieces; empty: equal ones", r" *([1-9][0-9]*( *, *[1-9][0-9]*){0,63})? *", "as 128, 64"),
        ] = "",
        axis: Annotated[int, Size("axis that is cut; -1 is the last", low=-8, high=7)] = -1,
    ) -> None:
        super().__init__()
        self.parts = parts
        self.sizes = [int(size) for size in sizes.split(",") if size.strip()]
        self.axis = axis

    @classmethod
    def ports(cls, params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
        """An output for each piece."""
        count = len(_sizes(params)) or params["parts"]
        return dict(cls.inputs), {f"y{number}": Port("...", keeps="x") for number in range(1, count + 1)}

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """One piece is none."""
        if len(_sizes(params)) == 1:
            yield Conflict("sizes", "one size makes one piece", "give two or more with commas between, as 128, 64")

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, with a part of the axis each."""
        shape, sizes = shapes["x"], _sizes(params)
        at = axis_at(shape, params["axis"], port="x")
        found = f"{shape[at]} along axis {at}"
        if sizes:
            added = " + ".join(map(str, sizes))
            need.equal(shape[at], sum(sizes), port="x", found=found, needed=f"its `sizes` are {added} = {sum(sizes)}")
            pieces = sizes
        else:
            parts = params["parts"]
            needed = f"its `parts` is {parts}, which must divide it"
            pieces = [need.multiple(shape[at], parts, port="x", found=found, needed=needed)] * parts
        return {f"y{place}": (*shape[:at], size, *shape[at + 1 :]) for place, size in enumerate(pieces, start=1)}

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        if self.sizes:
            return x.split(self.sizes, self.axis)
        pieces = x.unflatten(self.axis, (self.parts, -1))
        return pieces.unbind(self.axis if self.axis >= 0 else self.axis - 1)


def _sizes(params: Params) -> list[int]:
    return [int(size) for size in params["sizes"].split(",") if size.strip().isdecimal()]
