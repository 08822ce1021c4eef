from __future__ import annotations

from typing import Annotated

from torch import Tensor

from blocks.functional import alibi
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size


class ALiBi(Block, category="Position"):
    """Make the bias that lowers attention scores with distance, in each head at its own slope.

    bias[h, i, j] = -slope[h] · |i - j|, as long as x: (..., seq, dim) → (num_heads, seq, seq). Slopes are 2^(-8/n),
    2^(-16/n) … 2^(-8) for n heads; where n is no power of two, those of the power below and every other one of the
    power above. Nothing to learn, and longer sequences than those of training work. Wire it to `score_bias` of an
    attention block; only the length of x is used. Press et al. 2021, arXiv 2108.12409.
    """

    title = "ALiBi"
    synonyms = ("attention with linear biases", "slopes", "relative position", "distance bias", "linear bias")
    equation = (
        r"y_{h,i,j} = {-}m_h\,|i - j| \\"
        r"m_h = 2^{-8h/n}, \quad 1 \le h \le n = \mathrm{num\_heads}"
    )
    shown = ("num_heads",)
    inputs = {"x": Port("... seq dim", dtype="float", doc="a sequence, for its length")}
    outputs = {"bias": Port("num_heads seq seq", kind="features", doc="to be added to scores")}

    def __init__(self, *, num_heads: Annotated[int, Size("heads that look")] = 8) -> None:
        super().__init__()
        self.num_heads = num_heads

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(num_heads, seq, seq)."""
        seq = cls.unify(cls.inputs, shapes, params, need)["seq"]
        return {"bias": (params["num_heads"], seq, seq)}

    def forward(self, x: Tensor) -> Tensor:
        return alibi(x, x, self.num_heads)
