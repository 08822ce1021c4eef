"""The interface of a group: its ports are the GroupInput and GroupOutput nodes inside, and the wires outside follow.

Each function reads the document and returns one command, which is one step of the history. `following` does the same
for edits that people make inside: a port that is renamed or deleted there takes the wires outside along.
"""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from graph.commands import UNSET, AddNode, Command, Connect, Disconnect, RemoveNode, Sequence, SetNode, SetParam
from graph.document import Document, EditError, Level, Node, Path, Wire
from graph.validate import group_ports

Side: TypeAlias = Literal["input", "output"]
BLOCKS: dict[str, str] = {"input": "GroupInput", "output": "GroupOutput"}
GENERIC = frozenset({"x", "y", "a", "b", "terms", "parts", "features", "output", "out", "input"})
"""Port names that say nothing to somebody who sees the group from outside."""
STEP = 80.0


def port_fault(name: str) -> str | None:
    """Why a text cannot name a port, or None when it can."""
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        return "a port has a lower-case name of letters, digits and _ that is no word of Python"
    return None


def add_port(document: Document, path: Path, side: Side, name: str = "") -> tuple[Command, str]:
    """Give a group another port, below the others; in one gesture with its first name it is one step.

    Returns the command and the port's name.

    Raises:
        EditError: it is no group, or the name will not do.
    """
    level = _inside(document, path)
    ports = _ports(level, side)
    name = name or free_name(level, side)
    _check(ports, name)
    peers = [level.nodes[id] for id in ports.values()]
    order = max((node.order for node in peers), default=-1) + 1
    id = document.fresh_id(path, f"{side}_{name}")
    node = Node(id, BLOCKS[side], MappingProxyType({"port": name}), position=_place(level, side, peers), order=order)
    return Sequence((AddNode(path, node),), f"Add an {side}", ("port", path, side)), name


def rename_port(document: Document, path: Path, side: Side, old: str, new: str) -> Command:
    """Call a port otherwise; the wires outside follow.

    Raises:
        EditError: there is no such port, or the name will not do.
    """
    level = _inside(document, path)
    ports = _ports(level, side)
    id = _find(ports, old)
    _check(ports, new)
    steps: list[Command] = [SetParam(path, id, "port", new)]
    steps += _rewired(document, path, side, old, new)
    return Sequence(tuple(steps), f"Rename {side} {old} to {new}", ("port", path, side))


def remove_port(document: Document, path: Path, side: Side, name: str) -> Command:
    """Take a port away, with the wires at it inside and outside.

    Raises:
        EditError: there is no such port.
    """
    id = _find(_ports(_inside(document, path), side), name)
    outside = [Disconnect(path[:-1], wire) for wire in _wires(document, path, side, name)]
    return Sequence((*outside, RemoveNode(path, id)), f"Remove {side} {name}")


def move_port(document: Document, path: Path, side: Side, name: str, step: int) -> Command | None:
    """Put a port further up (-1) or down (1) among those of its side; None when it is at the end already.

    Raises:
        EditError: there is no such port.
    """
    ports = _ports(_inside(document, path), side)
    _find(ports, name)
    names = list(ports)
    place = names.index(name)
    goal = max(0, min(place + step, len(names) - 1))
    if goal == place:
        return None
    names.insert(goal, names.pop(place))
    steps = tuple(SetNode(path, ports[port], "order", order) for order, port in enumerate(names))
    return Sequence(steps, f"Move {side} {name}")


def free_name(level: Level, side: Side, wish: str = "") -> str:
    """A name for another port: the wish, or x for inputs and y for outputs, with a number where it is taken."""
    return _numbered(wish or ("x" if side == "input" else "y"), _ports(level, side))


def border_names(
    arriving: Iterable[Wire], leaving: Iterable[Wire]
) -> tuple[dict[tuple[str, str], str], dict[tuple[str, str], str]]:
    """Names for the ports of a group that is made from a selection, by where their wires come from.

    A port is called like what it feeds inside ("mask") or what comes out ("weights"), where that says something, else
    x and y. One plain way in and one way out are both x, so that a repetition carries it.
    """
    into: dict[tuple[str, str], str] = {}
    for wire in arriving:
        key = (wire.source, wire.output)
        if key not in into:
            wish = next((name for name in (wire.input, wire.output) if name not in GENERIC), "x")
            into[key] = _numbered(wish, into.values())
    plain = [name for name in into.values() if name.startswith("x")]
    ways_out = dict.fromkeys((wire.source, wire.output) for wire in leaving)
    carries = len(ways_out) == 1 and plain == ["x"]
    out: dict[tuple[str, str], str] = {}
    for key in ways_out:
        wish = "x" if carries else key[1] if key[1] not in GENERIC else "y"
        out[key] = _numbered(wish, out.values())
    return into, out


