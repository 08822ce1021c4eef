from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size


class TimeStepInput(Block, category="Sources"):
    """The time step of a diffusion or flow model: one number per sample.

    Numbers of shape (batch). Samples are drawn from 0 up to, not including, `steps`. Wire it to a timestep embedding.
    """

    title = "Time step input"
    synonyms = ("diffusion step", "timestep", "noise level", "t")
    role = "source"
    shown = ("steps",)
    inputs = {}
    outputs = {"t": Port("batch", kind="number", dtype="float", below="steps", doc="one number per sample")}

    def __init__(self, *, steps: Annotated[int, Size("time steps to draw samples from")] = 1000) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(batch)."""
        return {"t": (named("batch"),)}
