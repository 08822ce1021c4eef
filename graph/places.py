"""Where the calls of a plan are: address in the interface, module in the model, key of the weights, what comes in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from graph.issues import Signal
from graph.parameters import attending_parts
from graph.plan import BlockStep, GroupStep, Plan, Value

Key: TypeAlias = tuple[tuple[str, ...], tuple[int, ...]]
"""What weights are kept under: the chain of uids and the rounds of the groups around, as they seed the start."""


@dataclass(frozen=True)
class Place:
    """One call of a block.

    Args:
        address: what people say: "decoder.3/attn".
        plain: the same without rounds: "decoder/attn", the node of the drawing.
        module: where it lies in the model and in state_dict: "decoder.3.attn"; rounds with shared weights have one.
        key: what its weights are kept under.
        step: the call itself.
        incoming: input → the signal of its first wire.
    """

    address: str
    plain: str
    module: str
    key: Key
    step: BlockStep
    incoming: Mapping[str, Signal]


@dataclass(frozen=True)
class GroupPlace:
    """One round of a group; fields as in Place. `outputs` are the exits of the round."""

    address: str
    plain: str
    module: str
    step: GroupStep
    outputs: tuple[tuple[str, Signal], ...]


def places(plan: Plan) -> list[Place]:
    """Every call of a block, in the order in which they run."""
    return [place for place in _walk(plan, "", "", "", ()) if isinstance(place, Place)]


def attentions(place: Place) -> list[Place]:
    """What attends in a call, each with an address: the block itself, or its parts where it attends more than once.

    Parts are called as if the block were a group: decoder.3/layer/cross. Their `step` is that of the block.
    """
    if hasattr(place.step.block, "scores"):
        return [place]
    return [
        replace(
            place,
            address=f"{place.address}/{name.replace('.', '/')}",
            plain=f"{place.plain}/{name.replace('.', '/')}",
            module=f"{place.module}.{name}",
            incoming={port: signal for port, signal in place.incoming.items() if port in part.inputs},
        )
        for name, part in attending_parts(place.step.block, place.step.params).items()
    ]


def all_places(plan: Plan) -> list[Place | GroupPlace]:
    """Every call of a block and every round of a group, a round after what is in it."""
    return list(_walk(plan, "", "", "", ()))


def _walk(plan: Plan, address: str, plain: str, module: str, rounds: tuple[int, ...]) -> Iterator[Place | GroupPlace]:
    signals: dict[Value, Signal] = {Value(entry.id, entry.port): entry.signal for entry in plan.entries}
    for step in plan.steps:
        for port, signal in step.outputs:
            signals[Value(step.id, port)] = signal
        if isinstance(step, BlockStep):
            incoming = {argument.port: signals[argument.values[0]] for argument in step.arguments}
            key = (step.uids, rounds)
            yield Place(address + step.id, plain + step.id, module + step.id, key, step, incoming)
            continue
        as_list = step.repeated and not step.shared
        for index in step.turns:
            inside = step.round(index)
            here = f"{address}{step.id}.{index}" if step.repeated else f"{address}{step.id}"
            there = f"{module}{step.id}.{index}" if as_list else f"{module}{step.id}"
            place = 0 if step.shared else index
            yield from _walk(inside, f"{here}/", f"{plain}{step.id}/", f"{there}.", (*rounds, place))
            outputs = tuple((exit.name, exit.signal) for exit in inside.exits)
            yield GroupPlace(here, plain + step.id, there, step, outputs)
