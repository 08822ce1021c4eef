"""What layers with filters share at run time: where weights start, how they are kept in bounds, what edges add."""

from __future__ import annotations

from torch import Tensor, nn


def start_within(bound: float, *tensors: Tensor | None) -> None:
    """Start tensors uniformly between -bound and bound; None stands for one that is left out."""
    for tensor in tensors:
        if tensor is not None:
            nn.init.uniform_(tensor, -bound, bound)


def start_within_or_normal(bound: float, std: float | None, weight: Tensor, bias: Tensor | None) -> None:
    """Start both uniformly between -bound and bound; with a spread, the weight normally and the bias at zero."""
    if std is None:
        start_within(bound, weight, bias)
        return
    nn.init.normal_(weight, std=std)
    if bias is not None:
        nn.init.zeros_(bias)


def reparametrize(module: nn.Module, kind: str, axis: int = 0) -> None:
    """Let a module compute its `weight` anew at each use; `axis` is that of the results.

    "spectral" divides it by its largest singular value, found by power iteration in training; "weight" makes it a
    direction times a length for each result; "none" leaves it.
    """
    if kind == "spectral":
        nn.utils.parametrizations.spectral_norm(module, dim=axis)
    elif kind == "weight":
        nn.utils.parametrizations.weight_norm(module)


def margins(kernel_size: int, dilation: int, padding: int | None) -> tuple[int, int]:
    """How much is added before and after an axis under a sliding window; a padding of None keeps its size."""
    if padding is not None:
        return padding, padding
    span = dilation * (kernel_size - 1)
    return span // 2, span - span // 2


def edges(kernel_size: int, dilation: int, padding: int | None, mode: str) -> tuple[int, tuple[int, int] | None]:
    """What a convolution adds at both edges by itself, and what must be added beforehand because it cannot."""
    before, after = margins(kernel_size, dilation, padding)
    return (before, None) if mode == "zeros" and before == after else (0, (before, after))
