"""The sizes of a run: which axes may be set, what they are by default, and whether given ones will do."""

from __future__ import annotations

from collections.abc import Mapping

from blocks.dimensions import Dim, names
from blocks.remainders import ANY
from graph.plan import Entry, Plan

USUAL_LENGTH = 128
FURTHEST = 4096


class SizeError(ValueError):
    """Sizes that a model cannot run at; one sentence."""


def axis_names(plan: Plan) -> tuple[str, ...]:
    """The axes whose size a user may set, in the order in which the sources name them."""
    found: dict[str, None] = {}
    for entry in plan.entries:
        for size in entry.signal.shape:
            if isinstance(size, Dim):
                found.update(dict.fromkeys(sorted(names(size))))
    return tuple(found)


def default_sizes(plan: Plan) -> dict[str, int]:
    """Batch 1, sequences the smaller of the context and 128, pictures as large as their source says, made to fit."""
    return complete_sizes(plan, {})


def complete_sizes(plan: Plan, given: Mapping[str, int]) -> dict[str, int]:
    """The given sizes and, for the other axes, defaults that go with them.

    Raises:
        SizeError: an axis is unknown, a size is no positive whole number, or the model cannot run at these sizes.
    """
    axes = axis_names(plan)
    for name, size in given.items():
        if name not in axes:
            raise SizeError(f"There is no axis called {name}; the axes of this drawing are {', '.join(axes)}.")
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise SizeError(f"The size of {name} must be a positive whole number, not {size!r}.")
    sizes = {name: given[name] if name in given else _wish(plan, name) for name in axes}
    for _ in axes:
        free = _free_to_move(plan, sizes, given)
        if free is None:
            break
        sizes[free] = _nearest(plan, sizes, free)
    fault = plan.sizes_fault(sizes)
    if fault:
        raise SizeError(fault[:1].upper() + fault[1:])
    return sizes


def longest(plan: Plan, axis: str) -> int | None:
    """The largest size that an axis may have, where that is known."""
    bounds = [r.high for r in plan.requirements if r.high is not None and str(r.size) == axis]
    return min(bounds, default=None)


def _wish(plan: Plan, name: str) -> int:
    if name == "batch":
        return 1
    entry = next(entry for entry in plan.entries if any(str(size) == name for size in entry.signal.shape))
    fitting = plan.remainders.get(name, ANY)
    if entry.signal.kind == "image":
        return fitting.nearest(_side(entry))
    context = plan.variables.get("context")
    high = longest(plan, name) or (context if isinstance(context, int) and not isinstance(context, bool) else None)
    size = min(USUAL_LENGTH, high) if high and high > 0 else USUAL_LENGTH
    return max(fitting.upwards(1), fitting.downwards(size))


def _side(entry: Entry) -> int:
    return int(entry.params.get("image_size", 64))


def _free_to_move(plan: Plan, sizes: Mapping[str, int], given: Mapping[str, int]) -> str | None:
    """An axis that the user did not set and whose default breaks a requirement."""
    for requirement in plan.requirements:
        if requirement.fault(sizes):
            for name in sorted(names(requirement.size)):
                if name not in given and name in sizes:
                    return name
    return None


def _nearest(plan: Plan, sizes: Mapping[str, int], name: str) -> int:
    """The size closest to the present one at which all that concerns this axis holds; the present one if none is."""
    concerned = [r for r in plan.requirements if name in names(r.size)]
    start = sizes[name]
    for distance in range(FURTHEST):
        for size in (start - distance, start + distance):
            if size > 0 and not any(r.fault({**sizes, name: size}) for r in concerned):
                return size
    return start
