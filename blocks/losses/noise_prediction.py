from __future__ import annotations

from torch import Tensor

from blocks.spec import Block, Port


class NoisePrediction(Block, category="Losses"):
    """How far the noise that a diffusion model predicts is from the noise that was added.

    y = mean(w · (noise - predicted)²) with one weight w a sample, or 1 where nothing is wired there; both of one shape
    → one number. It is the simple loss of DDPM; a weight by the time step gives its variants. Ho et al. 2020,
    arXiv 2006.11239; Hang et al. 2023 (min-SNR weights), arXiv 2303.09556.
    """

    synonyms = ("ddpm", "diffusion loss", "epsilon", "denoising score matching", "simple loss", "min-snr")
    equation = (
        r"\mathrm{loss} = \frac{1}{N d} \sum_n w_n\,\|\epsilon_n - \hat{\epsilon}_n\|^2 \\"
        r"\epsilon = \mathrm{noise}, \quad \hat{\epsilon} = \mathrm{predicted}, \quad w = \mathrm{weight}"
    )
    inputs = {
        "predicted": "batch ...",
        "noise": Port("batch ...", dtype="float", doc="what was added"),
        "weight": Port("batch", kind="number", dtype="float", optional=True, doc="one number a sample"),
    }
    outputs = {"loss": Port("", kind="number")}

    def forward(self, predicted: Tensor, noise: Tensor, weight: Tensor | None = None) -> Tensor:
        error = (noise - predicted).square()
        if weight is None:
            return error.mean()
        return (error.reshape(error.shape[0], -1).mean(1) * weight).mean()
