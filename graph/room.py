"""Whether a model and a run fit on a device, said in numbers before anything is allocated."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import torch

from blocks.dimensions import evaluate
from graph.estimate import DTYPES, count_parameters, estimate, short_name
from graph.machine import available_memory, bytes_text
from graph.places import attentions, places
from graph.plan import Plan

ROOMY = 16
"""Intermediate values of a block against its output, at most; below that no trace is needed to know that it fits."""


class RunError(ValueError):
    """A run that cannot be; one sentence."""


def pick_device(name: str) -> torch.device:
    """The device of that name; "auto" is a CUDA device where there is one.

    Raises:
        RunError: this machine has no such device.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise RunError(f"There is no device called {name!r}; try cpu or cuda.") from None
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and (device.index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not there.get(device.type, False):
        raise RunError(f"This machine has no device {name}.")
    return device


def pick_dtype(name: str) -> torch.dtype:
    """The number type of that name.

    Raises:
        RunError: there is no such type.
    """
    if name not in DTYPES:
        raise RunError(f"There is no number type {name!r}; choose one of {', '.join(DTYPES)}.")
    return DTYPES[name]


def refuse_model(plan: Plan, device: torch.device, dtype: torch.dtype, held: int) -> None:
    """Raise RunError when the weights of a plan do not fit.

    Args:
        plan: what is to be built.
        device: where.
        dtype: as what.
        held: bytes that are in use now and would be freed or used again.
    """
    _, unique = count_parameters(plan)
    needed = unique * dtype.itemsize
    free = available_memory(device)
    if free is not None and needed > free + held:
        raise RunError(
            f"The weights need {bytes_text(needed)} ({unique:,} parameters in {short_name(dtype)}), but "
            f"{bytes_text(free + held)} of memory are free on {_named(device)}: fewer or narrower layers"
            f"{_narrower(dtype)} would fit."
        )


def refuse_run(plan: Plan, sizes: Mapping[str, int], device: torch.device, dtype: torch.dtype) -> None:
    """Raise RunError when what a run makes beside the weights does not fit; most runs plainly do."""
    free = available_memory(device)
    if free is None or ROOMY * _outputs(plan, sizes) * dtype.itemsize < free:
        return
    expected = estimate(plan, sizes, dtype=short_name(dtype))
    needed = expected.at_peak["activations"]
    if needed > free:
        raise RunError(
            f"This run needs {bytes_text(needed)} beside its weights, the most of it in {expected.peak_at['title']}, "
            f"but {bytes_text(free)} of memory are free on {_named(device)}: a smaller "
            f"{' or '.join(sorted(sizes))}{_narrower(dtype)} would fit."
        )


def _named(device: torch.device) -> str:
    """The device as the window calls it: CPU, cuda:0."""
    return "CPU" if device.type == "cpu" else str(device)


def _outputs(plan: Plan, sizes: Mapping[str, int]) -> int:
    """Numbers in the outputs of all blocks, with a square of scores for attention that may run unfused."""
    total = 0
    for place in places(plan):
        for _, signal in place.step.outputs:
            total += prod(evaluate(size, sizes) for size in signal.shape)
        for _ in attentions(place):
            shape = [evaluate(size, sizes) for size in place.step.outputs[0][1].shape]
            total += shape[0] * int(place.step.params.get("num_heads") or 1) * shape[-2] ** 2
    return total


def _narrower(dtype: torch.dtype) -> str:
    return " or bfloat16" if dtype.itemsize > 2 else ""
