"""Edits of wires that leave the nodes as they are: cut, bend with dots, pull nodes out, lead to another port.

Each function reads the document and returns one command, which is one step of the history. None changes anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Sequence as Several

from graph.commands import AddNode, Command, Connect, Disconnect, Sequence
from graph.document import REROUTE, Document, EditError, Level, Node, Path, Wire
from graph.layout import DOT_HEIGHT, DOT_WIDTH, GRID

Port = tuple[str, str]
"""A node and one of its ports."""


def cut(at: Path, wires: Several[Wire]) -> Command:
    """Take wires away.

    Raises:
        EditError: there are none.
    """
    if not wires:
        raise EditError("no wire is cut")
    label = f"Disconnect {wires[0].target}" if len(wires) == 1 else f"Cut {len(wires)} wires"
    return Sequence(tuple(Disconnect(at, wire) for wire in wires), label)


def wires_of(level: Level, node: str, port: str, *, is_input: bool) -> list[Wire]:
    """The wires of one port."""
    if is_input:
        return [wire for wire in level.incoming(node) if wire.input == port]
    return [wire for wire in level.outgoing(node) if wire.output == port]


def lay_dots(document: Document, at: Path, crossings: Mapping[Wire, tuple[float, float]]) -> tuple[Command, list[str]]:
    """Lead wires through dots; wires of one output share a dot, where the first of them is crossed.

    Args:
        document: where.
        at: the level.
        crossings: wire → the middle of its dot.

    Returns:
        The command and the ids of the dots.

    Raises:
        EditError: there is no wire.
    """
    if not crossings:
        raise EditError("no wire is crossed")
    dots: dict[Port, Node] = {}
    taken: set[str] = set()
    steps: list[Command] = []
    for wire, middle in crossings.items():
        dot = dots.get((wire.source, wire.output))
        steps.append(Disconnect(at, wire))
        if dot is None:
            id = document.fresh_id(at, REROUTE, taken)
            taken.add(id)
            dot = dots[wire.source, wire.output] = Node(id, REROUTE, position=dot_corner(middle))
            steps.append(AddNode(at, dot))
            steps.append(Connect(at, Wire(wire.source, wire.output, id, "x")))
        steps.append(Connect(at, Wire(dot.id, "y", wire.target, wire.input, wire.order)))
    label = "Add a dot" if len(dots) == 1 else f"Add {len(dots)} dots"
    return Sequence(tuple(steps), label), [dot.id for dot in dots.values()]


def dot_corner(middle: tuple[float, float]) -> tuple[float, float]:
    """The corner of a dot whose middle is at a point: in a column of the grid, and at the wire's own height."""
    x, y = middle[0] - DOT_WIDTH / 2, middle[1] - DOT_HEIGHT / 2
    return float(round(x / GRID) * GRID), float(round(y))


def pull_out(document: Document, at: Path, ids: Iterable[str]) -> Command:
    """Take nodes out of their wires and close the gap; wires between them stay.

    Raises:
        EditError: no wire leads to them or away.
    """
    level = document.level(at)
    chosen = set(ids)
    crossing = [wire for wire in level.wires() if (wire.source in chosen) != (wire.target in chosen)]
    if not crossing:
        raise EditError("no wire leads to it or away from it")
    steps: list[Command] = [Disconnect(at, wire) for wire in crossing]
    steps += [Connect(at, wire) for wire in bridges(level, chosen, chosen)]
    what = next(iter(chosen)) if len(chosen) == 1 else f"{len(chosen)} nodes"
    return Sequence(tuple(steps), f"Pull out {what}")


def bridges(level: Level, gone: Collection[str], healed: Collection[str]) -> list[Wire]:
    """The wires that close the gaps which nodes leave.

    Args:
        level: where the nodes still are.
        gone: the nodes that leave their wires.
        healed: those of them whose one incoming wire is led on to what they fed.
    """
    found: list[Wire] = []
    for id in level.nodes:
        if id not in gone:
            continue
        for wire in level.outgoing(id):
            source = _led_on(level, wire, gone, healed) if wire.target not in gone else None
            if source is not None:
                found.append(Wire(source.source, source.output, wire.target, wire.input, wire.order))
    return found


def _led_on(level: Level, wire: Wire, gone: Collection[str], healed: Collection[str]) -> Wire | None:
    """The wire from outside that runs through to this one, if each node on the way has but one wire coming in."""
    while wire.source in gone:
        incoming = level.incoming(wire.source)
        if wire.source not in healed or len(incoming) != 1:
            return None
        wire = incoming[0]
    return wire


def lead_elsewhere(
    document: Document, at: Path, old: Port, new: Port, *, is_input: bool, many: bool = False
) -> Command:
    """Lead all wires of a port to another one.

    Args:
        document: where.
        at: the level.
        old: the node and port whose wires are moved.
        new: where they go.
        is_input: whether both are inputs.
        many: whether the new input takes several wires; else what it has gives way.

    Raises:
        EditError: there is nothing to move, or a wire would close a circle.
    """
    level = document.level(at)
    wires = wires_of(level, *old, is_input=is_input)
    if not wires:
        raise EditError("this port has no wires to move")
    if old == new:
        raise EditError("they are there already")
    kept = wires_of(level, *new, is_input=True) if is_input else []
    steps: list[Command] = [Disconnect(at, wire) for wire in wires]
    if not is_input:
        steps += [Connect(at, Wire(*new, wire.target, wire.input, wire.order)) for wire in wires]
    elif many:
        first = max((wire.order for wire in kept), default=-1) + 1
        steps += [Connect(at, Wire(w.source, w.output, *new, first + place)) for place, w in enumerate(wires)]
    elif len(wires) > 1:
        raise EditError(f"{new[1]} takes one wire, and {len(wires)} would come")
    else:
        steps += [Disconnect(at, wire) for wire in kept]
        steps.append(Connect(at, Wire(wires[0].source, wires[0].output, *new)))
    label = f"Move {len(wires)} wires to {new[0]}" if len(wires) > 1 else f"Move a wire to {new[0]}"
    return Sequence(tuple(steps), label)
