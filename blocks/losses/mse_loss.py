from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Choice, Port


class MSELoss(Block, category="Losses"):
    """The mean of the squared differences between a prediction and its target.

    y = mean((prediction - target)²), or with `sample_sum` Σ (prediction - target)² over each sample, then the mean over
    the batch; both of one shape → one number. For regression; as the sum it is the reconstruction term of a VAE whose
    pixels are normal.
    """

    title = "MSE loss"
    synonyms = ("mean squared error", "l2", "regression", "reconstruction")
    equation = (
        r"\mathrm{loss} = \frac{1}{N} \sum_i (\mathrm{prediction}_i - \mathrm{target}_i)^2 \\"
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
            return functional.mse_loss(prediction, target)
        return functional.mse_loss(prediction, target, reduction="sum") / prediction.shape[0]
