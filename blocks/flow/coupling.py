"""What the couplings share: which part of x stays and which changes, and the network that reads the first."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn

from blocks.shapes import Params
from blocks.spec import Conflict, Port


def coupling_ports(params: Params) -> tuple[dict[str, Port], dict[str, Port]]:
    """Pictures for a convolutional network, vectors for a linear one."""
    image = params["network"] == "convolution"
    port = Port("batch channels height width" if image else "batch channels", "image" if image else "features", "float")
    return {"x": port}, {"y": port, "log_det": Port("batch", kind="number", doc="log |det ∂y/∂x| of each sample")}


def coupling_conflicts(params: Params) -> Iterator[Conflict]:
    """A single channel cannot be halved."""
    if params["mask"] == "channel" and params["channels"] < 2:
        yield Conflict(
            "mask",
            "one channel cannot be halved",
            "a `checkerboard` halves the pixels instead",
            {"mask": "checkerboard"},
        )


def coupling_network(network: str, channels: int, hidden: int, mask: str, swap: bool, outputs: int) -> nn.Sequential:
    """A small network from what stays to `outputs` numbers for each value that changes; it starts at zero."""
    first, second = channels // 2, channels - channels // 2
    kept, changed = (second, first) if swap else (first, second)
    if mask == "checkerboard":
        kept = changed = channels
    if network == "linear":
        last = nn.Linear(hidden, outputs * changed)
        layers = [nn.Linear(kept, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), last]
    else:
        last = nn.Conv2d(hidden, outputs * changed, 3, padding=1)
        layers = [nn.Conv2d(kept, hidden, 3, padding=1), nn.ReLU(), nn.Conv2d(hidden, hidden, 1), nn.ReLU(), last]
    for tensor in last.parameters():
        nn.init.zeros_(tensor)
    return nn.Sequential(*layers)


def coupling_factor(network: str, channels: int, mask: str, swap: bool) -> nn.Parameter:
    """A factor for the scales of each channel that changes; it starts at one."""
    changed = channels if mask == "checkerboard" else channels // 2 if swap else channels - channels // 2
    return nn.Parameter(torch.ones(changed) if network == "linear" else torch.ones(changed, 1, 1))


def changing(x: Tensor, swap: bool) -> Tensor:
    """A checkerboard over everything but samples and channels of pictures: 1 where x changes, 0 where it stays."""
    places = torch.arange(x.shape[-1], device=x.device)
    if x.dim() == 4:
        places = places + torch.arange(x.shape[-2], device=x.device).unsqueeze(-1)
    return ((places + (1 if swap else 0)) % 2).to(x.dtype)


def parted(x: Tensor, mask: str, swap: bool) -> tuple[Tensor, Tensor]:
    """What stays and what changes."""
    if mask == "checkerboard":
        free = changing(x, swap)
        return x * (1 - free), x * free
    half = x.shape[1] // 2
    first, second = x[:, :half], x[:, half:]
    return (second, first) if swap else (first, second)


def joined(kept: Tensor, changed: Tensor, mask: str, swap: bool) -> Tensor:
    """The two parts as one again."""
    if mask == "checkerboard":
        return kept + changed
    return torch.cat((changed, kept) if swap else (kept, changed), 1)
