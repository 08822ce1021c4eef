"""Run to here: a drawing that ends at one node, made from another one that stays as it is."""

from __future__ import annotations

from collections import deque
from types import MappingProxyType

import blocks
from graph.document import Document, EditError, Level, Node, Path, Wire
from graph.issues import Report
from graph.judge import title_of
from graph.validate import group_ports, validate

ONCE = "=1"
"""How often a repeated group runs whose inside ends early: once, and it stays a group with rounds."""


def ending_at(document: Document, path: Path, report: Report | None = None) -> Document:
    """The drawing with only what leads to a node, whose results are its outputs.

    Nodes keep their identities, so they have the weights that they have in the whole drawing. Of a repeated group
    around the node the first round is run.

    Args:
        document: the whole drawing.
        path: the node.
        report: the report on the whole drawing, where there is one.

    Raises:
        EditError: nothing comes out of the node; the sentence says why.
    """
    report = validate(document) if report is None else report
    node, known = document.node(path), report.node(path)
    if known is None or (known.state != "ok" and not known.issues):
        raise EditError(f"{title_of(node)} waits for what is before it")
    if known.state != "ok":
        raise EditError(f"nothing comes out of {title_of(node)}. {known.issues[0]}")
    ending = Document(document.title)
    ending.seed, ending.weights, ending.variables = document.seed, document.weights, document.variables
    ending.top = _cut(document.top, path, tuple(known.outputs))
    _untie(ending)
    return ending


def _cut(level: Level, path: Path, ports: tuple[str, ...], *, is_top: bool = True) -> Level:
    """A level that ends at a node of it, or at one inside a group of it."""
    id, inner = path[0], path[1:]
    node = level.nodes[id]
    if inner:
        assert node.level is not None
        inside = _cut(node.level, inner, ports, is_top=False)
        ports = tuple(group_ports(inside)[1])
        node = node.with_(level=inside, repeat=ONCE if node.repeat != 1 else 1, muted=False)
    kept = _before(level, node)
    result = Level()
    for old in level.nodes.values():
        if old.id in kept:
            result._add(node if old.id == id else old)
    for wire in level.wires():
        if wire.source in kept and wire.target in kept and _takes(node, wire):
            result._connect(wire)
    block = blocks.find(node.block)
    if block is None or block.role not in ("output", "group_output"):
        for order, port in enumerate(ports):
            end = _end(result, node.id, port, order, is_top=is_top)
            result._add(end)
            result._connect(Wire(node.id, port, end.id, "x"))
    return result


def _before(level: Level, node: Node) -> set[str]:
    """The node and all that leads to it."""
    kept = {node.id}
    queue = deque([wire for wire in level.incoming(node.id) if _takes(node, wire)])
    while queue:
        source = queue.popleft().source
        if source not in kept:
            kept.add(source)
            queue.extend(level.incoming(source))
    return kept


def _takes(node: Node, wire: Wire) -> bool:
    """Whether the node still has the input at which a wire ends; a group that ends early may need less."""
    return wire.target != node.id or node.level is None or wire.input in group_ports(node.level)[0]


def _end(level: Level, id: str, port: str, order: int, *, is_top: bool) -> Node:
    name, count = f"{id}_{port}"[:90].lower(), 1
    while name in level:
        name, count = f"{name}_{count + 1}", count + 1
    if is_top:
        return Node(name, "Output", order=order)
    return Node(name, "GroupOutput", MappingProxyType({"port": port, "rounds": "last"}), order=order)


def _untie(document: Document) -> None:
    """Let go of tensors that are another node's when that one is not there."""
    present = {".".join(path) for path, _ in document.walk()}

    def visit(level: Level) -> None:
        for node in list(level.nodes.values()):
            if node.level is not None:
                visit(node.level)
            ties = {
                name: tie for name, tie in node.ties.items() if any(tie.to.startswith(f"{place}.") for place in present)
            }
            if len(ties) != len(node.ties):
                level._put(node.with_(ties=MappingProxyType(ties)))

    visit(document.top)
