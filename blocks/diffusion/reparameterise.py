from __future__ import annotations

from torch import Tensor

from blocks.spec import Block, Port


class Reparameterise(Block, category="Diffusion and image"):
    """Draw from a normal distribution in a way that gradients pass through: the latent code of a VAE.

    z = mean + exp(log_var / 2) ⊙ noise; three tensors of one shape → that shape. The noise comes in from outside, as
    normal numbers from a feature input: then the same noise gives the same code, and exports need no random numbers of
    their own; without it, zeros give the mean. Kingma and Welling 2013, arXiv 1312.6114.
    """

    synonyms = (
        "reparameterization trick",
        "vae sampling",
        "reparametrization",
        "reparameterize",
        "vae",
        "sample",
        "latent",
        "gaussian",
        "normal distribution",
    )
    equation = r"z = \mathrm{mean} + e^{\mathrm{log\_var}/2} \odot \mathrm{noise}"
    inputs = {
        "mean": Port("...", dtype="float"),
        "log_var": Port("...", dtype="float", doc="logarithm of the variance"),
        "noise": Port("...", dtype="float", doc="normal numbers"),
    }
    outputs = {"z": Port("...")}

    def forward(self, mean: Tensor, log_var: Tensor, noise: Tensor) -> Tensor:
        return mean + (log_var / 2).exp() * noise
