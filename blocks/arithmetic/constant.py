from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor, nn

from blocks.shapes import Incoming, Needs, Params, Shape
from blocks.spec import Block, Flag, Number, Port, Text


class Constant(Block, category="Arithmetic"):
    """A tensor that is the same for every input: a fixed number everywhere, or learned.

    `shape` is numbers with commas between, such as "1, 16, 256"; empty is a single number. Axes of size 1 stretch where
    it meets other tensors. `learned` makes it a weight: latent queries of a Perceiver or the first input of StyleGAN
    (Karras et al. 2018, arXiv 1812.04948). It then starts normal around `value` with a spread of `init_std`.
    """

    synonyms = ("number", "learned input", "parameter", "latent", "query", "zeros", "ones", "bias")
    shown = ("value", "shape", "learned")
    inputs = {}
    outputs = {"y": Port("...", kind="features", dtype="float")}

    def __init__(
        self,
        *,
        shape: Annotated[
            str, Text("its sizes", r" *([1-9][0-9]*( *, *[1-9][0-9]*)* *)?", "numbers with commas between, as 1, 16")
        ] = "1",
        value: Annotated[float, Number("what stands everywhere")] = 1.0,
        learned: Annotated[bool, Flag("whether it is a weight that starts there")] = False,
        init_std: Annotated[float, Number("spread of the starting weights", low=0.0)] = 0.02,
    ) -> None:
        super().__init__()
        sizes = [int(size) for size in shape.split(",") if size.strip()]
        self.value: Tensor
        if learned:
            self.value = nn.Parameter(torch.empty(sizes))
            nn.init.normal_(self.value, value, init_std)
        else:
            self.register_buffer("value", torch.full(sizes, value), persistent=False)

    @classmethod
    def infer(cls, shapes: Incoming, params: Params, need: Needs) -> dict[str, Shape]:
        """The sizes that are given."""
        return {"y": tuple(int(size) for size in params["shape"].split(",") if size.strip())}

    def forward(self) -> Tensor:
        return self.value
