"""How far along a drawing each node stands: the most wires that lead to it one after another, but for dots. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from graph.document import Level

Ranks = NDArray[np.intp]


def follow_ranks(level: Level, index: Mapping[str, int], ranks: Ranks, rewired: list[int]) -> Ranks:
    """The ranks of all nodes, by row.

    Args:
        level: what is drawn.
        index: node → row.
        ranks: what they were before the wires into some nodes changed.
        rewired: the rows of these nodes.
    """
    ids = list(index)
    left = len(ids) // 4
    if len(rewired) > left:
        return all_ranks(level, index)
    found = ranks.tolist()
    queue = [(found[row], row) for row in rewired]
    heapify(queue)  # the nodes in front first, so that hardly any is looked at twice
    waiting = set(rewired)
    while queue:
        _, row = heappop(queue)
        waiting.discard(row)
        wires = level.incoming(ids[row])
        rank = max((found[index[w.source]] + (not level.nodes[w.source].is_dot) for w in wires), default=0)
        if rank == found[row]:
            continue
        left -= 1
        if left < 0:
            return all_ranks(level, index)
        found[row] = rank
        for wire in level.outgoing(ids[row]):
            target = index[wire.target]
            if target not in waiting:
                waiting.add(target)
                heappush(queue, (found[target], target))
    return np.array(found, np.intp)


def all_ranks(level: Level, index: Mapping[str, int]) -> Ranks:
    """The ranks of all nodes, by row, from nothing."""
    nodes = [level.nodes[id] for id in index]
    targets: list[list[int]] = [[] for _ in index]
    waiting = [0] * len(index)
    for id, row in index.items():
        wires = level.incoming(id)
        waiting[row] = len(wires)
        for wire in wires:
            targets[index[wire.source]].append(row)
    ready = [row for row, count in enumerate(waiting) if not count]
    ranks = [0] * len(index)
    while ready:
        row = ready.pop()
        after = ranks[row] + (not nodes[row].is_dot)
        for target in targets[row]:
            if after > ranks[target]:
                ranks[target] = after
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return np.array(ranks, np.intp)
