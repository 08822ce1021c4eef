"""`__init__` of a group's class: its modules, with the numbers that are not their defaults."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from exporters.python import writing
from exporters.python.groups import (
    GroupClass,
    Groups,
    as_list,
    choose_arguments,
    rounds_built,
    spelled,
    steps_at,
)
from exporters.python.inlining import is_expression
from exporters.python.names import Names
from exporters.python.native import native, reparametrize, start
from graph.plan import BlockStep, GroupStep

if TYPE_CHECKING:
    from exporters.python.library import Library

INDENT = "        "


class Construction:
    """The modules of one class, written once its inner classes have their arguments."""

    def __init__(self, cls: GroupClass, groups: Groups, library: Library) -> None:
        self._cls = cls
        self._groups = groups
        self._library = library
        self._chosen = choose_arguments(cls, self._varying())

    def lines(self) -> list[str]:
        """One assignment for each module."""
        lines: list[str] = []
        for place, step in enumerate(self._cls.plans[0].steps):
            if isinstance(step, BlockStep):
                if not is_expression(step):
                    values = self._block_values(place)
                    lines += writing.laid_out(f"self.{step.id} = {self._module(step, values)}", INDENT)
                    lines += self._start(step, values)
            else:
                lines += writing.laid_out(f"self.{step.id} = {self._group(place, step)}", INDENT)
        return lines

    def signature(self) -> str:
        """The arguments of `__init__` behind self."""
        shown = [f"{name}: {annotation(values)}" for name, values in self._cls.arguments.items()]
        return "".join((", *, ", ", ".join(shown))) if shown else ""

    def _varying(self) -> list[tuple[str, str, tuple[Any, ...]]]:
        found: list[tuple[str, str, tuple[Any, ...]]] = []
        for place, step in enumerate(self._cls.plans[0].steps):
            if isinstance(step, BlockStep):
                given = {} if is_expression(step) else self._block_values(place)
                tables = [given]
            else:
                tables = self._round_values(place)
                if not as_list(step) or _alike(tables):
                    tables = tables[:1]
                elif self._one_class(place) and not any(_differ(v) for table in tables for v in table.values()):
                    continue  # the rounds differ among themselves only: a loop in place
            found += [(step.id, name, v) for table in tables for name, v in table.items() if _differ(v)]
        return found

    def _block_values(self, place: int) -> dict[str, tuple[Any, ...]]:
        """Parameter → its value in each plan, for those that are not at their default everywhere."""
        steps: list[BlockStep] = steps_at(self._cls, place)
        known = native(steps[0])
        if known is None:
            defaults = self._library.classes[steps[0].block].defaults
        else:
            unset = dict.fromkeys(known.by_position, inspect.Parameter.empty)
            defaults = {**unset, **known.by_name}
            ours = {"init_std": None, "reparametrization": "none"}
            defaults |= {name: value for name, value in ours.items() if name in steps[0].params}
        values = {name: tuple(step.params[name] for step in steps) for name in defaults}
        return {
            name: given
            for name, given in values.items()
            if defaults[name] is inspect.Parameter.empty or set(spelled(given)) != {repr(defaults[name])}
        }

    def _module(self, step: BlockStep, values: Mapping[str, tuple[Any, ...]]) -> str:
        known = native(step)
        if known is None:
            return f"{self._library.classes[step.block].name}({self._keywords(values)})"
        given = [self._value(values[name]) for name in known.by_position]
        by_name = {
            name: tuple(known.spelled.get((name, value), value) for value in each)
            for name, each in values.items()
            if name in known.by_name
        }
        return f"nn.{known.name}({', '.join([*given, *filter(None, [self._keywords(by_name)])])})"

    def _start(self, step: BlockStep, values: Mapping[str, tuple[Any, ...]]) -> list[str]:
        """What gives a module of torch's the start, and the weight, that the drawing asks for."""
        if native(step) is None:
            return []
        path = f"self.{step.id}"
        lines: list[str] = []
        tied = f"{step.id}.weight" in self._cls.plans[0].ties  # it takes over another tensor, start and all
        if "init_std" in values and not tied:
            lines += start(path, step.params.get("bias", False), self._value(values["init_std"]))
        if "reparametrization" in values:
            lines += reparametrize(path, step.params["reparametrization"])
        return [INDENT + line for line in lines]

    def _round_values(self, place: int) -> list[dict[str, tuple[Any, ...]]]:
        """For each round that is built: argument of its class → its value in each plan."""
        steps: list[GroupStep] = steps_at(self._cls, place)
        tables: list[dict[str, tuple[Any, ...]]] = []
        for index in range(min(rounds_built(steps[0]), len(steps[0].rounds))):
            built = [self._groups.built(step.round(index)) for step in steps]
            arguments = built[0].cls.arguments
            tables.append({name: tuple(values[one.place] for one in built) for name, values in arguments.items()})
        return tables

    def _one_class(self, place: int) -> bool:
        steps: list[GroupStep] = steps_at(self._cls, place)
        return len({id(self._groups.built(inside).cls) for step in steps for inside in step.rounds}) == 1

    def _group(self, place: int, step: GroupStep) -> str:
        tables = self._round_values(place)
        names = [self._groups.built(step.round(index)).cls.name for index in range(len(tables))]
        if not as_list(step):
            return f"{names[0]}({self._keywords(tables[0])})"
        if _alike(tables) and len(set(names)) == 1:
            return f"nn.ModuleList({names[0]}({self._keywords(tables[0])}) for _ in range({step.repeat}))"
        if len(set(names)) == 1 and not any(_differ(values) for table in tables for values in table.values()):
            return self._comprehension(names[0], [{n: values[0] for n, values in table.items()} for table in tables])
        each = [f"{name}({self._keywords(table)})" for name, table in zip(names, tables, strict=True)]
        return f"nn.ModuleList([{', '.join(each)}])"

    def _comprehension(self, name: str, rounds: list[dict[str, Any]]) -> str:
        """A ModuleList whose rounds differ in some numbers."""
        moving = [key for key in rounds[0] if len({repr(table[key]) for table in rounds}) > 1]
        free = Names(self._cls.arguments)
        loop = {key: free.fresh(key) for key in moving}
        fixed = {key: writing.literal(value) for key, value in rounds[0].items() if key not in loop}
        call = ", ".join(f"{key}={value}" for key, value in (fixed | loop).items())
        values = [tuple(table[key] for key in moving) for table in rounds]
        series = tuple(value[0] for value in values) if len(moving) == 1 else tuple(values)
        return f"nn.ModuleList({name}({call}) for {', '.join(loop.values())} in {writing.literal(series)})"

    def _keywords(self, values: Mapping[str, tuple[Any, ...]]) -> str:
        return ", ".join(f"{name}={self._value(given)}" for name, given in values.items())

    def _value(self, given: tuple[Any, ...]) -> str:
        return self._chosen[spelled(given)] if _differ(given) else writing.literal(given[0])


def annotation(values: tuple[Any, ...]) -> str:
    """The type that values have in common."""
    kinds = dict.fromkeys("None" if value is None else type(value).__name__ for value in values)
    return " | ".join(sorted(kinds, key=lambda kind: kind == "None"))


def _differ(values: tuple[Any, ...]) -> bool:
    return len(set(spelled(values))) > 1


def _alike(tables: list[dict[str, tuple[Any, ...]]]) -> bool:
    return len({tuple((name, spelled(values)) for name, values in table.items()) for table in tables}) <= 1
