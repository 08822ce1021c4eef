"""Blocks that torch has a class for: the file says `nn.Conv2d(...)` where that is the same module to the last bit.

Same operator, same names in the state_dict, same start. A start of its own (`init_std`) is a line behind it.
`nn.GroupNorm` is not among them: it refuses a single sample of a single pixel, which our block takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph.plan import BlockStep


@dataclass(frozen=True)
class Native:
    """A class of torch.nn.

    Args:
        name: what torch calls it.
        by_position: parameters of the block, in torch's order.
        by_name: parameters of the block that torch calls the same → torch's default.
        spelled: what torch calls a value of such a parameter, where it is another.
    """

    name: str
    by_position: tuple[str, ...]
    by_name: Mapping[str, Any] = field(default_factory=dict)
    spelled: Mapping[tuple[str, Any], Any] = field(default_factory=dict)


def _convolution(name: str) -> Native:
    by_name = {
        "kernel_size": None,
        "stride": 1,
        "padding": 0,
        "dilation": 1,
        "groups": 1,
        "bias": True,
        "padding_mode": "zeros",
    }
    return Native(name, ("in_channels", "out_channels"), by_name, {("padding", None): "same"})


def _transposed(name: str) -> Native:
    by_name = {
        "kernel_size": None,
        "stride": 1,
        "padding": 0,
        "output_padding": 0,
        "groups": 1,
        "bias": True,
        "dilation": 1,
    }
    return Native(name, ("in_channels", "out_channels"), by_name)


NATIVE: Mapping[str, Native] = {
    "Linear": Native("Linear", ("in_features", "out_features"), {"bias": True}),
    "Dropout": Native("Dropout", ("p",)),
    "Embedding": Native("Embedding", ("vocab", "dim")),
    "LayerNorm": Native("LayerNorm", ("dim",), {"eps": 1e-5, "bias": True}),
    "RMSNorm": Native("RMSNorm", ("dim",), {"eps": None}),
    **{name: _convolution(name) for name in ("Conv1d", "Conv2d", "Conv3d")},
    **{name: _transposed(name) for name in ("ConvTranspose1d", "ConvTranspose2d")},
}


REPARAMETRIZATIONS = {"spectral": "spectral_norm", "weight": "weight_norm"}
OURS = ("init_std", "reparametrization")
"""Parameters that torch's classes do not have; each becomes a statement behind the module."""


def native(step: BlockStep) -> Native | None:
    """Torch's own class for a block, or None; a parameter that torch's does not have must be at its default."""
    found = NATIVE.get(step.block.__name__) if step.block.__module__.partition(".")[0] == "blocks" else None
    if found is None:
        return None
    known = {*found.by_position, *found.by_name}
    if any(step.params[name] is None and (name, None) not in found.spelled for name in known):
        return None  # a value that the block works out
    if step.params.get("padding", 0) is None and step.params["dilation"] * (step.params["kernel_size"] - 1) % 2:
        return None  # torch warns of a padding that is not alike at both edges
    others = [param for param in step.block.params() if param.name not in known and param.name not in OURS]
    return found if all(step.params[param.name] == param.default for param in others) else None


def reparametrize(path: str, kind: str) -> list[str]:
    """Statements that let a module of torch's compute its weight anew at each use."""
    return [f"nn.utils.parametrizations.{REPARAMETRIZATIONS[kind]}({path})"] if kind != "none" else []


def start(path: str, biased: bool, std: str) -> list[str]:
    """Statements that give a module the start that its block's `init_std` asks for."""
    lines = [f"nn.init.normal_({path}.weight, std={std})"]
    return [*lines, f"nn.init.zeros_({path}.bias)"] if biased else lines
