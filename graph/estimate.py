"""What a plan needs before anything is allocated: parameters, operations, and memory with the place of its peak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import torch

from blocks.dimensions import evaluate
from graph.attention_cost import SRAM, SramError, attention_costs
from graph.counting import cached_numbers, count_buffers, count_learned, count_parameters, largest_parameter
from graph.parameters import ADDRESSABLE, count, parameter_shapes
from graph.places import Place, all_places, places
from graph.plan import BlockStep, GroupStep, Plan
from graph.sizes import SizeError, complete_sizes, default_sizes
from graph.tracing import Level, Moment, Trace, round_of, trace

__all__ = ["Estimate", "count_parameters", "default_sizes", "estimate", "short_name"]

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16, "float64": torch.float64}
SHALLOW = 2
"""Rounds of a deep repetition that are traced; once more with one round more, and the rest is a straight line."""
DEEP = 4
ENDLESS = ADDRESSABLE >> 8
"""Numbers in a tensor from which on no estimate is made; what a block makes inside may be some times as large."""


class EstimateError(ValueError):
    """An estimate that cannot be made as asked; one sentence."""


@dataclass(frozen=True)
class Estimate:
    """What a run needs; memory in bytes.

    Args:
        parameters: by use; a shared or tied tensor counts at each.
        parameters_unique: each tensor once, as published counts do.
        flops: one multiply-add is 2; attention counted in full; in training both directions.
        memory: parameters, activations (alive at the peak, with inputs and workspace), kv_cache (kept while decoding;
            no part of the peak), gradients and optimizer (in full), peak.
        at_peak: how the peak is made up.
        peak_at: where it is: address, title, phase, operation.
        nodes: for each node of the drawing, over all its rounds.
        attention: what score matrices would take and what attention moves; see `graph.attention_cost`.
        sizes: every axis.
        notes: what is not in the figures.
    """

    parameters: int
    parameters_unique: int
    flops: int
    memory: Mapping[str, int]
    at_peak: Mapping[str, int]
    peak_at: Mapping[str, str]
    nodes: tuple[Mapping[str, Any], ...]
    attention: Mapping[str, Any]
    sizes: Mapping[str, int]
    dtype: str
    training: bool
    notes: tuple[str, ...] = field(default=())

    def as_data(self) -> dict[str, Any]:
        """The estimate for `--json`."""
        return {
            "parameters": self.parameters,
            "parameters_unique": self.parameters_unique,
            "flops": self.flops,
            "memory": dict(self.memory),
            "at_peak": dict(self.at_peak),
            "peak_at": dict(self.peak_at),
            "nodes": [dict(node) for node in self.nodes],
            "attention": dict(self.attention),
            "sizes": dict(self.sizes),
            "dtype": self.dtype,
            "training": self.training,
            "notes": list(self.notes),
        }


def short_name(dtype: torch.dtype) -> str:
    """float32 for torch.float32."""
    return str(dtype).removeprefix("torch.")


def estimate(
    plan: Plan,
    sizes: Mapping[str, int] | None = None,
    *,
    training: bool = False,
    dtype: str = "float32",
    sram: int = SRAM,
) -> Estimate:
    """Predict a run on fake tensors.

    Args:
        plan: after the passes.
        sizes: axis → size, as far as they are to differ from the defaults.
        training: one step with AdamW rather than one pass.
        dtype: of weights and real inputs.
        sram: numbers that fit into the fast memory of one processor, for the traffic of attention.

    Raises:
        SizeError: the model cannot run at these sizes, or would hold a tensor that no machine can address.
        EstimateError: the number type is unknown, or no row of an attention fits into fast memory.
    """
    if dtype not in DTYPES:
        raise EstimateError(f"There is no number type {dtype!r}; choose one of {', '.join(DTYPES)}.")
    kind = DTYPES[dtype]
    whole = complete_sizes(plan, sizes or {})
    used, unique = count_parameters(plan)
    every = places(plan)
    _refuse_endless(plan, every, whole)
    try:
        found = _trace_deep(plan, whole, kind, training)
    except RuntimeError as error:
        if "overflow" not in str(error):
            raise
        raise SizeError("At these sizes, a block would make more inside than any machine can address.") from None
    try:
        attention = attention_costs(plan, whole, kind, sram)
    except SramError as error:
        raise EstimateError(str(error)) from None
    flops = found.flops
    width = kind.itemsize
    held = unique * width
    learned = count_learned(plan) * width
    optimizer = 2 * learned if training else 0
    buffers = count_buffers(plan) * width
    if training:
        step = Level(learned + 2 * largest_parameter(plan) * width, learned, "adamw")
        found.levels[Moment("optimizer", "", "")] = step
    moment, level = max(found.levels.items(), key=lambda item: item[1].live)
    at_peak = {
        "parameters": held,
        "buffers": buffers,
        "activations": level.live - level.gradients,
        "gradients": level.gradients,
        "optimizer": optimizer,
    }
    memory = {
        "parameters": held,
        "activations": at_peak["activations"],
        "kv_cache": cached_numbers(plan, whole) * width,
        "gradients": learned if training else 0,
        "optimizer": optimizer,
        "peak": sum(at_peak.values()),
    }
    titles = {place.plain: place.step.title for place in every}
    peak_at = {
        "address": moment.plain,
        "title": titles.get(moment.plain) or _phase_title(moment.phase),
        "phase": moment.phase,
        "operation": level.operation.removeprefix("aten.").partition(".")[0],
    }
    notes = tuple(f"{name} is not counted in the operations." for name in sorted(found.uncounted))
    nodes = _nodes(every, whole, flops, width)
    return Estimate(
        used, unique, sum(flops.values()), memory, at_peak, peak_at, nodes, attention, whole, dtype, training, notes
    )  # fmt: skip


def _refuse_endless(plan: Plan, every: list[Place], sizes: Mapping[str, int]) -> None:
    """Raise SizeError when a tensor is so large that torch cannot even pretend to have it."""
    for place in every:
        if any(prod(shape) >= ENDLESS for shape in parameter_shapes(place.step.block, place.step.params).values()):
            raise SizeError(f"The weights of {place.step.title} ({place.plain}) are more than any machine can address.")
    signals = [(entry.title, entry.signal) for entry in plan.entries]
    signals += [(place.step.title, signal) for place in every for _, signal in place.step.outputs]
    for title, signal in signals:
        if prod(evaluate(size, sizes) for size in signal.shape) >= ENDLESS:
            raise SizeError(f"At these sizes, {title} would be {signal}: more than any machine can address.")


def _phase_title(phase: str) -> str:
    return {"loss": "the loss", "optimizer": "the optimizer's step", "backward": "the way back"}.get(
        phase, "the inputs"
    )


def _nodes(
    every: list[Place], sizes: Mapping[str, int], flops: Mapping[str, int], width: int
) -> tuple[Mapping[str, Any], ...]:
    nodes: dict[str, dict[str, Any]] = {}
    modules: set[str] = set()
    for place in every:
        step = place.step
        node = nodes.setdefault(
            place.plain,
            {
                "address": place.plain,
                "title": step.title,
                "block": step.block.__name__,
                "rounds": 0,
                "parameters": 0,
                "flops": flops.get(place.plain, 0),
                "activations": 0,
                "shape": [size if isinstance(size, int) else str(size) for size in step.outputs[0][1].shape],
            },
        )
        node["rounds"] += 1
        node["parameters"] += count(step.block, step.params)
        modules.add(place.module)
        for _, signal in step.outputs:
            bytes_each = {"float": width, "integer": 8, "bool": 1}.get(signal.dtype, width)
            node["activations"] += prod(evaluate(size, sizes) for size in signal.shape) * bytes_each
    return tuple(nodes.values())


def _trace_deep(plan: Plan, sizes: Mapping[str, int], dtype: torch.dtype, training: bool) -> Trace:
    """The trace of a plan; deep repetitions are traced shallow and extended, operations by what a round more adds."""
    deep = {step.path: step.repeat for step in _deep(plan)}
    base_plan = _with_depths(plan, dict.fromkeys(deep, SHALLOW))
    base = trace(base_plan, sizes, dtype, training)
    flops = dict(base.flops)
    levels = {moment: replace(level) for moment, level in _ends(base.levels, base_plan).items()}
    for path, repeat in deep.items():
        depths = {**dict.fromkeys(deep, SHALLOW), path: SHALLOW + 1}
        taller_plan = _with_depths(plan, depths)
        found = trace(taller_plan, sizes, dtype, training)
        more = repeat - SHALLOW
        for plain, flop in found.flops.items():
            flops[plain] = flops.get(plain, 0) + more * (flop - base.flops.get(plain, 0))
        taller = _ends(found.levels, taller_plan)
        start = _ends(base.levels, base_plan)
        for moment, level in levels.items():
            if moment in taller and moment in start:
                level.live += more * (taller[moment].live - start[moment].live)
                level.gradients += more * (taller[moment].gradients - start[moment].gradients)
    return Trace(levels, flops, base.uncounted)


def _deep(plan: Plan) -> list[GroupStep]:
    """The outermost repetitions whose rounds are alike and many."""
    found: list[GroupStep] = []
    for step in plan.steps:
        if isinstance(step, BlockStep):
            continue
        alike = len(step.rounds) == 1 and all(exit.rounds != "stack" for exit in step.rounds[0].exits)
        if step.repeat > DEEP and alike:
            found.append(step)
        elif step.repeat == 1:
            found.extend(_deep(step.rounds[0]))
    return found


def _with_depths(plan: Plan, depths: Mapping[tuple[str, ...], int]) -> Plan:
    if not depths:
        return plan
    steps = []
    for step in plan.steps:
        if isinstance(step, GroupStep):
            if step.path in depths:
                step = replace(step, repeat=depths[step.path])
            elif step.repeat == 1:
                step = replace(step, rounds=tuple(_with_depths(inside, depths) for inside in step.rounds))
        steps.append(step)
    return replace(plan, steps=tuple(steps))


def _ends(levels: Mapping[Moment, Level], plan: Plan) -> dict[Moment, Level]:
    """The levels with rounds named in the order in which they run, the last one as such.

    What is alive changes from round to round along a straight line, so its most is in the first or in the last one,
    and either is a straight line over the depth. Backwards, the first to run has the highest number.
    """
    turns: dict[str, dict[str, int]] = {}
    for place in all_places(plan):
        known = turns.setdefault(place.plain, {})
        known.setdefault(round_of(place), len(known))
    found: dict[Moment, Level] = {}
    for moment, level in levels.items():
        known = turns.get(moment.plain, {})
        turn = known.get(moment.round)
        name = moment.round if turn is None else "last" if turn == len(known) - 1 else str(turn)
        key = moment._replace(round=name)
        if key not in found or level.live > found[key].live:
            found[key] = level
    return found
