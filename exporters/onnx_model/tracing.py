"""Trace a model with torch.export, its free axes kept free."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch._dynamo.exc import UserError
from torch.export import Dim as Axis
from torch.export import ExportedProgram

from blocks.dimensions import Dim
from exporters.base import ExportError
from exporters.onnx_model.converting import named, quiet
from exporters.onnx_model.recurrent import as_one_operator
from exporters.trials import Range, random_inputs, ranges, tracing_sizes
from graph.places import GroupPlace, Place, places
from graph.probes.taps import watch

if TYPE_CHECKING:
    from graph.plan import Plan


@dataclass(frozen=True)
class Trace:
    """A traced model.

    Args:
        program: what torch.export made of it.
        symbols: the tracer's name for a size → the axis, how many of it make up the axis, and how much more there is.
        warnings: what a user should know, in sentences.
    """

    program: ExportedProgram
    symbols: dict[str, tuple[str, int, int]]
    warnings: tuple[str, ...]


def trace(model: nn.Module, plan: Plan) -> Trace:
    """Trace a model at sizes that show nothing special, every axis of its inputs free.

    Raises:
        ExportError: it cannot be traced; the place is the block that was running.
    """
    inputs = random_inputs(plan, tracing_sizes(plan))
    known = ranges(plan)
    fixed = [name for name, one in known.items() if one.high is not None and one.fitting.downwards(one.high) <= one.low]
    warnings = [f"{name} can only be {known[name].low}, so it is fixed in the file." for name in fixed]
    free = {name: one for name, one in known.items() if name not in fixed}
    try:
        program = _export(model, plan, inputs, _named(free))
    except ExportError as error:
        if not isinstance(error.__cause__, UserError):
            raise
        # the tracer found a relation between sizes that the drawing does not know; the comparison is the judge of it
        program = _export(model, plan, inputs, dict.fromkeys(free, Axis.DYNAMIC))
        warnings.append(f"The tracer would have fixed a size: {error}")
    return Trace(program, _symbols(program, plan, known), tuple(warnings))


def _export(model: nn.Module, plan: Plan, inputs: tuple[torch.Tensor, ...], axes: dict[str, Any]) -> ExportedProgram:
    running = [""]

    def enter(place: Place | GroupPlace, *_: Any) -> None:
        running[0] = place.module

    with watch(model, places(plan), before=enter), as_one_operator(model), quiet():
        try:
            return torch.export.export(
                model,
                inputs,
                dynamic_shapes=_shapes(plan, axes),
                strict=False,
                # otherwise a size of 1 halfway, as after pooling a height of 2, is forbidden for all time
                prefer_deferred_runtime_asserts_over_guards=True,
            )
        except Exception as error:
            address, at = named(running[0], plan)
            raise ExportError(f"The model cannot be traced{at}: {_reason(error)}.", address) from error


def _named(free: dict[str, Range]) -> dict[str, Any]:
    """Axes for the tracer; one that leaves one remainder is a multiple of an axis of its own, and that much more."""
    axes: dict[str, Any] = {}
    for name, one in free.items():
        single = one.step > 1 and len(one.fitting.allowed) == 1
        step, more = (one.step, one.fitting.allowed[0]) if single else (1, 0)
        bounds = {"min": (one.low - more) // step}
        if one.high is not None:
            bounds["max"] = (one.high - more) // step
        axis = step * Axis(f"_{name}", **bounds) if single else Axis(name, **bounds)
        axes[name] = axis + more if more else axis
    return axes


def _shapes(plan: Plan, axes: dict[str, Any]) -> tuple[dict[int, Any], ...]:
    return tuple(
        {place: axes[str(size)] for place, size in enumerate(entry.signal.shape) if str(size) in axes}
        for entry in plan.entries
    )


def _symbols(program: ExportedProgram, plan: Plan, known: dict[str, Range]) -> dict[str, tuple[str, int, int]]:
    """Which of the tracer's sizes belong to which axis."""
    found: dict[str, tuple[str, int, int]] = {}
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    for entry, name in zip(plan.entries, program.graph_signature.user_inputs, strict=True):
        value = values.get(str(name))
        if not isinstance(value, torch.Tensor):
            continue
        for size, traced in zip(entry.signal.shape, value.shape, strict=True):
            match = re.fullmatch(r"(?:(\d+)\*)?(\w+)(?: \+ (\d+))?", str(traced))
            if isinstance(size, Dim) and match and not match[2].isdecimal():
                found[match[2]] = (str(size), int(match[1] or 1), int(match[3] or 0))
            elif isinstance(size, Dim) and not known[str(size)].high:
                raise ExportError(f"The axis {size} would be fixed to {traced} in the file.", entry.id)
    return found


def _reason(error: BaseException) -> str:
    """The heart of a tracer's message, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line.removeprefix("- ") for line in lines if line.startswith("- ")] or lines or [type(error).__name__]
    return " ".join(told[0].split()).rstrip(".")
