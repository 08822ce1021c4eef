"""ONNX Runtime against PyTorch: the largest difference at several sizes, and where it begins when it is too large."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
import onnxruntime as runtime
import torch
from torch import Tensor, nn

from exporters.base import ExportError
from exporters.onnx_model.naming import block_of
from exporters.trials import random_inputs, spelled, trial_sizes
from graph.places import GroupPlace, Place, places
from graph.probes.taps import results, watch

if TYPE_CHECKING:
    from graph.plan import Plan

TOLERANCE = 1e-4
"""Largest difference allowed, for outputs up to 1 in size; larger ones may differ by as much more."""

ERRORS_ONLY = 3


@dataclass
class Comparison:
    """What came out: the largest difference, and at which sizes it was looked for."""

    max_abs_error: float = 0.0
    sizes: list[dict[str, int]] = field(default_factory=list)


def compare(model: ir.Model, file: Path, plan: Plan, module: nn.Module, progress: Any) -> Comparison:
    """Run a file and the model it was made from at several sizes.

    Raises:
        ExportError: the file does not load or run, or an output differs; it says at which size, and where it begins.
    """
    session = open_session(file)
    found = Comparison()
    tried = trial_sizes(plan)
    for number, sizes in enumerate(tried):
        progress(number, len(tried), f"Compare at {spelled(sizes)}")
        inputs = random_inputs(plan, sizes, seed=number)
        with torch.no_grad():
            result = module(*inputs)
        wanted = result if isinstance(result, tuple) else (result,)
        given = _run(session, plan, inputs, sizes)
        for exit, expected, array in zip(plan.exits, wanted, given, strict=True):
            error = difference(expected, array)
            if error > allowed(expected):
                place, begins = _first_difference(model, file.parent, plan, module, inputs)
                raise ExportError(
                    f"ONNX Runtime and PyTorch differ at {spelled(sizes)}: {exit.name} by {_number(error)}{begins}.",
                    place,
                )
            found.max_abs_error = max(found.max_abs_error, error)
        found.sizes.append(sizes)
    return found


def open_session(file: Path) -> runtime.InferenceSession:
    """ONNX Runtime on the CPU with a file."""
    options = runtime.SessionOptions()
    options.log_severity_level = ERRORS_ONLY
    options.intra_op_num_threads = torch.get_num_threads()
    try:
        return runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ExportError(f"ONNX Runtime cannot load the model: {_reason(error)}.") from error


def difference(expected: Tensor, given: np.ndarray) -> float:
    """The largest difference; infinite when shapes differ or only one has NaN or infinity at a place."""
    one = expected.detach().numpy()
    if one.shape != given.shape:
        return math.inf
    if one.size == 0:
        return 0.0
    one, other = one.astype(np.float64), given.astype(np.float64)
    finite = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return math.inf
    return float(np.abs(one - other, where=finite, out=np.zeros_like(one)).max())


def allowed(expected: Tensor) -> float:
    """How much an output may differ."""
    finite = expected[expected.isfinite()] if expected.is_floating_point() else expected
    return TOLERANCE * max(1.0, float(finite.abs().max())) if finite.numel() else TOLERANCE


def _run(
    session: runtime.InferenceSession, plan: Plan, inputs: tuple[Tensor, ...], sizes: dict[str, int]
) -> list[np.ndarray]:
    known = {one.name for one in session.get_inputs()}
    feed = {
        entry.name: tensor.numpy() for entry, tensor in zip(plan.entries, inputs, strict=True) if entry.name in known
    }
    try:
        return session.run([exit.name for exit in plan.exits], feed)  # type: ignore[return-value]
    except Exception as error:
        raise ExportError(f"ONNX Runtime stops at {spelled(sizes)}: {_reason(error)}.") from error


def _first_difference(
    model: ir.Model, folder: Path, plan: Plan, module: nn.Module, inputs: tuple[Tensor, ...]
) -> tuple[str, str]:
    """The address of the first block whose result differs, and the end of a sentence that says so."""
    candidates = dict(_results_of_blocks(model))
    names = [value.name for values in candidates.values() for value in values if value.name]
    added = [value for values in candidates.values() for value in values if not value.is_graph_output()]
    model.graph.outputs.extend(added)
    file = folder / "inside.onnx"
    try:
        ir.save(model, file, external_data="inside.onnx.data")
        session = open_session(file)
        feed = {entry.name: tensor.numpy() for entry, tensor in zip(plan.entries, inputs, strict=True)}
        arrays: dict[str, Any] = dict(zip(names, session.run(names, feed), strict=True))
    except Exception:  # the inside cannot be looked at; the difference itself is told all the same
        return "", ""
    finally:
        for value in added:
            model.graph.outputs.remove(value)
    seen: list[tuple[Place | GroupPlace, Tensor]] = []

    def after(place: Place | GroupPlace, output: Any) -> None:
        seen.extend((place, tensor) for _, tensor in results(place, output))

    with torch.no_grad(), watch(module, places(plan), after=after):
        module(*inputs)
    for place, tensor in seen:
        own = candidates.get(place.address) or candidates.get(place.plain) or []
        errors = [difference(tensor, arrays[value.name]) for value in own if value.name]
        if errors and min(errors) > allowed(tensor):
            return place.address, f"; it begins at {place.step.title} ({place.address})"
    return "", ""


def _results_of_blocks(model: ir.Model) -> Iterator[tuple[str, list[ir.Value]]]:
    """Block address → the values that other blocks, or the outside, read from it."""
    found: dict[str, list[ir.Value]] = {}
    for node in model.graph:
        block = block_of(node)
        for value in node.outputs:
            leaves = value.is_graph_output() or any(block_of(usage.node) != block for usage in value.uses())
            if block and leaves:
                found.setdefault(block, []).append(value)
    yield from found.items()


def _number(error: float) -> str:
    return "shape or NaN" if math.isinf(error) else f"{error:.2g}"


def _reason(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join((lines or [type(error).__name__])[0].split()).rstrip(".")
