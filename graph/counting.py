"""What a plan holds, by arithmetic alone: parameters, buffers, and the cache of a language model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from blocks.dimensions import evaluate
from graph.parameters import buffer_shapes, count, count_fixed, parameter_shapes
from graph.places import Place, places
from graph.plan import Plan


def count_parameters(plan: Plan) -> tuple[int, int]:
    """Parameters by use (a shared or tied tensor counts at each) and each tensor once, as published counts do."""
    every = places(plan)
    used = sum(count(place.step.block, place.step.params) for place in every)
    modules = {place.module: place for place in every}
    unique = sum(count(place.step.block, place.step.params) for place in modules.values())
    return used, unique - sum(prod(shape) for shape in _tied(plan, modules).values())


def count_learned(plan: Plan) -> int:
    """Numbers that training changes, each once: all parameters but fixed tables."""
    modules = {place.module: place for place in places(plan)}
    fixed = sum(count_fixed(place.step.block, place.step.params) for place in modules.values())
    return count_parameters(plan)[1] - fixed


def largest_parameter(plan: Plan) -> int:
    """Numbers in the largest tensor."""
    sizes = [prod(s) for p in places(plan) for s in parameter_shapes(p.step.block, p.step.params).values()]
    return max(sizes, default=0)


def count_buffers(plan: Plan) -> int:
    """Numbers in buffers, each once."""
    modules = {place.module: place for place in places(plan)}
    shapes = (buffer_shapes(place.step.block, place.step.params) for place in modules.values())
    return sum(prod(shape) for found in shapes for shape in found.values())


def cached_numbers(plan: Plan, sizes: Mapping[str, int]) -> int:
    """Numbers that a language model keeps while it decodes sequences of these sizes; 0 for one that cannot decode."""
    every = places(plan)
    return sum(cached_at(place, sizes) for place in every) if can_decode(every) else 0


def can_decode(every: Iterable[Place]) -> bool:
    """Whether a model makes its output token by token, so that what it has looked at is worth keeping."""
    return any(place.step.params.get("causal") is True for place in every)


def cached_at(place: Place, sizes: Mapping[str, int]) -> int:
    """Numbers that one call keeps while its model decodes; none where later tokens are looked at, as in an encoder."""
    if place.step.params.get("causal") is False and "context" not in place.incoming:
        return 0
    window = place.step.params.get("window")  # what lies outside of it is never looked at again
    kept = 0
    for port, per_token in place.step.block.cached_values(place.step.params).items():
        batch, length = (evaluate(place.incoming[port].shape[axis], sizes) for axis in (0, -2))
        kept += per_token * batch * (min(length, window) if window else length)
    return kept


def _tied(plan: Plan, modules: Mapping[str, Place]) -> dict[str, tuple[int, ...]]:
    """Parameters that are another's tensor, with their shapes."""
    found: dict[str, tuple[int, ...]] = {}
    for name, target in plan.ties.items():
        if name == target:
            continue
        for path, place in modules.items():
            if name.startswith(f"{path}."):
                shapes = parameter_shapes(place.step.block, place.step.params)
                found[name] = shapes[name.removeprefix(f"{path}.")]
    return found
