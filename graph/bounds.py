"""Which numbers a wire may carry: from 0 up to, not including, a bound; and whether what takes them goes as far.

Sources say what they give, lookups and targets what they take, and blocks that only move values pass the bound on
(`Port.below`, `Port.keeps`). Where something computes, the bound is unknown, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blocks.dimensions import Dimension
from blocks.shapes import axes_of
from blocks.spec import Block, Params, Port
from graph.bypass import passing
from graph.document import Wire
from graph.issues import NodeReport, Repair, Signal
from graph.repairs import Repairs, Scope

if TYPE_CHECKING:
    from graph.judge import Judgement

Inputs = Mapping[str, tuple[Signal, ...]]


def sizes_along(axis: str, ports: Mapping[str, Port], inputs: Inputs) -> Iterator[tuple[str, Signal, Dimension]]:
    """The sizes of an axis wherever an input names it, each with the input and the signal there."""
    for name, port in ports.items():
        axes = axes_of(port.pattern)
        if axis not in axes:
            continue
        at = axes.index(axis)
        position = at - len(axes) if "..." in axes[:at] else at
        for signal in inputs.get(name, ()):
            enough = len(signal.shape) >= len(axes) - ("..." in axes)
            if enough and -len(signal.shape) <= position < len(signal.shape):
                yield name, signal, signal.shape[position]


def bound_of(port: Port, params: Params, ports: Mapping[str, Port], inputs: Inputs) -> int | None:
    """What the numbers at a port stay below, where it declares that and it is known."""
    name, more = port.bound
    if not name:
        return None
    size = params[name] if name in params else next((size for *_, size in sizes_along(name, ports, inputs)), None)
    return size + more if isinstance(size, int) else None


def largest(signals: tuple[Signal, ...]) -> int | None:
    """What all of several signals stay below; None where that of one is unknown."""
    bound = 0
    for signal in signals:
        if signal.below is None:
            return None
        bound = max(bound, signal.below)
    return bound or None


def bound_out(block: type[Block], port: Port, params: Params, ports: Mapping[str, Port], inputs: Inputs) -> int | None:
    """What the numbers that come out of a port stay below, or None when that is unknown."""
    if port.below:
        return bound_of(port, params, ports, inputs)
    bound = largest(inputs.get(port.keeps or next(iter(ports), ""), ()))
    return bound if bound is not None and (port.keeps or block.is_identity(params)) else None


def check(case: Judgement, block: type[Block], ports: Mapping[str, Port], inputs: Inputs) -> None:
    """Blame what receives numbers beyond those that it takes."""
    for name, port in ports.items():
        limit = bound_of(port, case.params, ports, inputs) if port.below and name in inputs else None
        if limit is None:
            continue
        wires = [wire for wire in case.wires if wire.input == name]
        for wire, signal in zip(wires, inputs[name], strict=True):
            if signal.below is not None and not block.takes(name, signal.below - 1, limit, case.params):
                _blame(case, block, wire, signal, port, limit, ports, inputs)
                break


def _blame(
    case: Judgement,
    block: type[Block],
    wire: Wire,
    signal: Signal,
    port: Port,
    limit: int,
    ports: Mapping[str, Port],
    inputs: Inputs,
) -> None:
    assert signal.below is not None
    whole = signal.dtype == "integer"
    words = "tokens" if signal.kind == "tokens" else "whole numbers" if whole else "numbers"
    name, more = port.bound
    if name in case.params:
        why, repair = f"its `{name}` is {case.params[name]}", case.set_repair({name: signal.below - more})
    else:
        other = next(other for other, *_ in sizes_along(name, ports, inputs))
        why, repair = f"input {other} has {name} = {limit - more}", None
    takes = f"it takes 0 to {limit - 1}" if whole else f"what lies above {limit - 1} counts as {limit - 1}"
    case.blame(
        f"It receives {words} from 0 to {signal.below - 1} from {case.origin(wire)}", f"{why}, so {takes}",
        port=wire.input,
        repair=repair or repair_at_source(wire, case.before, case.scope, limit),
        severity="error" if whole else "warning",
    )  # fmt: skip


def repair_at_source(wire: Wire, before: Mapping[str, NodeReport], scope: Scope, limit: int) -> Repair | None:
    """The repair that lowers the bound where it comes from, when that is one parameter on the same level."""
    report, output = before.get(wire.source), wire.output
    while report is not None:
        port = report.output_ports.get(output)
        name, more = port.bound if port is not None else ("", 0)
        if name in report.params and not report.node.muted:
            if limit - more < 1:
                return None
            source = Repairs(report.node, report.wires, before, scope)
            source.params, source.origins = dict(report.params), dict(report.origins)
            repair = source.set_repair({name: limit - more})
            if repair is None or repair.label.startswith("Set the variable"):
                return repair
            return replace(repair, label=f"Set `{name}` of {_title(report)} to {limit - more}")
        if report.node.muted:
            kept = [passing(report)]
        else:
            kept = [each for each in report.wires if port is not None and each.input == port.keeps]
        if len(kept) != 1 or kept[0] is None:
            return None
        report, output = before.get(kept[0].source), kept[0].output
    return None


def _title(report: NodeReport) -> str:
    return report.node.title or (report.block.title if report.block is not None else report.node.id)


def suiting(block: type[Block], signal: Signal | None) -> dict[str, Any]:
    """Parameters with which a new node takes all that a signal may carry: an Embedding as many tokens as there are."""
    if signal is None or signal.below is None:
        return {}
    params = {param.name for param in block.params()}
    for port in block.inputs.values():
        name, more = port.bound
        if name in params and port.dtype in ("any", signal.dtype) and signal.below > more:
            return {name: signal.below - more}
    return {}


def giving(block: type[Block], target: NodeReport, input: str) -> dict[str, Any]:
    """Parameters with which a new source gives only what an input takes: as many tokens as an Embedding knows."""
    port = target.input_ports.get(input)
    limit = bound_of(port, target.params, target.input_ports, target.inputs) if port is not None else None
    params = {param.name for param in block.params()}
    for output in block.outputs.values():
        name, more = output.bound
        if limit is not None and name in params and limit > more:
            return {name: limit - more}
    return {}
