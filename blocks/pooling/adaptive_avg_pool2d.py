from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Port, Size


class AdaptiveAvgPool2d(Block, category="Pooling"):
    """Bring a picture of any size to a fixed one, keeping the mean of each part.

    y[r, c] is the mean over rows ⌊r·height/rows⌋ … ⌈(r + 1)·height/rows⌉ - 1 and columns alike; parts overlap where the
    size does not divide. (batch, channels, height, width) → (batch, channels, rows, columns). Before linear layers that
    need a fixed size, as in VGG. He et al. 2014, arXiv 1406.4729.
    """

    title = "Adaptive average pool 2D"
    synonyms = ("adaptive pooling", "fixed size", "spatial pyramid", "avgpool")
    equation = (
        r"y_{c,r,q} = \frac{1}{|I_r|\,|J_q|} \sum_{i \in I_r} \sum_{j \in J_q} x_{c,i,j} \\"
        r"I_r = \{\lfloor \tfrac{r H}{\mathrm{rows}} \rfloor, \ldots, \lceil \tfrac{(r+1) "
        r"H}{\mathrm{rows}} \rceil - 1\} \\"
        r"J_q \;\text{alike, with}\; W \;\text{and}\; \mathrm{columns}"
    )
    shown = ("rows", "columns")
    inputs = {"x": Port("batch channels height width", kind="image", dtype="float")}
    outputs = {"y": Port("batch channels rows columns", kind="image")}

    def __init__(
        self,
        *,
        rows: Annotated[int, Size("height that comes out", high=65536)] = 7,
        columns: Annotated[int, Size("width that comes out", high=65536)] = 7,
    ) -> None:
        super().__init__()
        self.size = (rows, columns)

    def forward(self, x: Tensor) -> Tensor:
        return functional.adaptive_avg_pool2d(x, self.size)
