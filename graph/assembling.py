"""From the reports on levels to that on a document: every issue once, and what the sizes must satisfy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from blocks.dimensions import Dimension, evaluate, named, names, simplify
from blocks.shapes import Limit
from graph import expressions
from graph.document import Document, Path
from graph.issues import Issue, LevelReport, Report, Requirement
from graph.repairs import Scope
from graph.ties import tie_issues

MOST_CALLS = 100_000


def assemble(document: Document, top: LevelReport, scope: Scope) -> Report:
    """The report on a document: what its levels say, and what only the whole can say."""
    issues: list[Issue] = []
    for name, fault in scope.faults.items():
        if not expressions.waits(fault):
            raw = scope.written[name]
            behind = expressions.roots([f"={name}"], scope.written)
            issue = Issue("error", (), f"variable {name}", f"It is `{raw}`", fault, param=name, variables=behind)
            issues.append(issue)
    divisors: dict[str, int] = {}
    limits: dict[tuple[Any, str], Limit] = {}
    _collect(top, True, issues, divisors, limits)
    if not any(report.block is not None and report.block.role == "output" for report in top.nodes.values()):
        found = "Nothing is drawn yet" if not top.nodes else "Nothing reaches an output"
        issues.append(Issue("error", (), "drawing", found, "a model needs at least one Output block"))
    calls = _calls(top)
    if calls > MOST_CALLS:
        found = f"It would run {calls:,} blocks one after another"
        issues.append(Issue("error", (), "drawing", found, f"at most {MOST_CALLS:,} are possible"))
    issues.extend(tie_issues(document, top))
    unique = list(issues_by_text(issues).values())
    unique.sort(key=lambda issue: issue.severity)
    return Report(document.revision, top, tuple(unique), _requirements(divisors, limits.values()), scope.variables)


def _calls(level: LevelReport) -> int:
    """How many blocks run, each as often as the groups around it are repeated."""
    on = [level.nodes[id] for id in level.used if not level.nodes[id].node.muted]
    groups = [report for report in on if report.inside]
    inner = sum(sum(map(_calls, report.inside)) * report.rounds // len(report.inside) for report in groups)
    return len(on) - len(groups) + inner


def issues_by_text(issues: Iterable[Issue]) -> dict[tuple[Path, str], Issue]:
    """Issues with those of further rounds of a group, which say the same, left out."""
    found: dict[tuple[Path, str], Issue] = {}
    for issue in issues:
        found.setdefault((issue.path, str(issue)), issue)
    return found


def _collect(
    level: LevelReport, used: bool, issues: list[Issue], divisors: dict[str, int], limits: dict[tuple[Any, str], Limit]
) -> None:
    for id, report in level.nodes.items():
        counts = used and id in level.used
        if report.issues:
            issues.extend(issue if counts else replace(issue, severity="warning") for issue in report.issues)
        for inner in report.inside:
            _collect(inner, counts and not report.node.muted, issues, divisors, limits)
        if not counts:
            continue
        for name, divisor in report.divisors.items():
            divisors[name] = math.lcm(divisors.get(name, 1), divisor)
        for limit in report.limits:
            limits.setdefault((limit, limit.because), limit)


def _requirements(divisors: Mapping[str, int], limits: Iterable[Limit]) -> tuple[Requirement, ...]:
    found = [Requirement(named(name), divisor) for name, divisor in sorted(divisors.items())]
    tightest: dict[tuple[str, str], Requirement] = {}
    for limit in limits:
        size = simplify(limit.size, divisors)
        for side, bound in (("low", limit.low), ("high", limit.high)):
            if bound is None or (side == "low" and _smallest(size, divisors) >= bound):
                continue
            key = (str(size), side)
            old = tightest.get(key)
            before = None if old is None else (old.low if side == "low" else old.high)
            if before is None or (bound > before if side == "low" else bound < before):
                tightest[key] = Requirement(size, because=limit.because, **{side: bound})
    return (*found, *(tightest[key] for key in sorted(tightest)))


def _smallest(size: Dimension, divisors: Mapping[str, int]) -> int:
    """What a size is when its names are as small as they may be; sizes grow with their names."""
    return evaluate(size, {name: divisors.get(name, 1) for name in names(size)})
