"""One call of a block, and what turns it into shapes and tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from blocks import catalogue
from blocks.dimensions import Dim, evaluate, named
from blocks.spec import Block

SIZES = {"batch": 3, "seq": 7, "source_seq": 5, "height": 13, "width": 11, "depth": 9, "length": 15}


@dataclass(frozen=True)
class Call:
    """One call of a block.

    Args:
        block: its name.
        shapes: a shape for each input that is wired, such as "batch seq 9"; a tuple of them for one with many wires.
        params: those that are not at their defaults.
        sizes: of the names in the shapes, where `SIZES` does not suit.
        positive: whether all numbers that come in are.
    """

    block: str
    shapes: Mapping[str, str | tuple[str, ...]]
    params: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    positive: bool = False

    @property
    def cls(self) -> type[Block]:
        """The block's class."""
        return catalogue()[self.block]

    @property
    def full(self) -> dict[str, Any]:
        """All parameters, those not set at their defaults."""
        return {param.name: param.default for param in self.cls.params()} | dict(self.params)

    @property
    def symbolic(self) -> dict[str, Any]:
        """The shapes with names for free sizes."""
        return self._each(_shape)

    def known(self, sizes: Mapping[str, int] | None = None) -> dict[str, int]:
        """A size for every name."""
        return SIZES | dict(self.sizes) | dict(sizes or {})

    def concrete(self, sizes: Mapping[str, int] | None = None) -> dict[str, Any]:
        """The shapes in numbers."""
        known = self.known(sizes)
        return self._each(lambda text: tuple(evaluate(size, known) for size in _shape(text)))

    def _each(self, read: Callable[[str], tuple[Any, ...]]) -> dict[str, Any]:
        return {
            name: tuple(map(read, given)) if isinstance(given, tuple) else read(given)
            for name, given in self.shapes.items()
        }

    def build(self, dtype: torch.dtype = torch.float32, device: str = "cpu", seed: int = 0) -> Block:
        """The module in evaluation, with every parameter and buffer drawn at random."""
        with torch.random.fork_rng(devices=[]), torch.device(device):
            torch.manual_seed(seed)
            module = self.cls(**self.params).to(dtype).eval()
            for name, tensor in module.state_dict(keep_vars=True).items():
                if tensor.is_floating_point() and device != "meta":
                    variance = name.endswith("running_var")
                    spread = torch.rand_like(tensor) if variance else torch.randn_like(tensor)
                    tensor.data.copy_(spread * (0.3 if tensor.dim() > 1 else 1.0) + variance * 0.5)
        return module

    def tensors(
        self, dtype: torch.dtype = torch.float32, sizes: Mapping[str, int] | None = None, device: str = "cpu"
    ) -> list[Tensor | None]:
        """Random arguments in the order of `forward`; None for an optional input that is not wired."""
        shapes = self.concrete(sizes)
        ports, _ = self.cls.ports(self.full)
        generator = torch.Generator().manual_seed(1)
        arguments: list[Tensor | None] = []
        for name, port in ports.items():
            if name not in shapes:
                arguments.append(None)
                continue
            for shape in shapes[name] if port.many else (shapes[name],):
                if port.dtype == "integer":
                    tensor = torch.randint(self.full.get("vocab", 10), shape, generator=generator)
                elif port.dtype == "bool":
                    tensor = torch.rand(shape, generator=generator) < 0.6
                elif name == "t":
                    tensor = (torch.rand(shape, generator=generator, dtype=torch.float64) * 999).to(dtype)
                else:
                    tensor = torch.randn(shape, generator=generator, dtype=torch.float64)
                    tensor = (tensor.abs() + 0.1 if self.positive else tensor).to(dtype)
                arguments.append(tensor.to(device))
        return arguments


def _shape(text: str) -> tuple[int | Dim, ...]:
    sizes: list[Any] = []
    for word in text.split():
        product: Any = 1
        for factor in word.split("*"):
            product = product * (int(factor) if factor.isdigit() else named(factor))
        sizes.append(product)
    return tuple(sizes)
