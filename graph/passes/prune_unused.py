"""Leave out steps whose results nobody reads, also inside groups."""

from __future__ import annotations

from dataclasses import replace

from graph.passes import Note
from graph.plan import GroupStep, Plan, Step, Value


def apply(plan: Plan) -> tuple[Plan, tuple[Note, ...]]:
    """The plan without steps that reach no exit."""
    notes: list[Note] = []
    return _level(plan, notes), tuple(notes)


def _level(plan: Plan, notes: list[Note]) -> Plan:
    needed: set[Value] = {exit.value for exit in plan.exits}
    kept: list[Step] = []
    for step in reversed(plan.steps):
        if not any(Value(step.id, port) in needed for port, _ in step.outputs):
            notes.append(Note("/".join(step.path), "nothing reads its result", applied=True))
            continue
        if isinstance(step, GroupStep):
            step = replace(step, rounds=tuple(_level(inside, notes) for inside in step.rounds))
        kept.append(step)
        needed.update(value for argument in step.arguments for value in argument.values)
    return replace(plan, steps=tuple(reversed(kept)))
