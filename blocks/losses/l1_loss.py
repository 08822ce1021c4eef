from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Choice, Port


class L1Loss(Block, category="Losses"):
    """The mean of the absolute differences between a prediction and its target.

    y = mean |prediction - target|, or with `sample_sum` Σ |prediction - target| over each sample, then the mean over
    the batch; both of one shape → one number. Outliers weigh less than under squares, and pictures come out sharper.
    """

    title = "L1 loss"
    synonyms = ("mae", "mean absolute error", "regression", "reconstruction")
    equation = (
        r"\mathrm{loss} = \frac{1}{N} \sum_i |\mathrm{prediction}_i - \mathrm{target}_i| \\"
        r"\mathrm{sample\_sum}\text{:}\; N = \text{batch}"
    )
    shown = ("reduction",)
    inputs = {"prediction": "batch ...", "target": "batch ..."}
    outputs = {"loss": Port("", kind="number")}

    def __init__(
        self,
        *,
        reduction: Annotated[
            str, Choice("the mean of all, or of the sums over each sample", ("mean", "sample_sum"))
        ] = "mean",
    ) -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, prediction: Tensor, target: Tensor) -> Tensor:
        if self.reduction == "mean":
            return functional.l1_loss(prediction, target)
        return functional.l1_loss(prediction, target, reduction="sum") / prediction.shape[0]
