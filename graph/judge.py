"""One node under the light: parameters, ports, shapes and faults, given what comes in. Pure; faults are data."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import blocks
from blocks.shapes import Incoming, Needs, ShapeClash, spell
from blocks.spec import Block, Param, Port
from graph import bounds, expressions
from graph.bypass import bypassed
from graph.commands import UNSET, Disconnect, SetNode, SetParam
from graph.document import FROM_WIRE, GROUP, Node, Path, Wire
from graph.issues import Issue, NodeReport, Repair, Signal
from graph.repairs import Repairs, Scope

DTYPE_WORDS = {"float": "real numbers", "integer": "whole numbers", "bool": "truth values"}
MOST_NAMED = 12
PLAIN = frozenset((int, float, bool, str, type(None)))


def title_of(node: Node) -> str:
    """What people call a node: its own title, else that of its block."""
    if node.title:
        return node.title
    block = blocks.find(node.block)
    if block is not None:
        return block.title
    return node.id.replace("_", " ").capitalize() if node.block == GROUP else node.block


def reaches_port(wires: tuple[Wire, ...], port: str) -> bool:
    """Whether some wire arrives at that input."""
    return any(wire.input == port for wire in wires)


class Judgement(Repairs):
    """The gathering of one node's report; `issues` grows as faults are found."""

    def __init__(self, node: Node, wires: tuple[Wire, ...], before: Mapping[str, NodeReport], scope: Scope) -> None:
        super().__init__(node, wires, before, scope)
        self.issues: list[Issue] = []
        self.unwired = 0
        self.stuck = False
        """Whether a variable that it needs has no value, which is told at the variable."""
        self.uses: set[str] = set()

    @property
    def path(self) -> Path:
        """The path of the node."""
        return (*self.scope.at, self.node.id)

    def blame(self, found: str, needed: str = "", *, port: str = "", param: str = "", **rest: Any) -> None:
        """Note an issue."""
        title = title_of(self.node)
        where = f"{title}, input {port}" if port else f"{title}, {param}" if param else title
        severity = rest.pop("severity", "error")
        rest.setdefault("variables", self.variables_behind(port, param))
        self.issues.append(Issue(severity, self.path, where, found, needed, port=port, param=param, **rest))

    def variables_behind(self, port: str, param: str) -> frozenset[str]:
        """The variables that a parameter hangs on, or the node's parameters with those of what is wired to an input."""
        if param:
            raws = [self.node.repeat if param == "repeat" else self.node.params.get(param)]
        else:
            before = [self.before.get(wire.source) for wire in self.wires if wire.input == port]
            nodes = [self.node, *(report.node for report in before if report is not None)]
            raws = [raw for node in nodes for raw in node.params.values()]
        return expressions.roots(raws, self.scope.written)

    def read(self, raw: Any, param: str) -> Any:
        """The value of an expression or plain value; UNSET after blaming when it has none."""
        if not expressions.is_expression(raw):
            return raw
        mentioned = expressions.names(raw)
        self.uses |= mentioned
        if mentioned & self.scope.faults.keys():
            self.stuck = True
            return UNSET
        try:
            return expressions.evaluate(raw, self.scope.variables)
        except expressions.ExpressionError as error:
            self.blame(f"It is `{raw}`", str(error), param=param)
            return UNSET

    def read_params(self, block: type[Block]) -> list[Param]:
        """Read what the user set; returns the parameters that are still to be read off a wire."""
        waiting: list[Param] = []
        known = block.params()
        given = self.node.params
        strange = len(given)
        for param in known:
            name = param.name
            raw = given.get(name, FROM_WIRE if param.from_wire else UNSET)
            strange -= name in given
            if raw is UNSET:
                self.params[name], self.origins[name] = param.default, "default"
                continue
            if raw is FROM_WIRE or (type(raw) not in PLAIN and raw == FROM_WIRE):
                if param.from_wire:
                    self.origins[name] = "wire"
                    waiting.append(param)
                    continue
                self.blame(
                    "It is to be read off a wire", "this parameter cannot be", param=name,
                    repair=self.set_repair({name: param.default}),
                )  # fmt: skip
                continue
            value = self.read(raw, name)
            if value is UNSET:
                continue
            if param.type is float and isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            fault = param.fault(value)
            if fault:
                self.blame(f"It {fault}", param=name, repair=self.reset_repair(param))
                continue
            self.params[name] = value
            self.origins[name] = "expression" if raw is not value and expressions.is_expression(raw) else "set"
        if strange:
            self._note_unknown(block)
        return waiting

    def _note_unknown(self, block: type[Block]) -> None:
        for name in sorted(self.node.params.keys() - {param.name for param in block.params()}):
            self.blame(
                f"`{name}` is set", f"{block.title} has no such parameter{_only([p.name for p in block.params()])}",
                param=name, severity="warning",
                repair=Repair(f"Remove `{name}`", SetParam(self.scope.at, self.node.id, name, UNSET)),
            )  # fmt: skip

    def gather(self, ports: Mapping[str, Port]) -> tuple[dict[str, tuple[Signal, ...]], bool]:
        """The signals at each input, and whether all that must come in has come."""
        arrived: dict[str, list[Signal]] = {}
        wired: set[str] = set()
        ready = True
        for wire in self.wires:
            port = ports.get(wire.input)
            source = self.before.get(wire.source)
            if port is None:
                self.blame(
                    f"A wire from {self.origin(wire)} ends here",
                    f"there is no input {wire.input}{_only(ports)}", port=wire.input,
                    repair=Repair("Remove the wire", Disconnect(self.scope.at, wire)),
                )  # fmt: skip
                ready = False
                continue
            if wire.input in wired and not port.many:
                self.blame(
                    f"A second wire, from {self.origin(wire)}, ends here", "this input takes one", port=wire.input,
                    repair=Repair("Remove the wire", Disconnect(self.scope.at, wire)),
                )  # fmt: skip
                ready = False
                continue
            wired.add(wire.input)
            signal = source.outputs.get(wire.output) if source else None
            if signal is None:
                if source is not None and source.state == "ok" and source.node.muted:
                    self._blame_muted(wire, source.node)
                elif source is not None and source.state == "ok":
                    self.blame(
                        f"A wire comes from output {wire.output} of {self.origin(wire)}",
                        f"there is no such output{_only(source.outputs)}",
                        port=wire.input,
                        repair=Repair("Remove the wire", Disconnect(self.scope.at, wire)),
                    )
                ready = False
                continue
            peers = arrived.setdefault(wire.input, [])
            peers.append(signal)
            if signal.dtype != peers[0].dtype:
                self.blame(
                    f"It receives {DTYPE_WORDS[signal.dtype]} from {self.origin(wire)}",
                    f"its first wire carries {DTYPE_WORDS[peers[0].dtype]}",
                    port=wire.input,
                    joint="while",
                )
                ready = False
            elif port.dtype not in ("any", signal.dtype) and signal.dtype != "any":
                self._wrong_dtype(wire, port, signal)
                ready = False
        for name, port in ports.items():
            if not port.optional and not reaches_port(self.wires, name):
                wanted = "an input of any shape" if port.pattern == "..." else spell(port.pattern)
                self.blame("Nothing is wired to it", f"it needs {wanted}", port=name)
                self.unwired += 1
                ready = False
        return {name: tuple(signals) for name, signals in arrived.items()}, ready

    def _blame_muted(self, wire: Wire, source: Node) -> None:
        self.blame(
            f"A wire comes from output {wire.output} of {title_of(source)}",
            "that is switched off and passes on only its first input", port=wire.input,
            repair=Repair("Switch it on again", SetNode(self.scope.at, source.id, "muted", False)),
        )  # fmt: skip

    def _wrong_dtype(self, wire: Wire, port: Port, signal: Signal) -> None:
        assert port.dtype is not None
        repair = None
        if signal.kind == "tokens" and port.dtype == "float" and blocks.find("Embedding"):
            repair = Repair("Put an Embedding between", self.insertion(wire, "Embedding"))
        self.blame(
            f"It receives {DTYPE_WORDS[signal.dtype]} from {self.origin(wire)}",
            f"it needs {DTYPE_WORDS[port.dtype]}", port=wire.input, repair=repair,
        )  # fmt: skip

    def origin(self, wire: Wire) -> str:
        """The title of the node that a wire comes from, dots left out."""
        source = self.before.get(wire.source)
        while source is not None and source.node.is_dot and source.wires:
            source = self.before.get(source.wires[0].source)
        return title_of(source.node) if source else wire.source

    def origins_of(self, port: str) -> str:
        """The titles of the nodes that are wired to an input."""
        return " and ".join(self.origin(wire) for wire in self.wires if wire.input == port) or "nowhere"

    def read_wire(self, param: Param, ports: Mapping[str, Port], inputs: Mapping[str, tuple[Signal, ...]]) -> None:
        """Read a parameter off the first input that names it as an axis."""
        self.params[param.name] = param.default
        for name, signal, size in bounds.sizes_along(param.name, ports, inputs):
            if isinstance(size, int):
                self.params[param.name] = size
            else:
                self.blame(
                    f"It receives {signal} from {self.origins_of(name)}",
                    f"{param.rule.doc} ({param.name}) must be a number there, not {size}", port=name,
                )  # fmt: skip
            return  # the wrong number of axes everywhere is what `infer` will say

    def infer(
        self, block: type[Block], inputs: Mapping[str, tuple[Signal, ...]], ports: Mapping[str, Port], need: Needs
    ) -> dict[str, Any] | None:
        """The shapes that come out, or None after blaming the clash."""
        shapes: dict[str, Any] = {
            name: tuple(signal.shape for signal in signals) if ports[name].many else signals[0].shape
            for name, signals in inputs.items()
        }
        try:
            return block.infer(shapes, self.params, need)
        except ShapeClash as clash:
            origin, needed = self._culprit(block, shapes, ports, clash)
            repair = {
                name: value
                for name, value in clash.repair.items()
                if self.origins.get(name) != "wire" and self._mends(block, shapes, {name: value})
            }
            self.blame(
                f"It receives {clash.found} from {origin}" if clash.port in inputs else f"It has {clash.found}",
                needed,
                port=clash.port if clash.port in ports else "",
                repair=self.set_repair(repair),
                joint="while" if clash.peers else "but",
            )
            return None

    def _mends(self, block: type[Block], shapes: Incoming, values: Mapping[str, Any]) -> bool:
        params = self.repaired(values)
        if any(conflict.fatal for conflict in block.conflicts(params)):
            return False
        try:
            block.infer(shapes, params, Needs())
        except ShapeClash:
            return False
        return True

    def _culprit(
        self, block: type[Block], shapes: Incoming, ports: Mapping[str, Port], clash: ShapeClash
    ) -> tuple[str, str]:
        """The node behind a clash and what it clashes with; of many wires, the first at odds with wire one."""
        wires = [wire for wire in self.wires if wire.input == clash.port]
        if clash.port in ports and ports[clash.port].many:
            for position in range(1, len(wires)):
                pair = (shapes[clash.port][0], shapes[clash.port][position])
                try:
                    block.infer({**shapes, clash.port: pair}, self.params, Needs())
                except ShapeClash as smaller:
                    peer = f"{self.origin(wires[0])} gives {spell(pair[0])}"
                    return self.origin(wires[position]), peer if smaller.peers else smaller.needed
        return self.origins_of(clash.port), clash.needed


