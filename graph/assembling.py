"""From the reports on levels to that on a document: every issue once, and what the sizes must satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from blocks.dimensions import Dimension, evaluate, named, names, simplify
from blocks.remainders import ANY, Allowed, Remainders
from blocks.shapes import Limit
from graph import expressions
from graph.closing import closing
from graph.document import Document, Path
from graph.issues import Issue, LevelReport, Report, Requirement
from graph.judge import title_of
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
    gathered = _Gathered(issues)
    gathered.collect(top, (), True)
    remainders = _together(gathered.demands, issues)
    notable = [top.nodes[id].block for id in top.notable]
    if not any(block is not None and block.role == "output" for block in notable):
        found = "Nothing is drawn yet" if not top.nodes else "Nothing reaches an output"
        needed = "a model needs at least one Output block"
        issues.append(Issue("error", (), "drawing", found, needed, closing(document, top)))
    calls = _calls(top)
    if calls > MOST_CALLS:
        found = f"It would run {calls:,} blocks one after another"
        issues.append(Issue("error", (), "drawing", found, f"at most {MOST_CALLS:,} are possible"))
    issues.extend(tie_issues(document, top))
    unique = list(issues_by_text(issues).values())
    unique.sort(key=lambda issue: issue.severity)
    return Report(
        document.revision, top, tuple(unique), _requirements(remainders, gathered.limits.values()), scope.variables
    )


def _calls(level: LevelReport) -> int:
    """How many blocks run, each as often as the groups around it are repeated."""
    notable = [level.nodes[id] for id in level.notable if id in level.used]
    muted = [report for report in notable if report.node.muted]
    groups = [report for report in notable if report.inside and not report.node.muted]
    inner = sum(sum(map(_calls, report.inside)) * report.rounds // len(report.inside) for report in groups)
    return len(level.used) - len(muted) - len(groups) + inner


def issues_by_text(issues: Iterable[Issue]) -> dict[tuple[Path, str], Issue]:
    """Issues with those of further rounds of a group, which say the same, left out."""
    found: dict[tuple[Path, str], Issue] = {}
    for issue in issues:
        found.setdefault((issue.path, str(issue)), issue)
    return found


@dataclass
class _Gathered:
    """What nodes say: their issues, and what they demand of sizes."""

    issues: list[Issue]
    demands: dict[str, dict[Remainders, tuple[Path, str]]] = field(default_factory=dict)
    """Axis name → what is demanded of it → the first node by name that does, and its title."""
    limits: dict[tuple[Any, str], Limit] = field(default_factory=dict)

    def collect(self, level: LevelReport, at: Path, used: bool) -> None:
        """Look through a level; what reaches no output only warns and demands nothing."""
        for id in level.notable:
            report, counts = level.nodes[id], used and id in level.used
            if report.issues:
                self.issues.extend(issue if counts else replace(issue, severity="warning") for issue in report.issues)
            for inner in report.inside:
                self.collect(inner, (*at, id), counts and not report.node.muted)
            if not counts:
                continue
            for name, rest in report.remainders.items():
                known = self.demands.setdefault(name, {})
                path = (*at, id)
                if rest not in known or path < known[rest][0]:
                    known[rest] = path, title_of(report.node)
            for limit in report.limits:
                self.limits.setdefault((limit, limit.because), limit)


def _together(demands: Mapping[str, Mapping[Remainders, tuple[Path, str]]], issues: list[Issue]) -> Allowed:
    """What all nodes together demand of each name; the first that contradicts those before it is blamed."""
    together: Allowed = {}
    for name, known in sorted(demands.items()):
        before: list[tuple[Remainders, str]] = []
        for rest, (path, title) in sorted(known.items(), key=lambda item: item[1]):
            both = together.get(name, ANY) & rest
            if both is None:
                odd = next((other for other in before if other[0] & rest is None), (together[name], "all the others"))
                found, needed = f"For it {name} must {rest}", f"for {odd[1]} it must {odd[0]}"
                issues.append(Issue("error", path, title, found, needed, joint="while"))
                break
            together[name] = both
            before.append((rest, title))
    return together


def _requirements(remainders: Allowed, limits: Iterable[Limit]) -> tuple[Requirement, ...]:
    found = [Requirement(named(name), rest) for name, rest in sorted(remainders.items())]
    tightest: dict[tuple[str, str], Requirement] = {}
    for limit in limits:
        size = simplify(limit.size, remainders)
        for side, bound in (("low", limit.low), ("high", limit.high)):
            if bound is None or (side == "low" and _smallest(size, remainders) >= bound):
                continue
            key = (str(size), side)
            old = tightest.get(key)
            before = None if old is None else (old.low if side == "low" else old.high)
            if before is None or (bound > before if side == "low" else bound < before):
                low, high = (bound, None) if side == "low" else (None, bound)
                tightest[key] = Requirement(size, low=low, high=high, because=limit.because)
    return (*found, *(tightest[key] for key in sorted(tightest)))


def _smallest(size: Dimension, remainders: Allowed) -> int:
    """What a size is when its names are as small as they may be; sizes grow with their names."""
    return evaluate(size, {name: remainders.get(name, ANY).upwards(1) for name in names(size)})
