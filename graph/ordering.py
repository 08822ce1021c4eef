"""An order of nodes in which every wire leads onwards, kept while wires are laid, so that circles are seen at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import networkx as nx


class Ordering:
    """Numbers for the nodes of a net, smaller where a wire begins than where it ends; they mean nothing else.

    A wire that leads backwards moves only the nodes between its ends (Pearce and Kelly 2006). The numbers are looked
    for when they are first asked for; a number is never given twice, so that a node that comes back can have its own.
    """

    def __init__(self, net: nx.MultiDiGraph) -> None:
        self._net = net
        self._numbers: dict[str, int] | None = None
        self._low, self._high = -1, 0

    def add(self, id: str, number: int | None = None) -> None:
        """A node without wires has come, or come back with its number."""
        if self._numbers is not None:
            self._numbers[id] = self._behind() if number is None else number

    def remove(self, id: str) -> int | None:
        """A node goes; returns its number, if it has one."""
        return self._numbers.pop(id) if self._numbers is not None else None

    def forget(self) -> None:
        """The net has become another one."""
        self._numbers = None

    def reaches(self, start: str, goal: str) -> bool:
        """Whether a path leads from one node to another; a node reaches itself."""
        numbers = self._numbers if self._numbers is not None else self._number_all()
        if start == goal or numbers is None:
            return start == goal or nx.has_path(self._net, start, goal)
        last = numbers[goal]
        return numbers[start] < last and goal in _around(start, self._net.successors, lambda id: numbers[id] <= last)

    def lay(self, source: str, target: str) -> None:
        """A wire has been laid."""
        numbers = self._numbers
        if numbers is None or numbers[source] < numbers[target]:
            return
        if not self._net.out_degree(target):
            numbers[target] = self._behind()
        elif not self._net.in_degree(source):
            numbers[source] = self._low
            self._low -= 1
        else:
            first, last = numbers[target], numbers[source]
            after = _around(target, self._net.successors, lambda id: numbers[id] <= last)
            if source in after:  # a circle, which only a damaged file has
                self._numbers = None
                return
            before = _around(source, self._net.predecessors, lambda id: numbers[id] >= first)
            moved = [*sorted(before, key=numbers.__getitem__), *sorted(after, key=numbers.__getitem__)]
            numbers.update(zip(moved, sorted(map(numbers.__getitem__, moved)), strict=True))

    def _behind(self) -> int:
        self._high += 1
        return self._high - 1

    def _number_all(self) -> dict[str, int] | None:
        """Numbers for all nodes; None where wires close a circle."""
        onwards = dict(self._net.adjacency())
        missing = dict.fromkeys(onwards, 0)
        for targets in onwards.values():
            for target in targets:
                missing[target] += 1
        ready = [id for id, count in missing.items() if not count]
        numbers: dict[str, int] = {}
        while ready:
            id = ready.pop()
            numbers[id] = self._behind()
            for target in onwards[id]:
                missing[target] -= 1
                if not missing[target]:
                    ready.append(target)
        self._numbers = numbers if len(numbers) == len(missing) else None
        return self._numbers


def _around(start: str, beside: Callable[[str], Iterable[str]], counts: Callable[[str], bool]) -> set[str]:
    """The nodes that can be reached from one through those that count."""
    found, todo = {start}, [start]
    while todo:
        for id in beside(todo.pop()):
            if id not in found and counts(id):
                found.add(id)
                todo.append(id)
    return found
