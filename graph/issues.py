"""What validation finds: a signal on every wire, issues in four parts, and what the sizes must satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from blocks.dimensions import Dimension, evaluate, names, simplify
from blocks.remainders import ANY, Remainders
from blocks.shapes import Shape, spell

if TYPE_CHECKING:
    from blocks.shapes import Limit
    from blocks.spec import Block, Port
    from graph.commands import Command
    from graph.document import Node, Path, Wire

Severity = Literal["error", "warning"]
State = Literal["ok", "error", "waiting", "unused"]


@dataclass(frozen=True)
class Signal:
    """What travels on a wire.

    Args:
        shape: its sizes.
        dtype, kind: as ports declare them.
        below: what its values are known to stay below, from 0; None where nothing is known.
    """

    shape: Shape
    dtype: str = "float"
    kind: str = "features"
    below: int | None = None

    def __str__(self) -> str:
        return spell(self.shape)


@dataclass(frozen=True)
class Repair:
    """What would mend an issue: a label for the button ("Set dim to 512") and the edit."""

    label: str
    command: Command


@dataclass(frozen=True)
class Issue:
    """Where, what was found and where it came from, what is needed and why, and the repair.

    Args:
        severity: an error keeps the model from running; a warning does not.
        path: the node; () is the document.
        where: the place in words ("Feed-forward 2, input x").
        found: a sentence without its full stop ("It receives 512 features per token from Attention 1").
        needed: a clause that goes on after "but" ("its `dim` is 256"), or empty where `found` says all.
        repair: the edit that mends it, where there is one.
        port: the input concerned.
        param: the parameter concerned.
        joint: the word between found and needed; peers that differ are joined by "while".
        variables: the variables of the drawing that what is wrong hangs on.
    """

    severity: Severity
    path: Path
    where: str
    found: str
    needed: str = ""
    repair: Repair | None = None
    port: str = ""
    param: str = ""
    joint: str = "but"
    variables: frozenset[str] = frozenset()

    @property
    def message(self) -> str:
        """Found, needed and repair as running text."""
        text = f"{self.found}, {self.joint} {self.needed}." if self.needed else f"{self.found}."
        return f"{text} {self.repair.label}?" if self.repair else text

    def __str__(self) -> str:
        return f"{self.where}. {self.message}" if self.where != "drawing" else self.message  # it says so itself

    def as_data(self) -> dict[str, Any]:
        """The issue for `--json`."""
        return {
            "severity": self.severity,
            "where": "/".join(self.path),
            "port": self.port,
            "param": self.param,
            "place": self.where,
            "message": self.message,
            "repair": self.repair.label if self.repair else None,
        }


@dataclass(frozen=True)
class Requirement:
    """What a size must satisfy before the model can run: what a name leaves when divided, or bounds on a size."""

    size: Dimension
    remainders: Remainders = ANY
    low: int | None = None
    high: int | None = None
    because: str = ""

    @property
    def divisor(self) -> int:
        """The number that must divide it, or 1."""
        return self.remainders.divisor if self.remainders.is_multiple else 1

    def fault(self, sizes: Mapping[str, int]) -> str | None:
        """Why given sizes will not do, as a sentence with the nearest that would, or None."""
        if names(self.size) - sizes.keys():
            return None
        value = evaluate(self.size, sizes)
        if value not in self.remainders:
            near = [self.remainders.downwards(value), self.remainders.upwards(value)]
            tries = " or ".join(str(size) for size in near if size > 0)
            return f"{self.size} is {value}, and it must {self.remainders}: try {tries}."
        why = f": {self.because}" if self.because else ""
        if self.low is not None and value < self.low:
            return f"{self.size} is {value}, and it must be at least {self.low}{why}."
        if self.high is not None and value > self.high:
            return f"{self.size} is {value}, and it must be at most {self.high}{why}."
        return None

    def __str__(self) -> str:
        if not self.remainders.is_any:
            return f"{self.size} must {self.remainders}"
        bounds = [f"at least {self.low}"] if self.low is not None else []
        bounds += [f"at most {self.high}"] if self.high is not None else []
        return f"{self.size} must be {' and '.join(bounds)}" + (f" ({self.because})" if self.because else "")

    def as_data(self) -> dict[str, Any]:
        """The requirement for `--json`."""
        data: dict[str, Any] = {"size": str(self.size), "text": str(self)}
        if not self.remainders.is_any:
            data |= {"divided_by": self.remainders.divisor, "leaves": list(self.remainders.allowed)}
        if self.divisor > 1:
            data["divisible_by"] = self.divisor
        if self.low is not None:
            data["at_least"] = self.low
        if self.high is not None:
            data["at_most"] = self.high
        return data


@dataclass(frozen=True, eq=False)
class NodeReport:
    """What is known of one node.

    Args:
        node: the node as it was looked at.
        wires: the wires into it, likewise.
        block: its class; None for a group and for a block nobody knows.
        state: ok, error, or waiting for what comes in.
        params: parameter → the value a run would use; complete only when the state is ok.
        origins: parameter → where its value comes from: "wire", "expression", "set" or "default".
        input_ports, output_ports: its ports under these parameters.
        inputs: input → the signals on its wires, in order.
        outputs: output → signal; empty unless ok.
        issues: what is wrong with it; severity as if it were used.
        remainders, limits: what it demands of sizes that are not known yet.
        uses: variables that its parameters mention.
        rounds: for a repeated group, how often it runs.
        inside: for a group, the reports on its levels: one, or one a round when they differ.
    """

    node: Node
    wires: tuple[Wire, ...]
    block: type[Block] | None = None
    state: State = "ok"
    params: Mapping[str, Any] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    input_ports: Mapping[str, Port] = field(default_factory=dict)
    output_ports: Mapping[str, Port] = field(default_factory=dict)
    inputs: Mapping[str, tuple[Signal, ...]] = field(default_factory=dict)
    outputs: Mapping[str, Signal] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    remainders: Mapping[str, Remainders] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    uses: frozenset[str] = frozenset()
    rounds: int = 1
    inside: tuple[LevelReport, ...] = ()


@dataclass(frozen=True, eq=False)
class LevelReport:
    """What is known of one level: node id → report, in an order in which each comes after its inputs.

    `used` are the nodes that reach an output; only their issues count as errors.
    """

    nodes: Mapping[str, NodeReport]
    used: frozenset[str]

    @cached_property
    def notable(self) -> tuple[str, ...]:
        """The nodes that are more than a block of which there is nothing to say but its signals."""
        return tuple(
            id
            for id, report in self.nodes.items()
            if report.issues
            or report.inside
            or report.remainders
            or report.limits
            or report.node.muted
            or report.node.ties
            or (report.block is not None and report.block.role == "output")
        )


@dataclass(frozen=True, eq=False)
class Report:
    """All that validation says of one revision of a document."""

    revision: int
    top: LevelReport
    issues: tuple[Issue, ...]
    requirements: tuple[Requirement, ...]
    variables: Mapping[str, Any]

    @property
    def valid(self) -> bool:
        """Whether the model can be compiled."""
        return not any(issue.severity == "error" for issue in self.issues)

    def level(self, at: Path) -> LevelReport | None:
        """The report on the level at that path (its first round), or None when it was never reached."""
        level = self.top
        for id in at:
            inner = level.nodes.get(id)
            if inner is None or not inner.inside:
                return None
            level = inner.inside[0]
        return level

    def node(self, path: Path) -> NodeReport | None:
        """The report on one node (its first round), or None."""
        level = self.level(path[:-1])
        return level.nodes.get(path[-1]) if level else None

    def state(self, path: Path) -> State:
        """How a node is: ok, error, waiting, or unused (it reaches no output)."""
        level, report = self.level(path[:-1]), self.node(path)
        if level is None or report is None:
            return "waiting"
        return "unused" if report.state == "ok" and path[-1] not in level.used else report.state

    def signal(self, path: Path, output: str) -> Signal | None:
        """What comes out of a port as people read it, or None while that is unknown."""
        report = self.node(path)
        signal = report.outputs.get(output) if report else None
        return self.simplified(signal) if signal else None

    def simplified(self, signal: Signal) -> Signal:
        """The signal with its sizes shortened by what is known to divide them."""
        return replace(signal, shape=tuple(simplify(size, self.remainders) for size in signal.shape))

    @property
    def remainders(self) -> Mapping[str, Remainders]:
        """Axis name → what its size may leave when it is divided."""
        return remainders_of(self.requirements)

    @property
    def divisors(self) -> Mapping[str, int]:
        """Axis name → the number that must divide it."""
        return {str(need.size): need.divisor for need in self.requirements if need.divisor > 1}

    def walk(self) -> Iterator[tuple[Path, NodeReport]]:
        """Every node that was looked at, groups before what is in them (their first round)."""
        yield from _walk((), self.top)


def remainders_of(requirements: Iterable[Requirement]) -> Mapping[str, Remainders]:
    """Axis name → what its size may leave when it is divided, where that is not all the same."""
    return {str(need.size): need.remainders for need in requirements if not need.remainders.is_any}


def _walk(at: Path, level: LevelReport) -> Iterator[tuple[Path, NodeReport]]:
    for id, report in level.nodes.items():
        yield (*at, id), report
        if report.inside:
            yield from _walk((*at, id), report.inside[0])
