"""Nodes that are switched off: each passes its first input on as its first output, where that changes no shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from blocks.shapes import Needs, ShapeClash
from graph.commands import SetNode
from graph.document import Path, Wire
from graph.issues import Issue, NodeReport, Repair, Signal

KINDS = {"source": "an input", "output": "an output", "group_input": "a port", "group_output": "a port"}


def passing(report: NodeReport) -> Wire | None:
    """The wire whose value a node that is switched off passes on: the first into its first input."""
    first = next(iter(report.input_ports), None)
    return next((wire for wire in report.wires if wire.input == first), None)


def bypassed(report: NodeReport, at: Path, title: str, origin: str) -> NodeReport:
    """What is to be said of a node that is switched off.

    Args:
        report: what would be said of it if it were on.
        at: the level that it is on.
        title: what people call it.
        origin: the titles of the nodes that are wired to its first input.
    """
    node = report.node

    def refused(found: str, needed: str, port: str = "") -> NodeReport:
        repair = Repair("Switch it on again", SetNode(at, node.id, "muted", False))
        where = f"{title}, input {port}" if port else title
        issue = Issue("error", (*at, node.id), where, found, needed, repair, port)
        return replace(report, state="error", outputs={}, issues=(issue,), remainders={}, limits=())

    role = report.block.role if report.block is not None else "module"
    if role != "module":
        return refused("It is switched off", f"{KINDS.get(role, 'this')} passes nothing on")
    if report.block is None and not node.is_group:
        return report  # a block nobody knows has no known ports either
    first = next(iter(report.input_ports), None)
    output = next(iter(report.output_ports), None)
    if first is None or output is None:
        return refused("It is switched off", f"it has no {'input' if first is None else 'output'} to pass on")
    signals = report.inputs.get(first, ())
    usual = report.outputs.get(output)
    if signals and usual is not None and not equal_signals(usual, signals[0], Needs()):
        found = f"It is switched off and would pass on {_spell(signals[0], usual)} from {origin}"
        return refused(found, f"what comes after it is made for {_spell(usual, signals[0])}, which it gives", first)
    mute = [issue for issue in report.issues if not _is_unwired(issue, report, first)]
    wired = passing(report) is not None
    issues = tuple(replace(issue, severity="warning") if wired else issue for issue in mute)
    passes: Mapping[str, Signal] = {output: signals[0]} if signals else {}
    state = "ok" if signals else "waiting"
    return replace(report, state=state, outputs=passes, issues=issues, remainders={}, limits=())


def equal_signals(left: Signal, right: Signal, need: Needs) -> bool:
    """Whether two signals have one shape and type; what sizes must satisfy for that is put into `need`."""
    if len(left.shape) != len(right.shape) or left.dtype != right.dtype:
        return False
    try:
        for a, b in zip(left.shape, right.shape, strict=True):
            need.equal(a, b, port="", found="", needed="")
    except ShapeClash:
        return False
    return True


def _is_unwired(issue: Issue, report: NodeReport, first: str) -> bool:
    """Whether an issue is about an input without a wire, which a node that is switched off does not read."""
    if issue.port in ("", first):
        return False
    return issue.port in report.input_ports and not any(wire.input == issue.port for wire in report.wires)


def _spell(signal: Signal, other: Signal) -> str:
    """A signal in words that tell it from the other one."""
    return f"{signal} ({signal.dtype})" if signal.dtype != other.dtype else str(signal)
