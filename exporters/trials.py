"""Sizes and inputs to try an exported model at: the smallest, odd ones, the default; they show baked-in shapes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from blocks.dimensions import evaluate
from blocks.remainders import ANY, Remainders
from graph.sizes import SizeError, axis_names, default_sizes

if TYPE_CHECKING:
    from graph.plan import Entry, Plan

SEVERAL = 64
FARTHEST = 4096
"""No size above it is tried in the search for one that is allowed."""

TRIED: tuple[Mapping[str, int], ...] = (
    {"batch": 1, "": 1},
    {"batch": 2, "": 5, "height": 6, "width": 9},
    {"batch": 3, "": 11, "height": 17, "width": 12},
    {"batch": 1, "": 8, "height": 7, "width": 23},
    {"batch": 5, "": 2, "height": 3, "width": 2},
    {"batch": 2, "": 13, "height": 19, "width": 5},
)
"""Wishes: one of everything, then odd and unequal ones; "" is for every other axis, one more for each."""


@dataclass(frozen=True)
class Range:
    """What one axis may be: sizes from `low` to `high` that leave the right remainders."""

    name: str
    fitting: Remainders = ANY
    low: int = 1
    high: int | None = None

    @property
    def step(self) -> int:
        """What is added to a size to come to one that fits as well."""
        return self.fitting.divisor


def ranges(plan: Plan) -> dict[str, Range]:
    """What the requirements on single axes say; those on several together are not in it."""
    found = {name: Range(name) for name in axis_names(plan)}
    for requirement in plan.requirements:
        name = str(requirement.size)
        if name not in found:
            continue
        known = found[name]
        fitting = known.fitting & requirement.remainders or known.fitting
        low = max(known.low, requirement.low or 1)
        highs = [bound for bound in (known.high, requirement.high) if bound is not None]
        found[name] = Range(name, fitting, low, min(highs, default=None))
    return {name: replace(each, low=each.fitting.upwards(each.low)) for name, each in found.items()}


def allowed(plan: Plan, wishes: Mapping[str, int]) -> dict[str, int] | None:
    """Sizes near the wished ones that meet every requirement, or None when none are found."""
    known = ranges(plan)
    sizes = {name: _near(known[name], wish) for name, wish in wishes.items()}
    for name in sizes:  # requirements on several axes: turn one after another until all are met
        if plan.sizes_fault(sizes) is None:
            return sizes
        for candidate in _candidates(known[name]):
            if plan.sizes_fault(sizes | {name: candidate}) is None:
                return sizes | {name: candidate}
    return sizes if plan.sizes_fault(sizes) is None else None


def trial_sizes(plan: Plan, count: int = 5) -> list[dict[str, int]]:
    """Sizes to compare two versions of a model at: the smallest, odd and unequal ones, and the default."""
    free = axis_names(plan)
    found: list[dict[str, int]] = []
    for wishes in TRIED:
        others = [name for name in free if name not in wishes]
        wish = {name: wishes.get(name, wishes[""] + (others.index(name) if name in others else 0)) for name in free}
        if wishes is TRIED[0]:
            wish = dict.fromkeys(free, 1)
        sizes = allowed(plan, wish)
        if sizes is not None and sizes not in found:
            found.append(sizes)
        if len(found) == count - 1:
            break
    try:
        default = default_sizes(plan)
    except SizeError:  # the search from the defaults found nothing; the sizes above will do
        return found
    return found if default in found else [*found, default]


def tracing_sizes(plan: Plan) -> dict[str, int]:
    """Sizes to trace a model at: no two are equal where they can differ, and none so small that it becomes 1 halfway.

    Tracers take a size of 1 for a constant, and two equal sizes for one.
    """
    known = ranges(plan)
    sizes: dict[str, int] = {}
    for name in axis_names(plan):
        one = known[name]
        start = 2 if name == "batch" else max(7, 3 * one.low)
        fitting = (size for size in _candidates(one) if plan.sizes_fault(sizes | {name: size}) is None)
        large = list(itertools.islice((size for size in fitting if size >= start), SEVERAL))
        if not large:  # there is a limit below
            large = [size for size in _candidates(one) if plan.sizes_fault(sizes | {name: size}) is None][
                : -SEVERAL - 1 : -1
            ]
        sizes[name] = next((size for size in large if size > 1 and size not in sizes.values()), (large or [1])[0])
    return allowed(plan, sizes) or sizes


def random_inputs(plan: Plan, sizes: Mapping[str, int], seed: int = 0) -> tuple[Tensor, ...]:
    """Inputs in order: normal numbers, tokens of the vocabulary, time steps, booleans."""
    generator = torch.Generator().manual_seed(seed)
    return tuple(_random(entry, sizes, generator) for entry in plan.entries)


def shape_of(entry: Entry, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape of an input at given sizes."""
    return tuple(evaluate(size, sizes) for size in entry.signal.shape)


def spelled(sizes: Mapping[str, int]) -> str:
    """Sizes in words: batch 2, seq 5."""
    return ", ".join(f"{name} {size}" for name, size in sizes.items()) or "its one size"


def _random(entry: Entry, sizes: Mapping[str, int], generator: torch.Generator) -> Tensor:
    shape = shape_of(entry, sizes)
    if entry.signal.dtype == "integer":
        return torch.randint(entry.signal.below or 2, shape, generator=generator)
    if entry.signal.dtype == "bool":
        visible = torch.rand(shape, generator=generator) < 0.7
        return visible.index_fill_(-1, torch.tensor([0]), True) if shape else visible
    if entry.signal.below is not None:
        return torch.rand(shape, generator=generator) * (entry.signal.below - 1)
    return torch.randn(shape, generator=generator)


def _near(known: Range, wish: int) -> int:
    """The allowed size next to a wish, upwards where there is room."""
    size = max(known.low, known.fitting.upwards(wish))
    if known.high is not None and size > known.high:
        size = known.fitting.downwards(known.high)
    return size


def _candidates(known: Range) -> Iterator[int]:
    """What an axis may be, the smallest first."""
    high = max(FARTHEST, known.low + SEVERAL * known.step) if known.high is None else known.high
    return (size for size in range(known.low, high + 1) if size in known.fitting)
