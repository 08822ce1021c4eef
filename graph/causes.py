"""Faults that come from variables: each is told once, where it shows first, with a repair that has been tried.

One wrong variable breaks many nodes. For the first of them a value of the variable is looked for with which it is
well and nothing else becomes worse; what the same value mends as well is not told again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import blocks
from blocks.rules import Size
from graph import expressions
from graph.commands import UNSET, Command, Sequence, SetParam, SetVariable
from graph.document import Document, Path
from graph.issues import Issue, LevelReport, Repair, Report
from graph.repairs import spell_value, usual_value

MOST_NODES = 1000
"""So many nodes are looked at for one report, in all values that are tried."""
MOST_TRIALS = 16
"""So many values are tried for one issue."""
STEPS = (2, 4, 8, 16, 6, 12, 24)
MOST_LINKS = 3
"""So many variables are set by one repair at most: a value may call for another one."""

Values: TypeAlias = Mapping[str, Any]
Key: TypeAlias = tuple[Path, str]
Trial: TypeAlias = Callable[[Values], Report]


class Causes:
    """Remembers what was found, so that an edit that changes neither nodes nor wires costs no trial."""

    def __init__(self) -> None:
        self._content: list[Any] = []
        self._asked: tuple[Issue, ...] = ()
        self._settled: tuple[Issue, ...] = ()

    def settle(self, issues: tuple[Issue, ...], document: Document, trial: Trial) -> tuple[Issue, ...]:
        """The issues, those from one variable told once.

        Args:
            issues: all that was found.
            document: where.
            trial: the report if the variables were others.
        """
        if not any(issue.variables for issue in issues):
            return issues
        content = _content(document)
        same = len(content) == len(self._content) and all(a is b for a, b in zip(content, self._content, strict=True))
        if not same or self._asked != issues:
            self._content, self._asked = content, issues
            self._settled = _settled(issues, document, trial)
        return self._settled


def _content(document: Document) -> list[Any]:
    """All that a trial depends on, to be compared by identity."""
    content: list[Any] = [document.variables]
    for path, node in document.walk():
        content += (node.params, node.level, document.level(path[:-1]).incoming(node.id))
    return content


def _settled(issues: tuple[Issue, ...], document: Document, trial: Trial) -> tuple[Issue, ...]:
    search = _Search(issues, document, trial)
    repairs: dict[Key, Repair | None] = {}
    mended: set[Key] = set()
    """What a repair that is offered mends too."""
    for issue in issues:
        if issue.variables and _key(issue) not in mended and not _stands(issue.repair, document):
            values = search.values_for(issue)
            kept = issue.repair if _values_of(issue.repair) is None else None
            repairs[_key(issue)] = _repair(values) if values is not None else kept
            mended |= {_key(other) for other in issues} - search.left(values) if values is not None else set()
    told = (issue for issue in issues if _key(issue) in repairs or _key(issue) not in mended)
    return tuple(replace(issue, repair=repairs.get(_key(issue), issue.repair)) for issue in told)


class _Search:
    """The search for values of variables, within what it may cost."""

    def __init__(self, issues: tuple[Issue, ...], document: Document, trial: Trial) -> None:
        self._known = {_key(issue) for issue in issues}
        self._document = document
        self._trial = trial
        self._budget = MOST_NODES
        self._size = 1
        self._reports: dict[str, Report] = {}

    def values_for(self, issue: Issue) -> Values | None:
        """Values with which an issue is mended and none comes up, the fewer are left the better."""
        best: Values | None = None
        fewest = len(self._known)
        for values in _candidates(issue, self._document):
            chain = values
            for _ in range(MOST_LINKS):
                report = self._try(chain)
                if report is None:
                    return best
                left = {_key(other) for other in report.issues}
                if left <= self._known - {_key(issue)}:
                    if len(left) < fewest:
                        best, fewest = chain, len(left)
                    break
                came = (other for other in report.issues if _key(other) not in self._known)
                further = next((more for other in came if (more := _values_of(other.repair))), {})
                if not further or further.keys() & chain.keys() or None in further.values():
                    break
                chain = {**chain, **further}
            if not fewest:
                break
        return best

    def left(self, values: Values) -> set[Key]:
        """What is wrong with values that were tried."""
        report = self._try(values)
        assert report is not None
        return {_key(issue) for issue in report.issues}

    def _try(self, values: Values) -> Report | None:
        """The report if the variables had these values, or None when that would cost too much."""
        name = repr(sorted(values.items()))
        if name not in self._reports:
            if self._budget < self._size:
                return None
            report = self._trial({**self._document.variables, **values})
            self._size = _size(report.top)
            self._budget -= self._size
            self._reports[name] = report
        return self._reports[name]


def _key(issue: Issue) -> Key:
    return issue.path, str(issue)


def _size(level: LevelReport) -> int:
    return len(level.nodes) + sum(_size(inner) for report in level.nodes.values() for inner in report.inside)


def _values_of(repair: Repair | None) -> dict[str, Any] | None:
    """What a repair sets variables to; None when it does anything else."""
    if repair is None:
        return None
    command: Command = repair.command
    steps = command.steps if isinstance(command, Sequence) else (command,)
    values = {step.name: step.value for step in steps if isinstance(step, SetVariable)}
    return values if len(values) == len(steps) else None


def _stands(repair: Repair | None, document: Document) -> bool:
    """Whether a repair sets only parameters that have plain values, so that no variable is to blame."""
    if repair is None:
        return False
    command: Command = repair.command
    steps = command.steps if isinstance(command, Sequence) else (command,)
    for step in steps:
        if isinstance(step, SetVariable):
            return False
        if isinstance(step, SetParam) and expressions.is_expression(
            document.level(step.at).node(step.id).params.get(step.name)
        ):
            return False
    return True


def _candidates(issue: Issue, document: Document) -> Iterator[Values]:
    """Values of variables that may mend an issue, the likeliest first."""
    own = _values_of(issue.repair)
    found: list[Values] = [own] if own else []
    names = sorted(issue.variables)
    template = str(document.template.get("name", ""))
    usual = {name: usual_value(template, name) for name in document.variables}
    defaults = {name: list(_defaults(document, name)) for name in names}
    found += [{name: usual[name]} for name in names if usual[name] is not UNSET]
    found += [{name: value} for name in names for value in defaults[name][:1]]
    found += [{name: value} for name, value in usual.items() if value is not UNSET]
    found += [{name: value} for name in names for value in (*defaults[name], *_near(document.variables[name]))]
    tried: list[Values] = []
    for values in found:
        changes = any(document.variables[name] != value for name, value in values.items())
        if changes and values not in tried and None not in values.values():
            tried.append(values)
            yield values
        if len(tried) == MOST_TRIALS:
            return


def _defaults(document: Document, variable: str) -> Iterator[Any]:
    """What parameters that are set to a variable are in a new node."""
    for _, node in document.walk():
        block = blocks.find(node.block)
        if expressions.is_expression(node.repeat) and node.repeat.removeprefix("=").strip() == variable:
            yield 1
        for param in block.params() if block is not None else ():
            raw = node.params.get(param.name)
            if expressions.is_expression(raw) and raw.removeprefix("=").strip() == variable:
                yield param.default
                if isinstance(param.rule, Size):
                    yield param.rule.low


def _near(value: Any) -> Iterator[int]:
    """The multiples of what sizes mostly are multiples of about a number, the nearest first."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 1 << 20:
        yield from (1, 2, 4, 8, 16, 64, 3, 6, 12, 48)
        return
    around = {size for step in STEPS for size in (value // step * step, -(-value // step) * step)}
    yield from sorted(around - {0, value}, key=lambda size: (abs(size - value), size))
    yield 1


def _repair(values: Values) -> Repair:
    steps = tuple(SetVariable(name, value) for name, value in values.items())
    label = "Set " + " and ".join(f"the variable `{name}` to {_spell(value)}" for name, value in values.items())
    return Repair(label, steps[0] if len(steps) == 1 else Sequence(steps, label.replace("`", "")))


def _spell(value: Any) -> str:
    return f"`{value}`" if expressions.is_expression(value) else spell_value(value)
