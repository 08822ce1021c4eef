"""`forward` of a class: one statement for each node, named after it, with a comment where the shape changes."""

from __future__ import annotations

from collections import Counter

from blocks.shapes import spell
from exporters.python import writing
from exporters.python.groups import GroupClass, Groups, as_list, steps_at
from exporters.python.inlining import expression, is_expression
from exporters.python.names import Names
from exporters.python.sources import Import
from graph.plan import Argument, BlockStep, Exit, GroupStep, Value

INDENT = "        "


class Calls:
    """The body of one class's `forward`."""

    def __init__(self, cls: GroupClass, groups: Groups, taken: frozenset[str]) -> None:
        self.imports: set[Import] = set()
        self._cls = cls
        self._groups = groups
        self._names = Names(taken)
        self._level = cls.plans[0]
        self._value_names: dict[Value, str] = {}
        self._ranks: dict[Value, int] = {}
        self._lines: list[str] = []
        self._shape = ""
        self.inputs = [self._name_entry(place) for place in range(len(self._level.entries))]

    def lines(self) -> list[str]:
        """The statements, the return included."""
        for place, step in enumerate(self._level.steps):
            if isinstance(step, BlockStep):
                self._block(place, step)
            else:
                self._group(place, step)
        results = ", ".join(self._value_names[exit.value] for exit in self._level.exits)
        self._return(results)
        return self._lines

    def _name_entry(self, place: int) -> str:
        entry = self._level.entries[place]
        value = Value(entry.id, entry.port)
        self._value_names[value] = name = self._names.fresh(entry.name)
        self._ranks[value] = len(entry.signal.shape)
        return name

    def _block(self, place: int, step: BlockStep) -> None:
        values = [value for argument in step.arguments for value in argument.values]
        names = [self._value_names[value] for value in values]
        if is_expression(step):
            text, imports = expression(step, names, self._ranks[values[0]] if values else 0)
            self.imports |= imports
        else:
            text = f"self.{step.id}({self._arguments(step)})"
        results = [Value(step.id, port) for port, _ in step.outputs]
        for value, (_, signal) in zip(results, step.outputs, strict=True):
            self._ranks[value] = len(signal.shape)
        if text in names:  # it gives what it receives
            self._value_names[results[0]] = text
            return
        for value in results:
            wish = step.id if len(results) == 1 else f"{step.id}_{value.port}"
            self._value_names[value] = self._names.fresh(wish)
        self._assign([self._value_names[value] for value in results], text, self._shown(place))

    def _arguments(self, step: BlockStep) -> str:
        """Required inputs by position, optional ones by name: just as the compiled model calls it."""
        declared = step.block.ports(step.params)[0]
        given: list[str] = []
        by_name = False
        for argument in step.arguments:
            names = [self._value_names[value] for value in argument.values]
            by_name = by_name or (declared[argument.port].optional and not argument.many)
            given += [f"{argument.port}={names[0]}"] if by_name and not argument.many else names
        return ", ".join(given)

    def _group(self, place: int, step: GroupStep) -> None:
        exits = step.round(0).exits
        kept = "last" if step.repeat <= 1 else ""
        carried = {exit.name for exit in exits if exit.rounds == "carry"}
        for exit in exits:
            value = Value(step.id, exit.name)
            self._value_names[value] = self._names.fresh(step.id if len(exits) == 1 else f"{step.id}_{exit.name}")
            self._ranks[value] = len(dict(step.outputs)[exit.name].shape) if exit.name in dict(step.outputs) else 0
        gathered = [exit for exit in exits if (kept or exit.rounds) in ("sum", "stack")]
        lists = {exit.name: self._names.fresh(f"{self._result(step, exit)}_rounds") for exit in gathered}
        if not step.repeated or step.repeat == 1:
            callee = f"self.{step.id}[0]" if as_list(step) else f"self.{step.id}"
            self._call(place, step, 0, callee, {}, lists, INDENT)
            return
        inside = {name: self._result(step, exit) for exit in exits for name in [exit.name] if name in carried}
        self._start(step, inside)
        self._lines += [f"{INDENT}{name} = []" for name in lists.values()]
        if len({tuple(entry.name for entry in level.entries) for level in step.rounds}) > 1:
            for index in step.turns:
                self._call(place, step, index, f"self.{step.id}[{index}]", inside, lists, INDENT)
        elif step.shared:
            self._lines.append(f"{INDENT}for _ in range({step.repeat}):")
            self._call(place, step, 0, f"self.{step.id}", inside, lists, INDENT + writing.STEP)
        else:
            layer = self._names.fresh("layer")
            rounds = f"reversed(self.{step.id})" if step.backwards else f"self.{step.id}"
            self._lines.append(f"{INDENT}for {layer} in {rounds}:")
            self._call(place, step, 0, layer, inside, lists, INDENT + writing.STEP)
        self._gather(step, gathered, lists)

    def _result(self, step: GroupStep, exit: Exit) -> str:
        return self._value_names[Value(step.id, exit.name)]

    def _start(self, step: GroupStep, inside: dict[str, str]) -> None:
        """What is carried starts as what comes in."""
        arguments = {argument.port: argument for argument in step.arguments}
        for name, variable in inside.items():
            if name in arguments:
                self._lines.append(f"{INDENT}{variable} = {self._value_names[arguments[name].values[0]]}")

    def _call(
        self,
        place: int,
        step: GroupStep,
        index: int,
        callee: str,
        inside: dict[str, str],
        lists: dict[str, str],
        indent: str,
    ) -> None:
        level = step.round(index)
        arguments: dict[str, Argument] = {argument.port: argument for argument in step.arguments}
        given = [
            inside.get(entry.name) or self._value_names[arguments[entry.name].values[0]] for entry in level.entries
        ]
        text = f"{callee}({', '.join(given)})"
        results = [self._result(step, exit) for exit in level.exits]
        if list(lists) == [exit.name for exit in level.exits]:
            self._lines += writing.laid_out(f"{lists[level.exits[0].name]}.append({text})", indent)
            return
        self._assign(results, text, self._shown(place), indent)
        self._lines += [
            f"{indent}{lists[e.name]}.append({self._result(step, e)})" for e in level.exits if e.name in lists
        ]

    def _gather(self, step: GroupStep, gathered: list[Exit], lists: dict[str, str]) -> None:
        for exit in gathered:
            name = lists[exit.name]
            text = f"torch.stack({name})" if exit.rounds == "stack" else f"sum({name}[1:], start={name}[0])"
            if exit.rounds == "stack":
                self.imports.add(Import("torch", "", "torch"))
            self._lines.append(f"{INDENT}{self._result(step, exit)} = {text}")

    def _assign(self, names: list[str], text: str, comment: str, indent: str = INDENT) -> None:
        self._lines += writing.laid_out(f"{', '.join(names)} = {text}", indent, comment=comment)

    def _shown(self, place: int) -> str:
        """The shape of a step's result as a comment, where it is not the one shown last."""
        shapes = {
            spell(self._groups.simple(signal.shape))
            for step in steps_at(self._cls, place)
            for _, signal in step.outputs
        }
        if len(shapes) != 1:
            self._shape = ""
            return ""
        text = shapes.pop()
        if text == self._shape:
            return ""
        self._shape = text
        return f"# {text}"

    def _return(self, results: str) -> None:
        """Give back the results; what the last statement computes for nothing else is given back at once."""
        last = self._lines[-1] if self._lines else ""
        start = f"{INDENT}{results} = "
        used = Counter(exit.value for exit in self._level.exits)
        if last.startswith(start) and "," not in results and max(used.values()) == 1 and not last.endswith("("):
            self._lines[-1] = f"{INDENT}return {last.removeprefix(start)}"
        else:
            self._lines.append(f"{INDENT}return {results}")
