"""Edits as people make them, built from commands: a new node, a wire onto a taken port, delete and heal, insert.

Each function reads the document and returns one command, which is one step of the history. None changes anything;
so do those of graph.clipboard and graph.grouping.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

import blocks
from blocks.spec import Block
from graph.commands import AddNode, Command, Connect, Disconnect, RemoveNode, Sequence
from graph.document import FROM_WIRE, Document, EditError, Node, Path, Wire
from graph.rewiring import bridges


def new_node(
    document: Document, at: Path, block: type[Block], position: tuple[float, float], *, kind: str = "", **params: Any
) -> Node:
    """A node as a user drops it: parameters that can be read off the wire are, the rest have their defaults.

    `kind` is what travels on the wire behind which it is put, if on any.
    """
    id = document.fresh_id(at, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", block.__name__))
    given = {param.name: FROM_WIRE for param in block.params() if param.from_wire} | dict(block.behind(kind))
    order = 0
    if block.role in ("source", "output", "group_input", "group_output"):
        level = document.level(at)
        peers = [n for n in level.nodes.values() if (b := blocks.find(n.block)) is not None and b.role == block.role]
        order = max((n.order for n in peers), default=-1) + 1
        if block.role in ("group_input", "group_output") and "port" not in params:
            taken = {n.params.get("port", "x") for n in peers}
            free = ("x", *(f"x{count}" for count in range(2, len(taken) + 3)))
            params["port"] = next(name for name in free if name not in taken)
    return Node(id, block.__name__, MappingProxyType({**given, **params}), position=position, order=order)


def connect(document: Document, at: Path, source: str, output: str, target: str, input: str, *, many: bool) -> Command:
    """Lay a wire; one that is there already gives way, unless the input takes many.

    Raises:
        EditError: the wire would close a circle, or is there already.
    """
    level = document.level(at)
    if level.reaches(target, source):
        raise EditError("this wire would close a circle")
    old = [wire for wire in level.incoming(target) if wire.input == input]
    if any(wire.source == source and wire.output == output for wire in old) and not many:
        raise EditError("these two are connected already")
    if many:
        order = max((wire.order for wire in old), default=-1) + 1
        return Connect(at, Wire(source, output, target, input, order))
    wire = Connect(at, Wire(source, output, target, input))
    return Sequence((*(Disconnect(at, w) for w in old), wire), wire.label) if old else wire


def remove(document: Document, at: Path, ids: Iterable[str], *, heal: bool = False) -> Command:
    """Delete nodes with their wires; `heal` reconnects what ran through nodes of one wire coming in, dots always do."""
    level = document.level(at)
    doomed = list(dict.fromkeys(ids))
    steps: list[Command] = [RemoveNode(at, id) for id in doomed]
    healed = doomed if heal else [id for id in doomed if level.node(id).is_dot]
    steps.extend(Connect(at, wire) for wire in bridges(level, set(doomed), set(healed)))
    return Sequence(tuple(steps), f"Delete {doomed[0]}" if len(doomed) == 1 else f"Delete {len(doomed)} nodes")


def insert_on_wire(document: Document, at: Path, node: Node, wire: Wire, *, add: bool = True) -> Command:
    """Put a node into a wire, through its first input and first output."""
    ports = ports_through(node)
    if ports is None:
        raise EditError(f"{node.block} has no input or no output to be put into a wire")
    input, output = ports
    steps: list[Command] = [AddNode(at, node)] if add else []
    steps.append(Disconnect(at, wire))
    steps.append(Connect(at, Wire(wire.source, wire.output, node.id, input)))
    steps.append(Connect(at, Wire(node.id, output, wire.target, wire.input, wire.order)))
    return Sequence(tuple(steps), f"Insert {node.title or node.block}")


def ports_through(node: Node) -> tuple[str, str] | None:
    """The first input and the first output of a node, if it has both."""
    if node.level is not None:
        from graph.validate import group_ports

        inputs, outputs = group_ports(node.level)
    else:
        block = blocks.find(node.block)
        if block is None:
            return None
        inputs, outputs = block.inputs, block.outputs
    return (next(iter(inputs)), next(iter(outputs))) if inputs and outputs else None
