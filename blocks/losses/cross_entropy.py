from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Params
from blocks.spec import Block, Port, Ratio, Size


class CrossEntropy(Block, category="Losses"):
    """How badly scores fit the right class; it takes the scores themselves, before any softmax.

    y = mean(-log softmax(x)[t]) over all positions, with scores x along the last axis and t the number of the right
    class; (..., classes) and (...) → one number. With `label_smoothing` s the target is 1 - s for the right class and s
    spread over all. Positions whose target is `ignored` do not count. For classifiers and language models, whose
    targets are the tokens one place on. Szegedy et al. 2015 (smoothing), arXiv 1512.00567.
    """

    synonyms = (
        "ce",
        "CrossEntropyLoss",
        "softmax loss",
        "softmax cross-entropy",
        "log loss",
        "negative log likelihood",
        "perplexity",
        "classification",
    )
    equation = (
        r"\mathrm{loss} = {-}\frac{1}{N} \sum_n \sum_c q_{n,c} \log \mathrm{softmax}(x_n)_c \\"
        r"q_{n,c} = (1 - s)\,[c = t_n] + \tfrac{s}{\mathrm{classes}} \\"
        r"x = \mathrm{logits}, \quad t = \mathrm{target}, \quad s = \mathrm{label\_smoothing}"
    )
    shown = ("label_smoothing",)
    inputs = {
        "logits": "... classes",
        "target": Port("...", kind="tokens", dtype="integer", below="classes", doc="number of the right class"),
    }
    outputs = {"loss": Port("", kind="number", dtype="float")}

    def __init__(
        self,
        *,
        label_smoothing: Annotated[float, Ratio("share of the target spread over all classes")] = 0.0,
        ignored: Annotated[int, Size("target that does not count", low=-(2**31))] = -100,
    ) -> None:
        super().__init__()
        self.label_smoothing = label_smoothing
        self.ignored = ignored

    @classmethod
    def takes(cls, port: str, largest: int, below: int, params: Params) -> bool:
        """Numbers of classes, and the one that does not count."""
        return largest < below + (params["ignored"] == below)

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        classes = logits.shape[-1]
        return functional.cross_entropy(
            logits.reshape(-1, classes),
            target.reshape(-1),
            ignore_index=self.ignored,
            label_smoothing=self.label_smoothing,
        )
