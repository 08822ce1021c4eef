"""A whole drawing as one group of another: its inputs and outputs become ports, its variables come along."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import blocks
from graph.clipboard import fresh_copy
from graph.commands import AddNode, Command, Sequence, SetVariable
from graph.document import GROUP, Document, EditError, Level, Node, Path, Tie, Wire
from graph.expressions import is_expression
from graph.judge import title_of


def embed(
    document: Document, at: Path, other: Document, position: tuple[float, float], title: str = ""
) -> tuple[Command, str]:
    """Put another drawing into a document, as a group.

    Variables of one name and value are one; where the values differ, the drawing that comes in gets a name of its own.

    Args:
        document: where it goes.
        at: the level it goes to.
        other: the drawing; it stays as it is.
        position: the corner of the group.
        title: the group's title; by default that of the drawing.

    Returns:
        The command and the group's id.

    Raises:
        EditError: nothing is drawn there.
    """
    if not other.top.nodes:
        raise EditError("nothing is drawn there")
    title = title or other.title
    id = document.fresh_id(at, title or "group")
    renamed = _names(document, other)
    inside = Level()
    ports: dict[str, str] = {}
    for node in other.top.nodes.values():
        inside._add(_inside(_with_names(node, renamed, (*at, id)), ports))
    for wire in other.top.wires():
        inside._connect(Wire(wire.source, ports.get(wire.source, wire.output), wire.target, wire.input, wire.order))
    inside.extra = other.top.extra
    inside._annotate(other.top.comments)
    steps: list[Command] = [
        SetVariable(renamed.get(name, name), _rewritten(value, renamed))
        for name, value in other.variables.items()
        if renamed.get(name, name) not in document.variables
    ]
    group = fresh_copy(Node(id, GROUP, title=title, position=position, level=inside))
    return Sequence((*steps, AddNode(at, group)), f"Insert {title or id}"), id


def _names(document: Document, other: Document) -> dict[str, str]:
    """New names for the variables that mean something else in the document, themselves or what they are made of."""
    renamed: dict[str, str] = {}
    taken = {*document.variables, *other.variables}
    todo = list(other.variables)
    while todo:
        name = next((n for n in todo if _differs(n, document, other, renamed)), None)
        if name is None:
            return renamed
        todo.remove(name)
        count = next(count for count in range(2, len(taken) + 3) if f"{name}_{count}" not in taken)
        renamed[name] = f"{name}_{count}"
        taken.add(renamed[name])
    return renamed


def _differs(name: str, document: Document, other: Document, renamed: Mapping[str, str]) -> bool:
    value = other.variables[name]
    if name not in document.variables:
        return False
    return document.variables[name] != value or _rewritten(value, renamed) != value


def _inside(node: Node, ports: dict[str, str]) -> Node:
    """A node as it is in a group: a source and an output become ports called like it; notes what its output is."""
    block = blocks.find(node.block)
    role = block.role if block is not None else ""
    if role not in ("source", "output"):
        return node
    is_source = role == "source"
    if is_source:
        ports[node.id] = "x"
    return Node(
        node.id,
        "GroupInput" if is_source else "GroupOutput",
        MappingProxyType({"port": node.id}),
        title=title_of(node),
        position=node.position,
        order=node.order,
    )


def _with_names(node: Node, renamed: Mapping[str, str], at: Path) -> Node:
    """A node whose expressions have the new names of variables and whose ties point into the group."""
    level = node.level
    if level is not None:
        inner = Level()
        for child in level.nodes.values():
            inner._add(_with_names(child, renamed, at))
        for wire in level.wires():
            inner._connect(wire)
        inner.extra = level.extra
        inner._annotate(level.comments)
        level = inner
    params = {name: _rewritten(value, renamed) for name, value in node.params.items()}
    ties = {
        name: Tie(".".join((*at, tie.to)), _rewritten(tie.when, renamed)) for name, tie in node.ties.items()
    }  # fmt: skip
    return node.with_(
        level=level,
        params=MappingProxyType(params),
        ties=MappingProxyType(ties),
        repeat=_rewritten(node.repeat, renamed),
    )


def _rewritten(value: Any, renamed: Mapping[str, str]) -> Any:
    """An expression with other names of variables; anything else as it is."""
    if not renamed or not is_expression(value):
        return value
    try:
        tree = ast.parse(value.removeprefix("=").strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value  # it is broken, and says so wherever it is
    found = [part for part in ast.walk(tree) if isinstance(part, ast.Name) and part.id in renamed]
    for part in found:
        part.id = renamed[part.id]
    return f"={ast.unparse(tree)}" if found else value
