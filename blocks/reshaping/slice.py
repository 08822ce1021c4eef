from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from torch import Tensor

from blocks.dimensions import Dimension
from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Conflict, Port, Size


class Slice(Block, category="Reshaping"):
    """Keep a stretch of one axis: the first few positions, the last ones, every second one.

    Positions `start`, `start` + `step`, … before `stop`, as Python counts: 0 is the first, -1 the last, an empty `stop`
    goes on to the end. The axis must be long enough for both ends. A whole position, without its axis, is Select.
    """

    synonyms = ("crop", "getitem", "narrow", "cut", "range", "shift", "subsample", "index")
    equation = (
        r"y_i = x_{\mathrm{start} + i \cdot \mathrm{step}}, \quad "
        r"\mathrm{start} + i \cdot \mathrm{step} < \mathrm{stop}"
    )
    shown = ("start", "stop", "axis")
    inputs = {"x": Port("...", dtype="any")}
    outputs = {"y": Port("...", keeps="x")}

    def __init__(
        self,
        *,
        start: Annotated[int, Size("first position; a negative one counts from the end", low=-(2**31))] = 0,
        stop: Annotated[int | None, Size("first position left out; empty: to the end", low=-(2**31))] = None,
        step: Annotated[int, Size("positions from one to the next")] = 1,
        axis: Annotated[int, Size("axis that is cut; -1 is the last", low=-8, high=7)] = 1,
    ) -> None:
        super().__init__()
        self.start = start
        self.stop = stop
        self.step = step
        self.axis = axis

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """The ends lie in order, where both are counted from one side, and nothing lies before the first position."""
        start, stop = params["start"], params["stop"]
        if stop is not None and (stop == 0 or ((start < 0) == (stop < 0) and stop <= start)):
            yield Conflict(
                "stop",
                f"nothing lies from {start} up to, not including, {stop}",
                "`stop` must lie behind `start`",
                {"stop": (start + 1) or None},
            )

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It keeps everything."""
        return params["start"] == 0 and params["stop"] is None and params["step"] == 1

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, with fewer positions along the axis."""
        shape, start, stop, step = shapes["x"], params["start"], params["stop"], params["step"]
        at = axis_at(shape, params["axis"], port="x")
        size = shape[at]
        low, high = start + 1 if start >= 0 else -start, None
        if stop is not None:
            low = max(low, abs(stop))
            if start >= 0 > stop:
                low = max(low, start - stop + 1)
            elif start < 0 <= stop:
                high = stop - start - 1
        ends = f"from {start} up to, not including, {'the end' if stop is None else stop}"
        need.between(size, low=low, high=high, port="x", because=f"positions {ends} are taken")
        first: Dimension = start if start >= 0 else size + start
        last: Dimension = size if stop is None else stop if stop >= 0 else size + stop
        count = last - first
        return {"y": (*shape[:at], (count + step - 1) // step, *shape[at + 1 :])}

    def forward(self, x: Tensor) -> Tensor:
        size = x.shape[self.axis]
        first = self.start if self.start >= 0 else size + self.start
        last = size if self.stop is None else self.stop if self.stop >= 0 else size + self.stop
        kept = x.narrow(self.axis, first, last - first)
        if self.step == 1:
            return kept
        return kept.transpose(0, self.axis)[:: self.step].transpose(0, self.axis)
