"""One tensor under two names: which ties of a document hold, and whether they can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graph import expressions
from graph.document import Document, Path, Tie
from graph.issues import LevelReport, NodeReport
from graph.parameters import parameter_shapes


def holds(tie: Tie, variables: Mapping[str, Any]) -> bool:
    """Whether a tie is on under given variables; a condition that cannot be computed counts as off."""
    if not expressions.is_expression(tie.when):
        return bool(tie.when)
    try:
        return bool(expressions.evaluate(tie.when, variables))
    except expressions.ExpressionError:
        return False


def tie_faults(document: Document, top: LevelReport) -> Iterator[tuple[Path, str, str]]:
    """Every tie that cannot be, as (path of the node, its parameter, a sentence without its full stop)."""
    values, _ = expressions.resolve(document.variables)
    for path, node in document.walk():
        for name, tie in node.ties.items():
            if not holds(tie, values):
                continue
            own = _shape(top, (*path, name))
            other = _shape(top, tuple(tie.to.split(".")))
            if own == "missing":
                yield path, name, f"`{name}` is tied to {tie.to}, but this block has no parameter `{name}`"
            elif other == "missing":
                yield path, name, f"`{name}` is tied to {tie.to}, but there is no such parameter"
            elif own != other and "unknown" not in (own, other):
                yield path, name, f"`{name}` has the shape {own} and is tied to {tie.to}, but that has {other}"


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
