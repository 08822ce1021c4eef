from __future__ import annotations

import torch
from torch import Tensor

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Port


class PrefixPosition(Block, category="Position"):
    """Count positions twice: where a token belongs in the text, and where it stands in a blank.

    The first `prefix` tokens of a sample, part A, count 0, 1, 2 … and have block position 0; those behind, part B, all
    have the position of the last token of A, the blank that they fill, and block positions 1, 2, 3 …;
    (batch, seq) and (batch) → twice (batch, seq). Wire both to a two-dimensional position, and the same `prefix` to the
    attention blocks. GLM: Du et al. 2022, arXiv 2103.10360.
    """

    title = "Prefix position"
    synonyms = ("GLM", "two-dimensional position", "block position", "prefix-LM", "position ids", "blank infilling")
    equation = (
        r"\mathrm{positions}_i = \min(i,\; \max(\mathrm{prefix} - 1,\, 0)) \\"
        r"\mathrm{block\_positions}_i = \max(i - \mathrm{prefix} + 1,\; 0)"
    )
    inputs = {
        "tokens": Port("batch seq", kind="tokens", dtype="integer", doc="a text, for its length"),
        "prefix": Port("batch", kind="number", dtype="integer", doc="tokens of part A"),
    }
    outputs = {
        "positions": Port("batch seq", kind="number", dtype="integer", doc="where each belongs"),
        "block_positions": Port("batch seq", kind="number", dtype="integer", doc="where each stands in part B"),
    }

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """Twice (batch, seq)."""
        axes = cls.unify(cls.inputs, shapes, params, need)
        whole = (axes["batch"], axes["seq"])
        return {"positions": whole, "block_positions": whole}

    def forward(self, tokens: Tensor, prefix: Tensor) -> tuple[Tensor, Tensor]:
        place = torch.arange(tokens.shape[1], device=tokens.device)
        last = (prefix.unsqueeze(-1) - 1).clamp(min=0)
        behind = place - prefix.unsqueeze(-1) + 1
        return torch.minimum(place, last), behind.clamp(min=0)
