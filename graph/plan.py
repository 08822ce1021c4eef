"""The one truth downstream: what runs, in which order, with which parameters and shapes. Frozen; no torch in it.

Run, estimate, export and figure read the same plan. A plan of a document is made from its report and holds only what
is valid; the passes (graph.passes) then leave out what does nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import networkx as nx

from graph.bypass import passing
from graph.document import Document, Level, Node, Path, Wire
from graph.issues import LevelReport, NodeReport, Report, Requirement, Signal, remainders_of
from graph.judge import title_of
from graph.ties import holds, reaches_output
from graph.validate import group_ports, validate

if TYPE_CHECKING:
    from blocks.remainders import Remainders
    from blocks.spec import Block

Rounds = Literal["carry", "last", "sum", "stack"]


class PlanError(Exception):
    """A document that cannot be planned, since it has errors; `report` lists them."""

    def __init__(self, report: Report) -> None:
        errors = [issue for issue in report.issues if issue.severity == "error"]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{errors[0]}{more}")
        self.report = report


@dataclass(frozen=True)
class Value:
    """Something computed on this level: output `port` of step (or entry) `step`."""

    step: str
    port: str


@dataclass(frozen=True)
class Argument:
    """What one input of a step receives; several values where it takes many wires."""

    port: str
    values: tuple[Value, ...]
    many: bool = False


@dataclass(frozen=True)
class Entry:
    """Something that comes into the level: a source of the document or an input of a group.

    Args:
        id: the node that stands for it; also its name as a model input.
        port: the node's output.
        name: the argument of `forward`: the node's id at the top, the group's port inside.
        block, params: the source's declaration; "GroupInput" inside groups.
        sample: what a run feeds it, for sources.
    """

    id: str
    port: str
    name: str
    signal: Signal
    block: str
    params: Mapping[str, Any]
    title: str
    sample: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Exit:
    """Something that leaves the level: an output of the document or of a group.

    `rounds` says what a repeated group makes of it: carried to the next round, the last, the sum, or a stack.
    """

    id: str
    name: str
    value: Value
    signal: Signal
    rounds: Rounds = "last"


@dataclass(frozen=True)
class BlockStep:
    """A call of one block's module.

    Args:
        id: the module's name on its level; path.id is its place in state_dict.
        path: ids from the top.
        uids: identities from the top; they seed and key the weights.
        params: complete; the block is built from exactly these.
        outputs: port → signal in the order of the declaration; several are a tuple.
    """

    id: str
    path: Path
    uids: tuple[str, ...]
    title: str
    block: type[Block]
    params: Mapping[str, Any]
    arguments: tuple[Argument, ...]
    outputs: tuple[tuple[str, Signal], ...]


@dataclass(frozen=True)
class GroupStep:
    """A call of a group, `repeat` times.

    Args:
        rounds: the inside; one plan, or one for each round where they differ.
        shared: whether all rounds use one set of weights.
        backwards: whether the last round runs first.
        repeated: whether the drawing repeats it, even if only once: it is a ModuleList then.
    """

    id: str
    path: Path
    uids: tuple[str, ...]
    title: str
    rounds: tuple[Plan, ...]
    repeat: int
    shared: bool
    backwards: bool
    repeated: bool
    arguments: tuple[Argument, ...]
    outputs: tuple[tuple[str, Signal], ...]

    @property
    def turns(self) -> range:
        """The rounds in the order in which they run."""
        return range(self.repeat - 1, -1, -1) if self.backwards else range(self.repeat)

    def round(self, index: int) -> Plan:
        """The plan of one round."""
        return self.rounds[min(index, len(self.rounds) - 1)]


Step: TypeAlias = BlockStep | GroupStep


@dataclass(frozen=True)
class Plan:
    """One level, ordered: entries, steps, exits.

    Args:
        ties: at the top: parameter path → the parameter path whose tensor it is.
        requirements: at the top: what the sizes must satisfy.
        variables: at the top: as resolved.
    """

    entries: tuple[Entry, ...]
    steps: tuple[Step, ...]
    exits: tuple[Exit, ...]
    title: str = ""
    seed: int = 0
    ties: Mapping[str, str] = field(default_factory=dict)
    requirements: tuple[Requirement, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)

    def walk(self, prefix: str = "") -> Iterator[tuple[str, BlockStep]]:
        """Every block call by its address: `decoder.3/attn` in round 3, `group/node` in a group without rounds."""
        for step in self.steps:
            if isinstance(step, BlockStep):
                yield prefix + step.id, step
                continue
            for index in range(step.repeat):
                name = f"{step.id}.{index}" if step.repeated else step.id
                yield from step.round(index).walk(f"{prefix}{name}/")

    @property
    def remainders(self) -> Mapping[str, Remainders]:
        """Axis name → what its size may leave when it is divided, where that is not all the same."""
        return remainders_of(self.requirements)

    def sizes_fault(self, sizes: Mapping[str, int]) -> str | None:
        """The first requirement that given sizes break, as a sentence, or None."""
        for requirement in self.requirements:
            fault = requirement.fault(sizes)
            if fault:
                return fault
        return None


def plan_document(document: Document, report: Report | None = None) -> Plan:
    """The plan of a document.

    Args:
        document: a drawing without errors.
        report: its report, where there is one already.

    Raises:
        PlanError: the drawing has errors.
    """
    if report is None or report.revision != document.revision:
        report = validate(document)
    if not report.valid:
        raise PlanError(report)
    level = _plan_level(document.top, report.top, (), ())
    ties = {
        ".".join((*path, name)): tie.to
        for path, node in document.walk()
        for name, tie in node.ties.items()
        if holds(tie, report.variables) and reaches_output(report.top, path)
    }
    return Plan(
        level.entries,
        level.steps,
        level.exits,
        document.title,
        document.seed,
        ties,
        report.requirements,
        dict(report.variables),
    )


def seed_of(seed: int, uids: tuple[str, ...], rounds: tuple[int, ...]) -> int:
    """The seed of one module's own generator: no other block's numbers depend on it, nor its on theirs."""
    text = f"{seed}/{'/'.join(uids)}/{','.join(map(str, rounds))}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def _plan_level(level: Level, report: LevelReport, at: Path, uids: tuple[str, ...]) -> Plan:
    entries: list[tuple[int, int, Entry]] = []
    exits: list[tuple[int, int, Exit]] = []
    steps: list[Step] = []
    position = {id: index for index, id in enumerate(level.nodes)}
    passed: dict[Value, Value] = {}  # what a node that is switched off would give → what it passes on
    for id in nx.lexicographical_topological_sort(level.net, key=position.__getitem__):
        if id not in report.used:
            continue
        known = report.nodes[id]
        node = known.node
        role = known.block.role if known.block else "module"
        if node.muted:
            wire = passing(known)
            assert wire is not None
            passed[Value(id, next(iter(known.outputs)))] = _value(wire, passed)
        elif known.inside:
            steps.append(_group_step(node, known, at, uids, passed))
        elif role in ("source", "group_input"):
            assert known.block is not None
            port, signal = next(iter(known.outputs.items()))
            name = id if role == "source" else known.params["port"]
            title = title_of(node)
            entry = Entry(id, port, name, signal, known.block.__name__, dict(known.params), title, dict(node.sample))
            entries.append((node.order, position[id], entry))
        elif role in ("output", "group_output"):
            wire = known.wires[0]
            name = id if role == "output" else known.params["port"]
            rounds = "last" if role == "output" else known.params["rounds"]
            exits.append(
                (
                    node.order,
                    position[id],
                    Exit(id, name, _value(wire, passed), known.inputs["x"][0], rounds),
                )
            )
        else:
            assert known.block is not None
            steps.append(
                BlockStep(
                    id,
                    (*at, id),
                    (*uids, node.uid),
                    title_of(node),
                    known.block,
                    {param.name: known.params[param.name] for param in known.block.params()},
                    _arguments(known, passed),
                    tuple(known.outputs.items()),
                )
            )
    return Plan(
        tuple(entry for _, _, entry in sorted(entries, key=lambda item: item[:2])),
        tuple(steps),
        tuple(exit for _, _, exit in sorted(exits, key=lambda item: item[:2])),
    )


def _group_step(
    node: Node, known: NodeReport, at: Path, uids: tuple[str, ...], passed: Mapping[Value, Value]
) -> GroupStep:
    assert node.level is not None
    path, chain = (*at, node.id), (*uids, node.uid)
    port_nodes, _ = group_ports(node.level)
    rounds: list[Plan] = []
    for inside in known.inside:
        plan = _plan_level(node.level, inside, path, chain)
        exits = tuple(
            Exit(e.id, e.name, e.value, e.signal, "carry" if e.name in port_nodes else e.rounds) for e in plan.exits
        )
        entries = plan.entries
        rounds.append(Plan(entries, plan.steps, exits))
    names = {entry.name for plan in rounds for entry in plan.entries}
    arguments = tuple(argument for argument in _arguments(known, passed) if argument.port in names)
    return GroupStep(
        node.id,
        path,
        chain,
        title_of(node),
        tuple(rounds),
        known.rounds,
        node.shared,
        node.backwards,
        node.repeat != 1,
        arguments,
        tuple((name, known.outputs[name]) for name in known.output_ports if name in known.outputs),
    )


def _arguments(known: NodeReport, passed: Mapping[Value, Value]) -> tuple[Argument, ...]:
    arguments: list[Argument] = []
    for name, port in known.input_ports.items():
        values = tuple(_value(wire, passed) for wire in known.wires if wire.input == name)
        if values:
            arguments.append(Argument(name, values, port.many))
    return tuple(arguments)


def _value(wire: Wire, passed: Mapping[Value, Value]) -> Value:
    """What a wire carries, and behind nodes that are switched off what they pass on."""
    value = Value(wire.source, wire.output)
    return passed.get(value, value)