def judge(node: Node, wires: tuple[Wire, ...], before: Mapping[str, NodeReport], scope: Scope) -> NodeReport:
    """Look at one node that is not a group.

    Args:
        node: the node.
        wires: the wires into it.
        before: the reports on the nodes they come from.
        scope: what its level can see.
    """
    case = Judgement(node, wires, before, scope)
    block = blocks.find(node.block)
    if block is None:
        alike = difflib.get_close_matches(node.block, blocks.catalogue(), 1, 0.7)
        case.blame(
            f"This version knows no block called {node.block}",
            "the drawing keeps it as it is" + (f"; there is {alike[0]}" if alike else ""),
        )
        return NodeReport(node, wires, None, "error", issues=tuple(case.issues))
    waiting = case.read_params(block)
    blamed = case.stuck or _has_errors(case)
    complete = (
        {**{param.name: param.default for param in block.params()}, **case.params} if waiting or blamed else case.params
    )
    input_ports, output_ports = block.ports(complete)
    inputs, ready = case.gather(input_ports)
    ready = ready and not case.stuck
    if block.role == "group_input":
        ready = ready and case.params.get("port") in (case.scope.received or {})
    if ready:
        for param in waiting:
            case.read_wire(param, input_ports, inputs)
    need = Needs()
    outputs: dict[str, Signal] = {}
    _check_place(case, block)
    if ready and not _has_errors(case):
        for conflict in block.conflicts(case.params):
            case.blame(
                _sentence(conflict.found), conflict.needed, param=conflict.param,
                repair=case.chain_repairs(block, conflict.repair),
                severity="error" if conflict.fatal else "warning", variables=case.variables_behind("", ""),
            )  # fmt: skip
        if not _has_errors(case):
            outputs = _outputs(case, block, inputs, input_ports, output_ports, need)
    failed = _has_errors(case)
    report = NodeReport(
        node,
        wires,
        block,
        "error" if failed else "ok" if ready else "waiting",
        case.params,
        case.origins,
        input_ports,
        output_ports,
        inputs,
        {} if failed else outputs,
        tuple(case.issues),
        need.remainders,
        tuple(need.limits),
        frozenset(case.uses),
    )
    if not node.muted:
        return report
    return bypassed(report, scope.at, title_of(node), case.origins_of(next(iter(input_ports), "")))


