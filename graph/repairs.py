"""What would mend an issue: edits of parameters, of the variables behind them, and blocks put into wires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import blocks
from blocks.spec import Block, Param
from graph import expressions
from graph.commands import UNSET, AddNode, Command, Connect, Disconnect, Sequence, SetNode, SetParam, SetVariable
from graph.document import Node, Path, Wire
from graph.issues import NodeReport, Repair, Signal


@dataclass(frozen=True, eq=False)
class Scope:
    """What a level can see: where it is, the variables, and, inside a group, what each of its inputs receives."""

    at: Path
    variables: Mapping[str, Any]
    faults: Mapping[str, str]
    written: Mapping[str, Any] = field(default_factory=dict)
    """The variables as they are written in the document, expressions and all."""
    received: Mapping[str, Signal] | None = None
    rounds: int = 1
    """How often the level runs: the repetitions of all groups around it, multiplied."""
    template: str = ""
    """The template that the drawing was made from, if any."""

    @property
    def is_top(self) -> bool:
        """Whether this is the top level of the document."""
        return not self.at

    def with_more(self, variables: Mapping[str, Any]) -> Scope:
        """The same with variables that it lacks; of those that it has, its own stay."""
        if not variables:
            return self
        written = {**variables, **self.written}
        values, faults = expressions.resolve(written)
        return replace(self, variables={**values, **self.variables}, faults={**faults, **self.faults}, written=written)


def usual_value(template: str, variable: str) -> Any:
    """What a variable is in the template that a drawing was made from; UNSET where there is none."""
    if not template:
        return UNSET
    from graph.templates import all_templates  # here, since the templates draw with what this is a part of

    known = all_templates().get(template)
    return known.variables[variable].default if known is not None and variable in known.variables else UNSET


class Repairs:
    """One node with what is known of its parameters, and the edits that would mend it."""

    def __init__(self, node: Node, wires: tuple[Wire, ...], before: Mapping[str, NodeReport], scope: Scope) -> None:
        self.node = node
        self.wires = wires
        self.before = before
        self.scope = scope
        self.params: dict[str, Any] = {}
        self.origins: dict[str, str] = {}

    def set_repair(self, values: Mapping[str, Any]) -> Repair | None:
        """The repair that sets parameters, or the variable where a parameter is just that."""
        steps: dict[str, Command] = {}
        for name, value in values.items():
            if self.origins.get(name) == "wire":
                continue
            variable = self._variable_of(self.node.params.get(name))
            if variable:
                steps[f"the variable `{variable}` to {spell_value(value)}"] = SetVariable(variable, value)
            else:
                command = SetParam(self.scope.at, self.node.id, name, value)
                steps[f"`{name}` to {spell_value(value)}"] = command
        if not steps:
            return None
        label = "Set " + " and ".join(steps)
        commands = tuple(steps.values())
        return Repair(label, commands[0] if len(commands) == 1 else Sequence(commands, label.replace("`", "")))

    def reset_repair(self, param: Param) -> Repair | None:
        """The repair of a parameter that is out of bounds: its default, or what its variable has in the template."""
        raw = self.node.params.get(param.name)
        variable = self._variable_of(raw)
        if variable:
            usual = usual_value(self.scope.template, variable)
            return self.set_repair({param.name: param.default if usual is UNSET else usual})
        return None if expressions.is_expression(raw) else self.set_repair({param.name: param.default})

    def repeat_repair(self, rounds: int) -> Repair | None:
        """The repair that sets how often a group is repeated, or the variable that says so; None where many say so."""
        raw = self.node.repeat
        variable = self._variable_of(raw)
        if variable:
            return Repair(f"Set the variable `{variable}` to {rounds}", SetVariable(variable, rounds))
        if expressions.is_expression(raw):
            return None
        return Repair(f"Set `repeat` to {rounds}", SetNode(self.scope.at, self.node.id, "repeat", rounds))

    def _variable_of(self, raw: Any) -> str | None:
        """The variable that something is set to ("=num_heads"), when that is a plain value itself."""
        name = raw.removeprefix("=").strip() if expressions.is_expression(raw) else ""
        written = self.scope.written.get(name)
        return name if written is not None and not expressions.is_expression(written) else None

    def repaired(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters after a repair: those that depend on a variable that it sets change with it."""
        changed = {
            variable: value
            for name, value in values.items()
            if (variable := self._variable_of(self.node.params.get(name)))
        }
        params = dict(self.params)
        if changed:
            variables, _ = expressions.resolve({**self.scope.written, **changed})
            for name, raw in self.node.params.items():
                if expressions.is_expression(raw) and name in params:
                    try:
                        params[name] = expressions.evaluate(raw, {**self.scope.variables, **variables})
                    except expressions.ExpressionError:
                        return dict(self.params)
        return {**params, **{name: value for name, value in values.items() if self.origins.get(name) != "wire"}}

    def chain_repairs(self, block: type[Block], values: Mapping[str, Any]) -> Repair | None:
        """A repair together with those of the conflicts that it would leave; None when they never end."""
        chain = dict(values)
        for _ in range(3):
            left = next(iter(block.conflicts(self.repaired(chain))), None)
            if left is None:
                return self.set_repair(chain)
            chain.update(left.repair)
        return None

    def insertion(self, wire: Wire, block_name: str) -> Command:
        """The edit that puts a block into a wire, through its first input and output."""
        block = blocks.find(block_name)
        assert block is not None
        input, output = next(iter(block.inputs)), next(iter(block.outputs))
        source = self.before[wire.source].node
        x = (source.position[0] + self.node.position[0]) / 2
        y = (source.position[1] + self.node.position[1]) / 2 + 80
        id = f"{wire.target}_{block_name.lower()}"[:100]
        vocab = self.before[wire.source].params.get("vocab")
        params = {"vocab": vocab} if vocab is not None else {}
        node = Node(id, block_name, params, position=(x, y))
        at = self.scope.at
        return Sequence(
            (
                Disconnect(at, wire),
                AddNode(at, node),
                Connect(at, Wire(wire.source, wire.output, id, input)),
                Connect(at, Wire(id, output, wire.target, wire.input, wire.order)),
            ),
            f"Insert {block.title}",
        )


def spell_value(value: Any) -> str:
    """A value as people write it."""
    return (
        {True: "yes", False: "no", None: "unset"}.get(value, str(value))
        if isinstance(value, bool | None)
        else str(value)
    )
