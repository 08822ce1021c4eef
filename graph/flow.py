"""The nodes of a level in the order in which values flow, kept at the cost of what an edit has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import compress, count
from operator import is_not

from graph.document import Level, Node, Wire


@dataclass(frozen=True)
class Change:
    """What has become of a level: nodes that are new or other ones, those with other wires, those that are gone."""

    changed: frozenset[str] = frozenset()
    rewired: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    is_reordered: bool = False

    def __bool__(self) -> bool:
        return bool(self.changed or self.rewired or self.gone or self.is_reordered)


@dataclass(eq=False)
class Flow:
    """An order in which each node comes after those it is wired to; of several that may come next, the one drawn first.

    It depends on the level only, not on the edits that led to it.
    """

    order: list[str] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)
    """Where a node comes in the order."""
    groups: list[str] = field(default_factory=list)
    _ids: list[str] = field(default_factory=list)
    _index: dict[str, int] = field(default_factory=dict)
    _nodes: list[Node] = field(default_factory=list)
    _incoming: list[tuple[Wire, ...]] = field(default_factory=list)
    _ranks: list[int] = field(default_factory=list)
    """Of every node how many wires lead to it one after another at most."""
    _level: Level | None = None
    _revision: int = -1

    def follow(self, level: Level) -> Change:
        """Bring the order up to date; returns what has changed since the last time."""
        if level is self._level and level.revision == self._revision:
            return Change()
        ids, nodes = list(level.nodes), list(level.nodes.values())
        incoming = list(map(level.incoming, ids))
        gone: frozenset[str] = frozenset()
        old_nodes: Iterable[Node | None] = self._nodes
        old_incoming: Iterable[tuple[Wire, ...] | None] = self._incoming
        is_reordered = ids != self._ids
        if is_reordered:
            earlier = list(map(self._index.get, ids))
            old_nodes = [None if row is None else self._nodes[row] for row in earlier]
            old_incoming = [None if row is None else self._incoming[row] for row in earlier]
            self._ranks = [0 if row is None else self._ranks[row] for row in earlier]
            before = self._index.keys()
            self._index = {id: row for row, id in enumerate(ids)}
            gone = frozenset(before - self._index.keys())
        changed = list(compress(ids, map(is_not, nodes, old_nodes)))
        rewired = list(compress(count(), map(is_not, incoming, old_incoming)))
        self._ids, self._nodes, self._incoming = ids, nodes, incoming
        self._level, self._revision = level, level.revision
        if changed or gone:
            self.groups = [node.id for node in nodes if node.level is not None]
        if self._rank(level, rewired) or is_reordered:
            is_reordered = True
            self.order = [ids[row] for row in sorted(range(len(ids)), key=self._ranks.__getitem__)]
            self.place = {id: place for place, id in enumerate(self.order)}
        return Change(frozenset(changed), frozenset([ids[row] for row in rewired]), gone, is_reordered)

    def _rank(self, level: Level, rewired: list[int]) -> bool:
        """Follow other wires into some nodes; returns whether that changed a rank."""
        ids, ranks, index = self._ids, self._ranks, self._index
        left = len(ids) // 4
        if len(rewired) > left:
            return self._rank_all(level)
        is_changed = False
        queue = [(ranks[row], row) for row in rewired]
        heapify(queue)  # the nodes in front first, so that hardly any is looked at twice
        waiting = set(rewired)
        while queue:
            _, row = heappop(queue)
            waiting.discard(row)
            rank = max([ranks[index[wire.source]] + 1 for wire in self._incoming[row]], default=0)
            if rank == ranks[row]:
                continue
            left -= 1
            if left < 0:
                return self._rank_all(level)
            ranks[row] = rank
            is_changed = True
            for target in map(index.__getitem__, level.net.succ[ids[row]]):
                if target not in waiting:
                    waiting.add(target)
                    heappush(queue, (ranks[target], target))
        return is_changed

    def _rank_all(self, level: Level) -> bool:
        """The ranks of all nodes from nothing."""
        index = self._index
        sources = [[index[wire.source] for wire in wires] for wires in self._incoming]
        targets: list[list[int]] = [[] for _ in sources]
        for row, some in enumerate(sources):
            for source in some:
                targets[source].append(row)
        missing = list(map(len, sources))
        ranks = [0] * len(sources)
        queue = deque(row for row, wires in enumerate(missing) if not wires)
        while queue:
            row = queue.popleft()
            for target in targets[row]:
                ranks[target] = max(ranks[target], ranks[row] + 1)
                missing[target] -= 1
                if not missing[target]:
                    queue.append(target)
        self._ranks = ranks
        return True
