from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.spec import Block, Choice, Port


class BinaryCrossEntropy(Block, category="Losses"):
    """How badly scores fit yes-or-no targets; it takes the scores themselves, before any sigmoid.

    y = mean(-t · log σ(x) - (1 - t) · log(1 - σ(x))) with scores x and targets t from 0 to 1, or with `sample_sum` the
    sum over each sample, then the mean over the batch; both of one shape → one number. For several labels at once, for
    masks, for GAN discriminators, and as the reconstruction term of a VAE with pixels from 0 to 1.
    """

    synonyms = ("bce", "log loss", "BCEWithLogitsLoss", "logistic loss", "sigmoid loss", "multi-label", "discriminator")
    equation = (
        r"\mathrm{loss} = {-}\frac{1}{N} \sum_i [t_i \log p_i + (1 - t_i) \log(1 - p_i)] \\"
        r"p = \sigma(\mathrm{logits}), \quad t = \mathrm{target}, \quad \mathrm{sample\_sum}\text{:}\; N = \text{batch}"
    )
    shown = ("reduction",)
    inputs = {"logits": "batch ...", "target": Port("batch ...", dtype="float", doc="from 0 to 1")}
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

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        if self.reduction == "mean":
            return functional.binary_cross_entropy_with_logits(logits, target)
        return functional.binary_cross_entropy_with_logits(logits, target, reduction="sum") / logits.shape[0]
