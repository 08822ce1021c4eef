from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Conflict, Flag, Number, Port, Text

NUMBER = r" *[-+]?[0-9]{1,20}(\.[0-9]{0,20})?(e[-+]?[0-9])? *"
ENTRIES = rf" *|{NUMBER}(,{NUMBER})*"


class Constant(Block, category="Arithmetic"):
    """A tensor that is the same for every input: a fixed number everywhere, given numbers, or learned.

    `shape` is numbers with commas between, such as "1, 16, 256"; empty is a single number. Axes of size 1 stretch where
    it meets other tensors. `entries` gives each number, row by row, in place of one `value` everywhere: a matrix that
    the drawing carries. `learned` makes it a weight: latent queries of a Perceiver or the first input of StyleGAN
    (Karras et al. 2018, arXiv 1812.04948). It then starts normal around those numbers with a spread of `init_std`.
    """

    synonyms = (
        "number",
        "parameter",
        "learned queries",
        "perceiver",
        "learned input",
        "latent",
        "query",
        "zeros",
        "ones",
        "bias",
        "matrix",
    )
    equation = r"y = \mathrm{value}"
    shown = ("shape", "value", "entries")
    inputs = {}
    outputs = {"y": Port("...", kind="features", dtype="float")}

    def __init__(
        self,
        *,
        shape: Annotated[
            str, Text("its sizes", r" *([1-9][0-9]*( *, *[1-9][0-9]*)* *)?", "numbers with commas between, as 1, 16")
        ] = "1",
        value: Annotated[float, Number("what stands everywhere")] = 1.0,
        entries: Annotated[
            str, Text("its numbers row by row, not one value", ENTRIES, "numbers with commas between, as 1, -0.5")
        ] = "",
        learned: Annotated[bool, Flag("whether it is a weight that starts there")] = False,
        init_std: Annotated[float, Number("spread of the starting weights", low=0.0)] = 0.02,
    ) -> None:
        super().__init__()
        sizes = [int(size) for size in shape.split(",") if size.strip()]
        start = torch.full(sizes, value)
        if entries.strip():
            start = torch.tensor([float(entry) for entry in entries.split(",")]).view(sizes)
        self.value: Tensor
        if learned:
            self.value = nn.Parameter(start)
            with torch.no_grad():
                self.value.add_(torch.randn(sizes), alpha=init_std)
        else:
            self.register_buffer("value", start, persistent=False)

    @classmethod
    def conflicts(cls, params: Params) -> Iterator[Conflict]:
        """There are as many entries as places."""
        entries = params["entries"].count(",") + 1 if params["entries"].strip() else 0
        places = math.prod(int(size) for size in params["shape"].split(",") if size.strip())
        if entries not in (0, places):
            yield Conflict(
                "entries",
                f"{entries} {'number is' if entries == 1 else 'numbers are'} given for {places} places",
                "each place of `shape` takes one",
                {"shape": str(entries)},
            )

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes that are given."""
        return {"y": tuple(int(size) for size in params["shape"].split(",") if size.strip())}

    def forward(self) -> Tensor:
        return self.value