def _outputs(
    case: Judgement,
    block: type[Block],
    inputs: Mapping[str, tuple[Signal, ...]],
    input_ports: Mapping[str, Port],
    output_ports: Mapping[str, Port],
    need: Needs,
) -> dict[str, Signal]:
    if block.role == "group_input":
        assert case.scope.received is not None
        return {"x": case.scope.received[case.params["port"]]}
    shapes = case.infer(block, inputs, input_ports, need)
    if shapes is None:
        return {}
    bounds.check(case, block, input_ports, inputs)
    first = next((inputs[name][0] for name in input_ports if inputs.get(name)), None)  # in the order of declaration
    outputs: dict[str, Signal] = {}
    for name, port in output_ports.items():
        dtype = port.dtype or (first.dtype if first else "float")
        kind = port.kind or (first.kind if first else "features")
        below = bounds.bound_out(block, port, case.params, input_ports, inputs)
        outputs[name] = Signal(shapes[name], dtype, kind, below)
    return outputs


def _check_place(case: Judgement, block: type[Block]) -> None:
    if case.scope.is_top and block.role in ("group_input", "group_output"):
        case.blame(f"{block.title} stands on the top level", "it is a port of a group: use an input or an output block")
    elif not case.scope.is_top and block.role in ("source", "output"):
        port = "Group input" if block.role == "source" else "Group output"
        case.blame(f"{block.title} stands inside a group", f"it belongs on the top level: use {port} here")


def _has_errors(case: Judgement) -> bool:
    """Whether something is wrong; an input without a wire is not wrong, only unfinished."""
    return bool(case.issues) and sum(issue.severity == "error" for issue in case.issues) > case.unwired


def _only(names: Iterable[str]) -> str:
    """What there is instead, to be put after what there is not; nothing where that is too much or too little."""
    known = list(names)
    return f", only {', '.join(known)}" if 0 < len(known) <= MOST_NAMED else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
