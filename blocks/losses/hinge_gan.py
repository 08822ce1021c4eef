from __future__ import annotations

from typing import Annotated

from torch import Tensor
from torch.nn import functional

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Choice, Port


class HingeGAN(Block, category="Losses"):
    """The hinge losses of a GAN, from the scores that the discriminator gives.

    Discriminator: mean(max(0, 1 - real)) + mean(max(0, 1 + fake)); a score that is clear enough asks for no more.
    Generator: -mean(fake). Scores of any shape → one number. The usual choice with spectral norm, in SAGAN and BigGAN.
    Lim and Ye 2017, arXiv 1705.02894; Miyato et al. 2018, arXiv 1802.05957.
    """

    title = "Hinge GAN loss"
    synonyms = ("hinge loss", "adversarial loss", "discriminator loss", "generator loss", "sagan", "biggan")
    equation = (
        r"L_D = \mathbb{E}[(1 - \mathrm{real})_+] + \mathbb{E}[(1 + \mathrm{fake})_+] \\"
        r"L_G = {-}\mathbb{E}[\mathrm{fake}], \quad (u)_+ = \max(0, u)"
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
            return -fake.mean()
        return functional.relu(1 - real).mean() + functional.relu(1 + fake).mean()
