"""One tensor under two names: which ties of a document hold, and whether they can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graph import expressions
from graph.document import Document, Node, Path, Tie
from graph.issues import Issue, LevelReport, NodeReport
from graph.judge import title_of
from graph.parameters import parameter_shapes


def holds(tie: Tie, variables: Mapping[str, Any]) -> bool:
    """Whether a tie is on under given variables; one whose condition is neither true nor false counts as off."""
    return _condition(tie, variables) is True


def tie_issues(document: Document, top: LevelReport) -> Iterator[Issue]:
    """Every tie that cannot be.

    Those of nodes that reach no output are not looked at, as there is no tensor to be tied.
    """
    values, faults = expressions.resolve(document.variables)
    on: dict[str, str] = {}
    found: list[tuple[Path, Node, str, Tie]] = []
    for path, node in _tied((), top):
        for name, tie in node.ties.items():
            if not reaches_output(top, path) or _mentions(tie) & faults.keys():
                continue
            condition = _condition(tie, values)
            if isinstance(condition, str):
                yield _issue(path, node, name, f"is tied where `{tie.when}`", condition)
            elif condition:
                on[".".join((*path, name))] = tie.to
                found.append((path, node, name, tie))
    for path, node, name, tie in found:
        fault = _fault(document, top, path, name, tie) or (tie.to in on and f"that is tied itself, to {on[tie.to]}")
        if fault:
            yield _issue(path, node, name, f"is tied to {tie.to}", fault)


def _tied(at: Path, level: LevelReport) -> Iterator[tuple[Path, Node]]:
    """Every node with ties, groups before what is in them."""
    for id in level.notable:
        report = level.nodes[id]
        if report.node.ties:
            yield (*at, id), report.node
        if report.inside:
            yield from _tied((*at, id), report.inside[0])


def _issue(path: Path, node: Node, param: str, found: str, needed: str) -> Issue:
    return Issue("error", path, f"{title_of(node)}, {param}", f"`{param}` {found}", needed, param=param)


def _condition(tie: Tie, variables: Mapping[str, Any]) -> bool | str:
    """Whether the condition of a tie is true, or why it is neither true nor false."""
    value: Any = tie.when
    if expressions.is_expression(value):
        try:
            value = expressions.evaluate(value, variables)
        except expressions.ExpressionError as error:
            return str(error)
    if value in (True, False):  # 1 and 0 among them
        return bool(value)
    return f"{value!r} is neither true nor false"


def _mentions(tie: Tie) -> frozenset[str]:
    return expressions.names(tie.when) if expressions.is_expression(tie.when) else frozenset()


def _fault(document: Document, top: LevelReport, path: Path, name: str, tie: Tie) -> str:
    """Why a tie cannot be, or nothing."""
    own = _shape(top, (*path, name))
    target = tuple(tie.to.split("."))
    other = _shape(top, target)
    if own == "missing":
        return f"this block has no parameter `{name}`"
    if other == "missing":
        return "there is no such parameter"
    for place in (path, target):
        group = _own_each_round(document, place)
        if group:
            return f"every round of {group} has weights of its own"
    if own != "unknown" and not reaches_output(top, target):  # while a wire is missing, that one is the thing to say
        return "that reaches no output or is switched off"
    if own != other and "unknown" not in (own, other):
        return f"that has the shape {other} and this {own}"
    return ""


def _own_each_round(document: Document, path: Path) -> str:
    """The first group on a path that is repeated with weights of its own in each round, or nothing."""
    level = document.top
    for depth, id in enumerate(path):
        node = level.nodes.get(id)
        if node is None or node.level is None:
            break
        if node.repeat != 1 and not node.shared:
            return "/".join(path[: depth + 1])
        level = node.level
    return ""


def reaches_output(top: LevelReport, path: Path) -> bool:
    """Whether a node, or the node of a parameter path, is part of what runs."""
    level: LevelReport | None = top
    for id in path:
        if level is None:
            return True
        if id in level.nodes and id not in level.used:
            return False
        report = level.nodes.get(id)
        if report is not None and report.node.muted:
            return False
        level = report.inside[0] if report is not None and report.inside else None
    return True


def _shape(top: LevelReport, path: Path) -> tuple[int, ...] | str:
    """The shape of a parameter by its path, "missing", or "unknown" while its node is not ready."""
    level: LevelReport | None = top
    report: NodeReport | None = None
    for depth, id in enumerate(path):
        if level is None or id not in level.nodes:
            return "missing"
        report = level.nodes[id]
        if report.inside:
            level = report.inside[0]
            continue
        if report.state != "ok" or report.block is None:
            return "unknown"
        return parameter_shapes(report.block, report.params).get(".".join(path[depth + 1 :]), "missing")
    return "missing"
