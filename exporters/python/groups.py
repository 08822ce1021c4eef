"""Groups of a drawing as classes: those that differ in numbers alone share one, and take the numbers as arguments."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blocks.dimensions import simplify
from blocks.shapes import Shape
from exporters.python.inlining import is_expression
from exporters.python.names import Names, class_name
from exporters.python.native import native
from graph.plan import BlockStep, GroupStep, Plan


@dataclass
class GroupClass:
    """One class for one or several groups.

    Args:
        name: what it is called.
        titles: what its groups are called.
        plans: the levels that it stands for; all have one structure.
        arguments: name of an argument of `__init__` → its value for each of the plans.
    """

    name: str
    titles: list[str] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    arguments: dict[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Built:
    """What one round of a group is built from: its class, and which of the class's plans it is."""

    cls: GroupClass
    place: int


class Groups:
    """All classes of a plan's groups, inner ones first, and which class each level has."""

    def __init__(self, plan: Plan, taken: frozenset[str]) -> None:
        self.classes: list[GroupClass] = []
        self._by_structure: dict[Hashable, GroupClass] = {}
        self._built: dict[int, Built] = {}
        self._names = Names(taken)
        self._remainders = plan.remainders
        self._names_of = _shared_names(plan)
        self.top = GroupClass("Model", [plan.title], [plan])
        self._visit(plan)

    def simple(self, shape: Shape) -> Shape:
        """A shape, shortened by what the requirements say: 2*(height//2) is height."""
        return tuple(simplify(size, self._remainders) for size in shape)

    def built(self, level: Plan) -> Built:
        """What a round is built from."""
        return self._built[id(level)]

    def _visit(self, level: Plan) -> None:
        for step in level.steps:
            if not isinstance(step, GroupStep):
                continue
            for inside in step.rounds:
                self._visit(inside)
                key = (self._names_of[own_name(step), structure(inside)], structure(inside))
                name = key[0]
                cls = self._by_structure.get(key)
                if cls is None:
                    cls = self._by_structure[key] = GroupClass(self._names.fresh(name, number=""))
                    self.classes.append(cls)
                self._built[id(inside)] = Built(cls, len(cls.plans))
                cls.titles.append(step.title)
                cls.plans.append(inside)


def own_name(step: GroupStep) -> str:
    """What a group's class would be called if it were alone."""
    return class_name("" if step.title == "Group" else step.title, step.id)


def _shared_names(plan: Plan) -> dict[tuple[str, Hashable], str]:
    """Groups of one structure whose names begin alike share a class, called by what is alike: AttendUp is Attend."""
    families: dict[tuple[str, Hashable], list[str]] = {}
    for step in groups_of(plan):
        for inside in step.rounds:
            name = own_name(step)
            families.setdefault((_words(name)[0], structure(inside)), []).append(name)
    return {
        (name, key): "".join(_common([_words(each) for each in members]))
        for (_, key), members in families.items()
        for name in members
    }


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[^A-Z]+", name)


def _common(names: list[list[str]]) -> list[str]:
    """The words that all begin with."""
    together = zip(*names, strict=False)
    return [words[0] for words in itertools.takewhile(lambda words: len(set(words)) == 1, together)]


def groups_of(plan: Plan) -> Iterator[GroupStep]:
    """Every group, outer ones first."""
    for step in plan.steps:
        if isinstance(step, GroupStep):
            yield step
            for inside in step.rounds:
                yield from groups_of(inside)


def structure(level: Plan) -> Hashable:
    """What two groups must have in common to share a class: everything but the numbers of their blocks."""
    return (
        tuple((entry.id, entry.port, entry.name) for entry in level.entries),
        tuple(map(_step_structure, level.steps)),
        tuple((exit.name, exit.value, exit.rounds) for exit in level.exits),
    )


def _step_structure(step: BlockStep | GroupStep) -> Hashable:
    ports = tuple(port for port, _ in step.outputs)
    if isinstance(step, BlockStep):
        values = tuple(step.params.items()) if is_expression(step) else tuple(step.params)
        if native(step):  # these decide which statements there are
            given = step.params.get
            values = (*values, given("init_std") is None, given("bias", False), given("reparametrization"))
            values = (*values, given("padding", 0) is None)
        return step.id, step.block, values, step.arguments, ports
    rounds = tuple(structure(inside) for inside in step.rounds)
    same = rounds[:1] if len(set(rounds)) == 1 else rounds
    return step.id, same, len(step.rounds), step.turns, step.shared, step.repeated, step.arguments, ports


def steps_at(cls: GroupClass, place: int) -> list[Any]:
    """One step as it is in each of a class's plans."""
    return [plan.steps[place] for plan in cls.plans]


def choose_arguments(cls: GroupClass, varying: list[tuple[str, str, tuple[Any, ...]]]) -> dict[tuple[Any, ...], str]:
    """Names for the values that differ between a class's groups; equal values have one name.

    Args:
        cls: receives the arguments.
        varying: (step id, parameter, its value for each plan), in the order of the steps.

    Returns the values for each plan → the name of the argument.
    """
    wishes: dict[tuple[Any, ...], Counter[str]] = {}
    first: dict[tuple[Any, ...], str] = {}
    for step, parameter, values in varying:
        key = spelled(values)
        wishes.setdefault(key, Counter())[parameter] += 1
        first.setdefault(key, step)
    names = Names()
    chosen: dict[tuple[Any, ...], str] = {}
    for key, counted in wishes.items():
        free = [name for name, _ in counted.most_common() if name not in names]
        chosen[key] = names.fresh(free[0] if free else f"{first[key]}_{counted.most_common(1)[0][0]}")
    for _, _, values in varying:
        cls.arguments[chosen[spelled(values)]] = values
    return chosen


def spelled(values: tuple[Any, ...]) -> tuple[str, ...]:
    """Values so that 1, 1.0 and True are told apart."""
    return tuple(map(repr, values))


def blocks_of(plan: Plan) -> Iterator[BlockStep]:
    """Every block call, each distinct round of a group once."""
    for step in plan.steps:
        if isinstance(step, BlockStep):
            yield step
        else:
            for inside in step.rounds:
                yield from blocks_of(inside)


def rounds_built(step: GroupStep) -> int:
    """How many copies of a group's weights there are."""
    return 1 if step.shared else step.repeat


def as_list(step: GroupStep) -> bool:
    """Whether a group is a ModuleList."""
    return step.repeated and not step.shared


def wired_ports(step: BlockStep) -> Mapping[str, bool]:
    """Input → whether something comes in."""
    wired = {argument.port for argument in step.arguments}
    return {port: port in wired for port in step.block.ports(step.params)[0]}
