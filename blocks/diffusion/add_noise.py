from __future__ import annotations

from torch import Tensor

from blocks.spec import Block, Port


class AddNoise(Block, category="Diffusion and image"):
    """Mix a picture with noise, each sample at its own time step: what a diffusion model learns to undo.

    y = signal · x + spread · noise, with one signal and one spread a sample; (batch, ...), (batch, ...), (batch),
    (batch) → (batch, ...). Signal and spread come from a Noise schedule; the network then gets y and the time step, and
    its result is compared with the noise. Ho et al. 2020, arXiv 2006.11239.
    """

    synonyms = ("q sample", "forward process", "diffusion", "ddpm", "corrupt", "noising")
    equation = (
        r"y = \mathrm{signal} \cdot x + \mathrm{spread} \cdot \mathrm{noise} \\"
        r"x_t = \sqrt{\bar{\alpha}_t}\,x_0 + \sqrt{1 - \bar{\alpha}_t}\,\epsilon"
    )
    inputs = {
        "x": Port("batch ...", dtype="float", doc="the clean picture"),
        "noise": Port("batch ...", dtype="float", doc="normal numbers"),
        "signal": Port("batch", kind="number", dtype="float", doc="factor of x"),
        "spread": Port("batch", kind="number", dtype="float", doc="factor of the noise"),
    }
    outputs = {"y": Port("batch ...")}

    def forward(self, x: Tensor, noise: Tensor, signal: Tensor, spread: Tensor) -> Tensor:
        shape = (-1,) + (1,) * (x.dim() - 1)
        return signal.view(shape) * x + spread.view(shape) * noise
