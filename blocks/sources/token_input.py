from __future__ import annotations

from typing import Annotated

from blocks.dimensions import named
from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port, Size, Text

AXIS = r"[a-z][a-z0-9_]*"


class TokenInput(Block, category="Sources"):
    """Token ids that come into the model: a text, cut into pieces and numbered.

    Integers of shape (batch, seq) from 0 up to, not including, `vocab`. `sequence` names the second axis: two inputs
    whose axes have one name have one length.
    """

    title = "Token input"
    synonyms = ("text", "ids", "tokens", "prompt")
    role = "source"
    shown = ("vocab",)
    inputs = {}
    outputs = {"tokens": Port("batch sequence", kind="tokens", dtype="integer", below="vocab", doc="token ids")}

    def __init__(
        self,
        *,
        vocab: Annotated[int, Size("different tokens")] = 256,
        sequence: Annotated[str, Text("name of the sequence axis", AXIS, "a lower-case name")] = "seq",
    ) -> None:
        super().__init__()

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """(batch, seq)."""
        return {"tokens": (named("batch"), named(params["sequence"]))}
