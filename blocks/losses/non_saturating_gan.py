from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Port


class NonSaturatingGAN(Block, category="Losses"):
    """The losses of the first GANs, from the scores that the discriminator gives, before any sigmoid.

    Discriminator: mean(-log σ(real)) + mean(-log(1 - σ(fake))). Generator: mean(-log σ(fake)), which learns fastest
    where it is caught, unlike log(1 - σ(fake)). Scores of any shape → one number. DCGAN and StyleGAN are trained with
    it. Goodfellow et al. 2014, arXiv 1406.2661.
    """

    title = "Non-saturating GAN loss"
    synonyms = ("gan loss", "adversarial loss", "discriminator loss", "generator loss", "dcgan", "stylegan", "minimax")
    equation = (
        r"L_D = {-}\mathbb{E}[\log \sigma(\mathrm{real})] - \mathbb{E}[\log(1 - \sigma(\mathrm{fake}))] \\"
        r"L_G = {-}\mathbb{E}[\log \sigma(\mathrm{fake})]"
    )
    shown = ("player",)
    inputs = {
        "fake": Port("...", dtype="float", doc="scores of generated samples"),
        "real": Port("...", dtype="float", doc="scores of true samples, for the discriminator"),
    }
    outputs = {"loss": Port("", kind="number")}

    def __init__(
        self,
        *,
        player: Annotated[str, Choice("whose loss it is", ("discriminator", "generator"))] = "discriminator",
    ) -> None:
        super().__init__()

    @classmethod
    def ports(cls, params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
        """The generator's loss looks at generated samples only."""
        inputs, outputs = super().ports(params)
        if params["player"] == "generator":
            del inputs["real"]
        return inputs, outputs

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """One number, whatever the shapes."""
        return {"loss": ()}

    def forward(self, fake: Tensor, real: Tensor | None = None) -> Tensor:
        if real is None:
            return functional.softplus(-fake).mean()
        return functional.softplus(-real).mean() + functional.softplus(fake).mean()
