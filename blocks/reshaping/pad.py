from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape, axis_at
from blocks.spec import Block, Choice, Number, Port, Size


class Pad(Block, category="Reshaping"):
    """Add positions before and after an axis.

    They hold `value` (constant), the nearest position again (replicate), the positions mirrored at the end (reflect),
    or those of the other end (circular). A causal Conv 1D has dilation · (kernel_size - 1) positions added before the
    series and none after it.
    """

    synonyms = ("padding", "ZeroPadding2D", "border", "margin", "causal padding", "mirror", "extend")
    equation = (
        r"y_i = x_{i - \mathrm{before}} \;\text{for}\; \mathrm{before} \le i < \mathrm{before} + n \\"
        r"\text{constant:}\quad y_i = \mathrm{value} \;\text{elsewhere}"
    )
    shown = ("before", "after", "axis")
    inputs = {"x": "..."}
    outputs = {"y": Port("...")}

    def __init__(
        self,
        *,
        before: Annotated[int, Size("positions added before", low=0, high=65536)] = 1,
        after: Annotated[int, Size("positions added after", low=0, high=65536)] = 1,
        axis: Annotated[int, Size("axis that grows; -1 is the last", low=-8, high=7)] = -1,
        mode: Annotated[str, Choice("what is added", ("constant", "reflect", "replicate", "circular"))] = "constant",
        value: Annotated[float, Number("the constant")] = 0.0,
    ) -> None:
        super().__init__()
        self.before = before
        self.after = after
        self.axis = axis
        self.mode = mode
        self.value = value

    @classmethod
    def is_identity(cls, params: Params) -> bool:
        """It adds nothing."""
        return params["before"] == params["after"] == 0

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The shape that comes in, with a longer axis."""
        shape, mode = shapes["x"], params["mode"]
        at = axis_at(shape, params["axis"], port="x")
        most = max(params["before"], params["after"])
        if most and mode in ("reflect", "circular"):
            low = most + (mode == "reflect")
            need.between(shape[at], low=low, port="x", because=f"{mode} padding takes {most} positions from it")
        return {"y": (*shape[:at], shape[at] + (params["before"] + params["after"]), *shape[at + 1 :])}

    def forward(self, x: Tensor) -> Tensor:
        if self.mode == "constant":
            behind = x.dim() - 1 - self.axis if self.axis >= 0 else -1 - self.axis
            return functional.pad(x, (*(0, 0) * behind, self.before, self.after), value=self.value)
        rows = x.movedim(self.axis, -1)
        longer = functional.pad(rows.reshape(1, -1, rows.shape[-1]), (self.before, self.after), mode=self.mode)
        return longer.reshape(*rows.shape[:-1], -1).movedim(-1, self.axis)
