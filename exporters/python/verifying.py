"""Compare an exported file with the compiled model to the last bit, in a process that has never seen Blockwright."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from exporters.base import ExportError
from exporters.python import trial
from exporters.trials import random_inputs, spelled, trial_sizes

if TYPE_CHECKING:
    from graph.plan import Plan

FEW = 3


def verify(model: nn.Module, plan: Plan, folder: Path) -> list[dict[str, int]]:
    """Run folder/model.py with its weights and compare; returns the sizes that were tried.

    Raises:
        ExportError: it does not run, has other tensors, or gives other numbers.
    """
    sizes = trial_sizes(plan)
    sizes = [*sizes[:FEW], *sizes[-1:]] if len(sizes) > FEW else sizes
    expected: list[tuple[Tensor, ...]] = []
    for number, size in enumerate(sizes):
        inputs = random_inputs(plan, size, seed=number)
        with torch.no_grad():
            result = model(*inputs)
        expected.append(result if isinstance(result, tuple) else (result,))
        named = {str(place): tensor.contiguous() for place, tensor in enumerate(inputs)}
        save_file(named, folder / f"inputs-{number}.safetensors")
    _run(folder, model)
    for number, (size, wanted) in enumerate(zip(sizes, expected, strict=True)):
        given = load_file(folder / f"outputs-{number}.safetensors")
        for place, (exit, tensor) in enumerate(zip(plan.exits, wanted, strict=True)):
            if not same_bits(tensor, given[str(place)]):
                raise ExportError(
                    f"The exported file gives other numbers than the drawing for {exit.name} at {spelled(size)}."
                )
    return sizes


def same_bits(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors are equal to the last bit, NaN and the sign of zero included."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    # an expanded tensor of one element counts as contiguous and keeps its stride of 0, which no view by bytes can have
    whole = torch.contiguous_format
    left, right = (tensor.clone(memory_format=whole).reshape(-1).view(torch.uint8) for tensor in (one, other))
    return torch.equal(left, right)


def _run(folder: Path, model: nn.Module) -> None:
    command = [sys.executable, "-I", str(trial.__file__), str(folder), str(torch.get_num_threads())]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, check=False)
    told = done.stdout.partition("\n")[0]
    keys: list[str] = json.loads(told) if told.startswith("[") else list(model.state_dict())
    if keys != list(model.state_dict()):
        raise ExportError(f"The exported file has other tensors than the drawing: {_first_difference(keys, model)}.")
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise ExportError(f"The exported file does not run by itself: {reason}.")


def _first_difference(keys: list[str], model: nn.Module) -> str:
    wanted = list(model.state_dict())
    missing = [key for key in wanted if key not in keys]
    extra = [key for key in keys if key not in wanted]
    if missing:
        return f"it lacks {missing[0]}"
    return f"it adds {extra[0]}" if extra else "they come in another order"