def _numbered(wish: str, taken: Iterable[str]) -> str:
    names = set(taken)
    return next(name for name in (wish, *(f"{wish}{n}" for n in range(2, len(names) + 3))) if name not in names)


def following(document: Document, command: Command) -> Command:
    """The command, with what has to happen to the wires outside when it renames or deletes a port from inside.

    Raises:
        EditError: the port cannot be called so.
    """
    after: list[Command] = []
    loose = {(step.at, step.wire) for step in _steps(command) if isinstance(step, Disconnect)}
    for step in _steps(command):
        if isinstance(step, SetParam) and step.name == "port" and step.at:
            found = _port_of(document, step.at, step.id)
            if found is not None:
                side, old = found
                new = "x" if step.value is UNSET else str(step.value)
                if new != old:
                    _check(_ports(document.level(step.at), side), new)
                    after += _rewired(document, step.at, side, old, new, loose)
        elif isinstance(step, RemoveNode) and step.at:
            found = _port_of(document, step.at, step.id)
            if found is not None and not _goes_too(command, step.at):
                around = step.at[:-1]
                wires = _wires(document, step.at, *found)
                after += [Disconnect(around, wire) for wire in wires if (around, wire) not in loose]
    return Sequence((command, *after), command.label, command.merge_key) if after else command


def _steps(command: Command) -> Iterator[Command]:
    """The primitive edits of a command."""
    if isinstance(command, Sequence):
        for step in command.steps:
            yield from _steps(step)
    else:
        yield command


def _goes_too(command: Command, group: Path) -> bool:
    """Whether the group itself is deleted by the same command."""
    return any(
        isinstance(step, RemoveNode) and (*step.at, step.id) == group[: len(step.at) + 1] for step in _steps(command)
    )


def _port_of(document: Document, at: Path, id: str) -> tuple[Side, str] | None:
    """Which port of its group a node stands for, if it stands for one that counts."""
    level = document.level(at)
    if id not in level:
        return None
    for side in ("input", "output"):
        for name, node in _ports(level, side).items():
            if node == id:
                return side, name
    return None


def _inside(document: Document, path: Path) -> Level:
    level = document.node(path).level
    if level is None:
        raise EditError(f"{path[-1]} is no group")
    return level


def _ports(level: Level, side: Side) -> dict[str, str]:
    inputs, outputs = group_ports(level)
    return inputs if side == "input" else outputs


def _find(ports: dict[str, str], name: str) -> str:
    if name not in ports:
        raise EditError(f"there is no port {name!r} here")
    return ports[name]


def _check(ports: dict[str, str], name: str) -> None:
    fault = port_fault(name)
    if fault:
        raise EditError(f"no port can be called {name!r}: {fault}")
    if name in ports:
        raise EditError(f"there is a port {name!r} already")


def _wires(document: Document, path: Path, side: Side, name: str) -> list[Wire]:
    """The wires at a port of a group, outside."""
    around = document.level(path[:-1])
    if side == "input":
        return [wire for wire in around.incoming(path[-1]) if wire.input == name]
    return [wire for wire in around.outgoing(path[-1]) if wire.output == name]


def _rewired(
    document: Document, path: Path, side: Side, old: str, new: str, loose: Collection[tuple[Path, Wire]] = ()
) -> list[Command]:
    wires = [wire for wire in _wires(document, path, side, old) if (path[:-1], wire) not in loose]
    changed = [replace(wire, input=new) if side == "input" else replace(wire, output=new) for wire in wires]
    return [*(Disconnect(path[:-1], wire) for wire in wires), *(Connect(path[:-1], wire) for wire in changed)]


def _place(level: Level, side: Side, peers: list[Node]) -> tuple[float, float]:
    """Below the ports of that side, or beside what is inside."""
    if peers:
        last = max(peers, key=lambda node: node.position[1])
        return last.position[0], last.position[1] + STEP
    places = [node.position for node in level.nodes.values()]
    if not places:
        return (0.0, 0.0) if side == "input" else (480.0, 0.0)
    edge = min(x for x, _ in places) - 240.0 if side == "input" else max(x for x, _ in places) + 280.0
    return edge, min(y for _, y in places)
