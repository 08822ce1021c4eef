"""Leave out blocks that give what they receive: an up-sampling by 1, a dropout of 0, a transposition of nothing."""

from __future__ import annotations

from dataclasses import replace

from graph.passes import Note
from graph.plan import Argument, BlockStep, GroupStep, Plan, Step, Value


def apply(plan: Plan) -> tuple[Plan, tuple[Note, ...]]:
    """The plan without steps whose block says that it changes nothing."""
    notes: list[Note] = []
    return _level(plan, notes), tuple(notes)


def _level(plan: Plan, notes: list[Note]) -> Plan:
    stands_for: dict[Value, Value] = {}
    steps: list[Step] = []
    for step in plan.steps:
        arguments = tuple(_renamed(argument, stands_for) for argument in step.arguments)
        if isinstance(step, GroupStep):
            inside = tuple(_level(level, notes) for level in step.rounds)
            steps.append(replace(step, arguments=arguments, rounds=inside))
            continue
        step = replace(step, arguments=arguments)
        reason = _why_kept(step)
        address = "/".join(step.path)
        if reason is None:
            stands_for[Value(step.id, step.outputs[0][0])] = arguments[0].values[0]
            notes.append(Note(address, "it gives what it receives", applied=True))
            continue
        if reason:
            notes.append(Note(address, reason, applied=False))
        steps.append(step)
    exits = tuple(replace(exit, value=stands_for.get(exit.value, exit.value)) for exit in plan.exits)
    return replace(plan, steps=tuple(steps), exits=exits)


def _why_kept(step: BlockStep) -> str | None:
    """None when the step does nothing; else why it stays, or "" when nobody would have asked."""
    if not step.block.is_identity(step.params):
        return ""
    if len(step.arguments) != 1 or len(step.arguments[0].values) != 1 or len(step.outputs) != 1:
        return "it has several inputs or outputs"
    return None


def _renamed(argument: Argument, stands_for: dict[Value, Value]) -> Argument:
    return replace(argument, values=tuple(stands_for.get(value, value) for value in argument.values))
